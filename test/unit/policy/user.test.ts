import { describe, expect, test } from 'vitest';
import { canUse } from '../../../src/policy/access.js';
import type { PolicyFolder } from '../../../src/policy/folders.js';
import { chooseUser, type UserChoice } from '../../../src/policy/user.js';
import { InvalidRequest } from '../../../src/sandbox/errors.js';

function folder(field: 'fsRead' | 'fsWrite', uid: number, gid = uid, mode = 0o755): PolicyFolder {
  const facts = { kind: 'folder' as const, uid, gid, mode, identity: { device: 1n, inode: 1n } };
  return { field, requested: '/ws', path: '/ws', mode: field === 'fsWrite' ? 'rw' : 'ro', facts, links: [] };
}
const root = { uid: 0, gid: 0, groups: [0] };
const bob = { uid: 1000, gid: 1000, groups: [1000, 100, 998] };
const choice = (part: Partial<UserChoice>): UserChoice => ({
  service: bob,
  engine: { rootless: false },
  rootFolders: 'allow',
  privilegedGids: new Set([0, 998]),
  ...part,
});

describe('who code runs as', () => {
  test.each<[string, Partial<UserChoice>, PolicyFolder[], [number, number]]>([
    ['an ordinary service: itself', {}, [folder('fsWrite', 1000)], [1000, 1000]],
    ['runAs is for root only', { runAs: { uid: 7, gid: 7 } }, [folder('fsWrite', 1000)], [1000, 1000]],
    ["root: the writable folder's owner", { service: root }, [folder('fsWrite', 1001, 50)], [1001, 50]],
    [
      "root: not the owner's group where that opens more",
      { service: root },
      [folder('fsWrite', 1001, 998)],
      [1001, 65534],
    ],
    ['root: runAs is taken as it is', { service: root, runAs: { uid: 7, gid: 998 } }, [folder('fsWrite', 7)], [7, 998]],
    [
      'root: the first of them',
      { service: root },
      [folder('fsWrite', 1001), folder('fsWrite', 1002, 1, 0o777)],
      [1001, 1001],
    ],
    ['root: runAs', { service: root, runAs: { uid: 7, gid: 8 } }, [folder('fsWrite', 7)], [7, 8]],
    [
      'root, nothing written: who owns what is read',
      { service: root },
      [folder('fsRead', 0), folder('fsRead', 1001)],
      [1001, 1001],
    ],
    ['root, nothing of anybody: nobody', { service: root }, [], [65534, 65534]],
    ["root, only root's, open to all: nobody", { service: root }, [folder('fsRead', 0)], [65534, 65534]],
    ["root, only root's, closed: root", { service: root }, [folder('fsRead', 0, 0, 0o700)], [0, 0]],
    ['rootless: itself', { engine: { rootless: true } }, [folder('fsWrite', 1000)], [1000, 1000]],
    [
      "rootless, another's engine",
      { service: root, engine: { rootless: true, user: { uid: 5, gid: 6 } } },
      [folder('fsWrite', 5)],
      [5, 6],
    ],
  ])('%s', (_, part, folders, [uid, gid]) => {
    expect(chooseUser(folders, choice(part)).user).toMatchObject({ uid, gid });
  });

  test('a rootless engine maps no groups, so none can open a folder', () => {
    const shared = folder('fsWrite', 5, 100, 0o2770);
    expect(chooseUser([shared], choice({})).user.groups).toEqual([100]);
    const rootless = () => chooseUser([shared], choice({ engine: { rootless: true } }));
    expect(rootless).toThrow(/cannot be written by uid 1000.*belongs to uid 5, gid 100, mode 2770/);
  });

  test('uid 0 comes with a warning', () => {
    const { user, warnings } = chooseUser([folder('fsWrite', 0)], choice({ service: root }));
    expect(user.uid).toBe(0);
    expect(warnings).toEqual([
      expect.stringContaining('uid 0, without any capability, since "/ws" (policy.fsWrite) belongs to root'),
    ]);
  });

  test('or is refused, when the configuration says so', () => {
    const refused = choice({ service: root, rootFolders: 'refuse' });
    expect(() => chooseUser([folder('fsWrite', 0)], refused)).toThrow(
      /would run as uid 0, since "\/ws".*\(safety\.rootFolders\).*set safety\.runAs/,
    );
    expect(() => chooseUser([folder('fsRead', 0, 0, 0o700)], refused)).toThrow(/cannot be read by uid 65534/);
  });
});

test('a folder that the user cannot use is refused, with both uids', () => {
  const attempt = () => chooseUser([folder('fsWrite', 1000), folder('fsWrite', 1001)], choice({}));
  expect(attempt).toThrow(InvalidRequest);
  expect(attempt).toThrow(/policy.fsWrite\) cannot be written by uid 1000.*belongs to uid 1001, gid 1001, mode 0755/);
});

test.each<[string, PolicyFolder[], number[]]>([
  ['a group that owns a folder', [folder('fsWrite', 1001, 100, 0o2770)], [100]],
  ["never the engine's group", [folder('fsRead', 0, 998)], []],
  ['never one that the service is not in', [folder('fsRead', 0, 55)], []],
  ['not the own group again', [folder('fsWrite', 1000, 1000)], []],
])('supplementary groups: %s', (_, folders, groups) => {
  expect(chooseUser(folders, choice({})).user.groups).toEqual(groups);
});

test.each<[number, number, number[], number, 'ro' | 'rw', boolean]>([
  [1, 1, [], 0o700, 'rw', true],
  [1, 1, [], 0o500, 'rw', false],
  [1, 1, [], 0o500, 'ro', true],
  // The owner's own bits count, even where everybody else may.
  [1, 1, [], 0o077, 'ro', false],
  [2, 1, [], 0o070, 'rw', true],
  [2, 2, [1], 0o070, 'rw', true],
  [2, 2, [1], 0o707, 'rw', false],
  [2, 2, [], 0o007, 'rw', true],
  [2, 2, [], 0o001, 'ro', false],
  // Uid 0 without capabilities is a user like any other.
  [0, 0, [], 0o700, 'ro', false],
])('uid %d gid %d groups %j on 1:1 mode %o as %s: %s', (uid, gid, groups, mode, access, expected) => {
  expect(canUse({ uid, gid, groups }, { uid: 1, gid: 1, mode }, access)).toBe(expected);
});
