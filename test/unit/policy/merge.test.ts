import { describe, expect, test } from 'vitest';
import type { PolicyFolder } from '../../../src/policy/folders.js';
import { mergeFolders } from '../../../src/policy/merge.js';

/** `rw /path` or `rw /spelled=/path`. */
function folder(text: string): PolicyFolder {
  const mode = text.slice(0, 2) as 'ro' | 'rw';
  const [requested, path = requested] = text.slice(3).split('=') as [string, string?];
  const facts = { kind: 'folder' as const, uid: 0, gid: 0, mode: 0o755, identity: { device: 1n, inode: 7n } };
  return { field: mode === 'rw' ? 'fsWrite' : 'fsRead', requested, path, mode, facts, links: [] };
}

const taken = (target: string) => target.startsWith('/bin');
const merge = (folders: string[]) =>
  mergeFolders(folders.map(folder), taken).map(({ source, target, mode }) =>
    source === target ? `${mode} ${target}` : `${mode} ${target}=${source}`,
  );

describe('one name per folder', () => {
  test.each([
    ['nothing', [], []],
    ["Aalis's default", ['rw /ws', 'rw /ws/.tmp/x', 'ro /ws'], ['rw /ws']],
    ['duplicates', ['ro /a', 'ro /a', 'ro /a'], ['ro /a']],
    ['the same in both lists', ['ro /a', 'rw /a'], ['rw /a']],
    ['nested, same mode', ['ro /a/b/c', 'ro /a', 'ro /a/b'], ['ro /a']],
    ['writable in read-only', ['rw /a/b', 'ro /a'], ['ro /a', 'rw /a/b']],
    ['read-only in writable', ['rw /a', 'ro /a/b'], ['rw /a', 'ro /a/b']],
    ['three deep', ['rw /a', 'ro /a/b', 'rw /a/b/c'], ['rw /a', 'ro /a/b', 'rw /a/b/c']],
    ['three deep, the middle alike', ['ro /a', 'rw /a/b', 'rw /a/b/c'], ['ro /a', 'rw /a/b']],
    ['names that begin alike', ['rw /a', 'rw /ab'], ['rw /a', 'rw /ab']],
    [
      'odd names',
      ['rw /a:b', 'rw /a,b', 'rw /a"b', 'rw /a\nb', 'rw /é 日'],
      ['rw /a\nb', 'rw /a"b', 'rw /a,b', 'rw /a:b', 'rw /é 日'],
    ],
  ])('%s', (_, folders, mounts) => {
    expect(merge(folders)).toEqual(mounts);
  });
});

describe('a folder that the request reaches through a link is there under both names', () => {
  test.each([
    ['alone', ['rw /home/u=/data/u'], ['rw /data/u', 'rw /home/u=/data/u']],
    ['with a nested one', ['rw /home/u=/data/u', 'rw /home/u/t=/data/u/t'], ['rw /data/u', 'rw /home/u=/data/u']],
    [
      'with a nested one of another mode',
      ['ro /home/u=/data/u', 'rw /home/u/t=/data/u/t'],
      ['ro /data/u', 'rw /data/u/t', 'ro /home/u=/data/u', 'rw /home/u/t=/data/u/t'],
    ],
    [
      'where both modes are named, under either name',
      ['ro /home/u=/data/u', 'rw /data/u'],
      ['rw /data/u', 'rw /home/u=/data/u'],
    ],
    ['where both modes are named', ['ro /home/u=/data/u', 'rw /home/u=/data/u'], ['rw /data/u', 'rw /home/u=/data/u']],
    ['not below a mount, where the link itself is seen', ['ro /a', 'ro /a/now=/b'], ['ro /a', 'ro /b']],
    ['not where the root has something', ['ro /bin/x=/usr/bin/x'], ['ro /usr/bin/x']],
    ['not with .. in it', ['ro /l/../u=/data/u'], ['ro /data/u']],
  ])('%s', (_, folders, mounts) => {
    expect(merge(folders)).toEqual(mounts);
  });
});

test('every mount carries the identity that was checked', () => {
  expect(mergeFolders([folder('rw /h=/d')], taken).map(mount => mount.identity?.inode)).toEqual([7n, 7n]);
});
