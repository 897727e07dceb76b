import { expect, test } from 'vitest';
import { writableTops } from '../../../src/policy/writable.js';
import { mount } from './inside.js';

test('of writable mounts those that lie in no other one, each folder once', () => {
  const second = mount('/home/u/ws', 'rw', '/ws');
  const mounts = [mount('/ws', 'rw'), second, mount('/ws/a', 'rw'), mount('/ws/a/b'), mount('/ws/a/b/c', 'rw')];
  const others = [mount('/data'), mount('/data/in', 'rw'), mount('/wsx', 'rw')];
  expect(writableTops([...mounts, ...others]).map(({ target }) => target)).toEqual(['/ws', '/data/in', '/wsx']);
});
