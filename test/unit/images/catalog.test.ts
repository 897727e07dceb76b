import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Catalog, commandsOf, environmentIn, lineage } from '../../../src/images/catalog.js';
import { workspace } from '../../support/workspace.js';

async function load(...manifests: Array<Record<string, unknown>>) {
  using work = workspace();
  for (const [index, manifest] of manifests.entries()) {
    const folder = join(work.path, String(index));
    mkdirSync(folder);
    writeFileSync(join(folder, 'image.json'), JSON.stringify({ version: '1', description: 'x', ...manifest }));
  }
  const faults: string[] = [];
  const catalog = await Catalog.load([work.path], fault => faults.push(fault.message));
  return { catalog, faults };
}

test('an operator’s image extends a shipped one, and has what that has', async () => {
  const { catalog, faults } = await load({
    name: 'mine',
    extends: 'python',
    interpreters: [{ command: 'tool', path: '/usr/bin/tool' }],
    environment: { PIP_NO_CACHE_DIR: '0', OWN: '1' },
  });
  expect(faults).toEqual([]);
  const mine = catalog.get('mine');
  expect(mine.reference).toBe('localhost/code-sandbox/mine:1');
  expect(lineage(mine).map(({ manifest }) => manifest.name)).toEqual(['base', 'python', 'mine']);
  expect(commandsOf(mine)).toMatchObject({ sh: '/bin/sh', python3: '/usr/bin/python3', tool: '/usr/bin/tool' });
  expect(environmentIn(mine)).toMatchObject({ OWN: '1', PIP_NO_CACHE_DIR: '0', PIP_ROOT_USER_ACTION: 'ignore' });
});

test('the preferred image serves a command, among those that are made for it', async () => {
  const { catalog } = await load({
    name: 'mine',
    extends: 'python-data',
    preference: 100,
    interpreters: [{ command: 'python3', path: '/usr/bin/python3' }],
  });
  const names = catalog.serving(['python3.11', 'python3']).map(({ manifest }) => manifest.name);
  expect(names).toEqual(['mine', 'python-data', 'python', 'polyglot']);
  expect(catalog.serving(['bash']).map(({ manifest }) => manifest.name)).toEqual(['polyglot', 'base']);
  expect(catalog.serving(['perl'])).toEqual([]);
});

test('a fault leaves out the image and what extends it, and says what it is', async () => {
  const { catalog, faults } = await load(
    { name: 'orphan', extends: 'nonesuch' },
    { name: 'child', extends: 'orphan' },
    { name: 'a', extends: 'b' },
    { name: 'b', extends: 'a' },
    { name: 'python' },
    { name: 'smokes', smoke: [{ name: 'x', command: 'perl', script: '', expect: '' }] },
    { name: 'fine' },
  );
  expect(catalog.all.map(({ manifest }) => manifest.name).slice(5)).toEqual(['fine']);
  expect(faults).toEqual([
    expect.stringMatching(/^Image python is in .*images\/python and in .*; rename one\.$/),
    'Image orphan extends nonesuch, which is not in the catalog.',
    'Image orphan extends nonesuch, which is not in the catalog.',
    'Image a extends itself: a -> b -> a.',
    'Image b extends itself: b -> a -> b.',
    'The smoke test "x" of image smokes runs perl, which is no interpreter of it (it has: none).',
  ]);
});

test('a folder that is not there, and one without a manifest, are named', async () => {
  using work = workspace();
  mkdirSync(join(work.path, 'empty'));
  const faults: string[] = [];
  await Catalog.load([work.path, '/nonesuch'], fault => faults.push(fault.message));
  expect(faults[0]).toContain(join(work.path, 'empty', 'image.json'));
  expect(faults[1]).toMatch(/folder of images \/nonesuch cannot be read/);
});

test('an image that is not there is answered with those that are', async () => {
  const { catalog } = await load();
  expect(() => catalog.get('ruby')).toThrow(/no image ruby in the catalog. It has: base, node/);
});
