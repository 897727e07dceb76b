import { expect, test } from 'vitest';
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

test('what is there is read-only; the folders above it are mount points that stay writable', async () => {
  const { mounts, warnings } = await protect(fakeHost(BEFORE), [ws]);
  expect(mounts.map(({ target, mode }) => `${mode} ${target}`).toSorted()).toEqual([
    'ro /workspace/.envrc',
    'ro /workspace/.git/config',
    'ro /workspace/.git/hooks',
    'ro /workspace/a/b/site.pth',
    'ro /workspace/node_modules/.bin',
    'rw /workspace/.git',
    'rw /workspace/a',
    'rw /workspace/a/b',
    'rw /workspace/node_modules',
  ]);
  for (const { source, target, identity } of mounts) {
    expect(source).toBe(target.replace('/workspace', '/ws'));
    expect(identity).toBeDefined();
  }
  expect(warnings).toEqual([]);
  // Parents come first, or a mount would hide one that was made before it.
  const targets = mounts.map(({ target }) => target);
  expect(targets.indexOf('/workspace/.git')).toBeLessThan(targets.indexOf('/workspace/.git/hooks'));
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

test('too many are told about, and the first are protected', async () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`/ws/d${i}/.envrc`, 'text']));
  const { mounts, warnings } = await protect(fakeHost(many), [ws]);
  expect(mounts.filter(({ mode }) => mode === 'ro')).toHaveLength(128);
  expect(warnings).toEqual(['72 of 200 files that the host would run are too many to protect.']);
});
