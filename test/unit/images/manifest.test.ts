import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Catalog, SHIPPED_IMAGES } from '../../../src/images/catalog.js';
import { manifestJsonSchema, readManifest } from '../../../src/images/manifest.js';
import { workspace } from '../../support/workspace.js';

const good = { name: 'mine', version: '1.0.0', description: 'Mine.' };

async function read(content: unknown) {
  using work = workspace();
  const file = join(work.path, 'image.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return await readManifest(file);
}

test('a short manifest gets its defaults; texts may be lists of lines', async () => {
  const smoke = [{ name: 'says', command: 'sh', script: ['echo a', 'echo b'], expect: 'a\nb\n' }];
  expect(await read({ ...good, smoke })).toMatchObject({
    interpreters: [],
    environment: {},
    packages: { debian: [], alpine: [], npm: {} },
    smoke: [{ script: 'echo a\necho b\n', expect: 'a\nb\n', args: [] }],
  });
});

test.each([
  ['no JSON', '{"name": ', /is not JSON/],
  ['a list', [], /expected object/],
  ['a missing name', { version: '1', description: 'x' }, /at name/],
  ['a name that is no part of a reference', { ...good, name: 'My Image' }, /lowercase letters[\s\S]*at name/],
  ['a version that is no tag', { ...good, version: '1.0:2' }, /must fit into a tag[\s\S]*at version/],
  ['an empty description', { ...good, description: '' }, /at description/],
  ['an unknown field', { ...good, packges: {} }, /packges/],
  [
    'an interpreter with a path for a name',
    { ...good, interpreters: [{ command: '/bin/sh', path: '/bin/sh' }] },
    /bare name/,
  ],
  [
    'an interpreter at a relative path',
    { ...good, interpreters: [{ command: 'sh', path: 'bin/sh' }] },
    /absolute path/,
  ],
  ['an ending without its dot', { ...good, interpreters: [{ command: 'a', path: '/a', extensions: ['py'] }] }, /dot/],
  ['a variable with no name', { ...good, environment: { 'A B': 'x' } }, /Invalid key[\s\S]*environment/],
  ['a variable that is a number', { ...good, environment: { A: 1 } }, /expected string[\s\S]*environment/],
  ['a package that is an option', { ...good, packages: { debian: ['--allow-downgrades'] } }, /name of a package/],
  ['an npm package without its version', { ...good, packages: { npm: { node: 'node' } } }, /packages\.npm/],
  ['a smoke test without what it expects', { ...good, smoke: [{ name: 'a', command: 'sh', script: '' }] }, /smoke/],
  ['a label of our own', { ...good, labels: { 'code-sandbox.digest': 'x' } }, /Invalid key[\s\S]*labels/],
  ['a size limit below 1', { ...good, maxSizeMiB: 0 }, /maxSizeMiB/],
])('%s is refused, with the file and the field', async (_, content, reason) => {
  await expect(read(content)).rejects.toThrow(reason);
  await expect(read(content)).rejects.toMatchObject({
    name: 'InvalidImage',
    message: expect.stringContaining('image.json'),
  });
});

test('the published JSON Schema is that of the code', () => {
  const published = new URL('../../../docs/image.schema.json', import.meta.url);
  expect(JSON.parse(readFileSync(published, 'utf8'))).toEqual(JSON.parse(JSON.stringify(manifestJsonSchema())));
});

test('the shipped images have no fault, and each promises something', async () => {
  const faults: Error[] = [];
  const catalog = await Catalog.load([], fault => faults.push(fault));
  expect(faults).toEqual([]);
  expect(catalog.all.map(({ manifest }) => manifest.name).sort()).toEqual([
    'base',
    'node',
    'polyglot',
    'python',
    'python-data',
  ]);
  for (const { manifest, folder } of catalog.all) {
    expect(folder).toBe(join(SHIPPED_IMAGES, manifest.name));
    expect(manifest.smoke.length).toBeGreaterThan(0);
  }
});
