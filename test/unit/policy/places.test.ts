import { expect, test } from 'vitest';
import { meantBy, shownAt } from '../../../src/policy/places.js';
import { mount } from './inside.js';

const mounts = [
  mount('/workspace', 'rw', '/data/ws'),
  mount('/workspace/.git', 'rw', '/data/ws/.git'),
  mount('/data/other'),
  mount('/home/other', 'ro', '/data/other'),
];

test.each([
  ['/data/ws', '/workspace'],
  ['/data/ws/a/b', '/workspace/a/b'],
  ['/data/ws/.git/x', '/workspace/.git/x'],
  ['/data/other/x', '/data/other/x'],
  ['/data/wsx', '/data/wsx'],
])('%s of the host is shown at %s', (path, inside) => expect(shownAt(path, mounts)).toBe(inside));

test.each([
  ['/workspace', '/data/ws'],
  ['/workspace/a/../b', '/data/ws/a/../b'],
  ['/home/other/x', '/data/other/x'],
  ['/usr/bin/env', '/usr/bin/env'],
])('%s inside means %s of the host', (path, host) => expect(meantBy(path, mounts)).toBe(host));
