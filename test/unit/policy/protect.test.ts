import { describe, expect, test, vi } from 'vitest';
import type { Mount } from '../../../src/policy/plan.js';
import { plantedSince, protect } from '../../../src/policy/protect.js';
import { fakeHost, type Tree } from './fake-host.js';
import { mount } from './inside.js';

const ws = mount('/workspace', 'rw', '/ws');
const BEFORE: Tree = {
  '/ws/.git/hooks/x': 'hook',
  '/ws/.git/config': 'text',
  '/ws/.git/objects': {},
  '/ws/.envrc': 'text',
  '/ws/a/b/site.pth': 'text',
  '/ws/a/own.py': 'text',
  '/ws/.vscode': '->own',
  '/ws/node_modules/.bin/tsc': 'text',
  '/ws/node_modules/pkg/.envrc': 'text',
  '/ws/1/2/3/4/5/.envrc': 'deep',
};

test('what is there is read-only', async () => {
  const { mounts, warnings } = await protect(fakeHost(BEFORE), [ws]);
  expect(mounts.map(({ target, mode }) => `${mode} ${target}`).toSorted()).toEqual([
    'ro /workspace/.envrc',
    'ro /workspace/.git/config',
    'ro /workspace/.git/hooks',
    'ro /workspace/a/b/site.pth',
    'ro /workspace/node_modules/.bin',
  ]);
  for (const { source, target, identity } of mounts) {
    expect(source).toBe(target.replace('/workspace', '/ws'));
    expect(identity).toBeDefined();
  }
  expect(warnings).toEqual([]);
});

test('read-only folders need nothing', async () => {
  expect((await protect(fakeHost(BEFORE), [{ ...ws, mode: 'ro' }])).mounts).toEqual([]);
});

test('what is new, and a link that leads elsewhere, is told', async () => {
  const protection = await protect(fakeHost(BEFORE), [ws]);
  expect(await plantedSince(protection, fakeHost(BEFORE))).toEqual([]);
  const after = fakeHost({ ...BEFORE, '/ws/.vscode': '->/etc', '/ws/a/.envrc': 'new', '/ws/a/own.sh': 'new' });
  expect((await plantedSince(protection, after)).toSorted()).toEqual(['/ws/.vscode', '/ws/a/.envrc']);
});

test('too many are told about; the first are protected, and the others may have been changed by the run', async () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`/ws/d${i}/.envrc`, 'text']));
  const protection = await protect(fakeHost(many), [ws]);
  expect(protection.mounts.filter(({ mode }) => mode === 'ro')).toHaveLength(128);
  expect(protection.warnings).toEqual([
    '72 of 200 files that the host would run are too many to protect, and are listed as planted by every run.',
  ]);
  expect(await plantedSince(protection, fakeHost(many))).toEqual(
    Array.from({ length: 72 }, (_, i) => `/ws/d${i + 128}/.envrc`),
  );
});

test('neither many of a pattern nor many deep ones in one folder keep the top of another from being protected', async () => {
  const of = (name: (i: number) => string) =>
    Array.from({ length: 200 }, (_, i): [string, string] => [name(i), 'text']);
  const before = Object.fromEntries([...of(i => `/ws/${i}.pth`), ...of(i => `/ws/d${i}/.envrc`)]);
  const { mounts } = await protect(fakeHost({ ...before, '/ws2/.git/hooks': {} }), [ws, mount('/ws2', 'rw')]);
  expect(mounts).toContainEqual(expect.objectContaining({ source: '/ws2/.git/hooks', mode: 'ro' }));
});

describe('what cannot be listed to its end', () => {
  const flood = (folder: string, count: number): Tree =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${folder}/${i}`, 'text']));
  const readOnly = (mounts: Mount[]) => mounts.filter(({ mode }) => mode === 'ro').map(({ source }) => source);
  const told = (folder: string) =>
    `Not all of "${folder}" can be looked through: files in it that the host would run may be neither protected nor ` +
    'listed as planted.';

  test.each([
    ['the folder itself', '/ws'],
    ['the folder beside it', '/ws/a'],
  ])('a flood of names in %s hides no fixed name, and is told', async (_, folder) => {
    const before = {
      ...flood(folder, 27_000),
      '/ws/.git/hooks/x': 'hook',
      '/ws/b/.envrc': 'text',
      '/ws/.profile': '->x',
    };
    const protection = await protect(fakeHost(before), [ws]);
    expect(readOnly(protection.mounts)).toContain('/ws/.git/hooks');
    expect(protection.warnings).toEqual([told('/ws')]);
    if (folder !== '/ws') expect(readOnly(protection.mounts)).toContain('/ws/b/.envrc');
    const after = fakeHost({ ...before, '/ws/.bashrc': 'new', '/ws/.git/config': 'new', '/ws/.profile': '->y' });
    expect((await plantedSince(protection, after)).toSorted()).toEqual([
      '/ws/.bashrc',
      '/ws/.git/config',
      '/ws/.profile',
    ]);
  });

  test('the writable folder is listed itself when a run floods it', async () => {
    const protection = await protect(fakeHost(BEFORE), [ws]);
    expect(protection.warnings).toEqual([]);
    expect(await plantedSince(protection, fakeHost({ ...BEFORE, ...flood('/ws/a', 27_000) }))).toEqual(['/ws']);
  });

  test('however many folders are closed, one line tells, and the search comes to an end', async () => {
    const closed = Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`/ws/d${i}`, { mode: 0o300 }]));
    const host = fakeHost(closed);
    const lstat = vi.spyOn(host, 'lstat');
    const { warnings } = await protect(host, [ws]);
    expect(warnings).toEqual([expect.stringMatching(/^Not all of "\/ws\/d0" and \d+ other folders can be looked/)]);
    expect(lstat.mock.calls.length).toBeLessThan(20_000);
  });

  test('a folder that the service may not list keeps what has a fixed name', async () => {
    const closed: Tree = { '/ws': { mode: 0o300 }, '/ws/.git/hooks/x': 'hook', '/ws/.envrc': 'text' };
    const { mounts, warnings } = await protect(fakeHost(closed), [ws]);
    expect(readOnly(mounts).toSorted()).toEqual(['/ws/.envrc', '/ws/.git/hooks']);
    expect(warnings).toEqual([told('/ws')]);
  });
});
