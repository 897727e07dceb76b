import { expect, test } from 'vitest';
import { linkObjection } from '../../../src/policy/links.js';
import type { PassedLink } from '../../../src/policy/walk.js';

function link(path: string, part: Partial<PassedLink['folder']> = {}): PassedLink {
  const identity = { device: 1n, inode: 1n };
  return { path, folder: { kind: 'folder', uid: 0, gid: 0, mode: 0o755, identity, ...part } };
}
const trust = { writable: ['/ws'], uid: 1000 };

test.each([
  ['no link', []],
  ["a link of the system's", [link('/home')]],
  ["a link of the service's user", [link('/home/u/ws', { uid: 1000, mode: 0o700 })]],
  ['a folder that begins alike', [link('/wsx/link')]],
])('%s is followed', (_, links) => {
  expect(linkObjection(links, trust)).toBeUndefined();
});

test.each([
  ['in a writable folder', link('/ws/out'), 'lies where code may write ("/ws")'],
  ['in /tmp', link('/tmp/out', { mode: 0o1777 }), 'lies where anybody may write'],
  ["in another user's folder", link('/home/v/out', { uid: 1001 }), 'the user with uid 1001 can turn elsewhere'],
  ['of a process', link('/proc/self/cwd'), 'means another folder to each reader'],
])('a link %s is not', (_, bad, why) => {
  expect(linkObjection([link('/home'), bad], trust)).toContain(why);
});
