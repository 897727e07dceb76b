import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Catalog } from '../../../src/images/catalog.js';
import { readContext } from '../../../src/images/context.js';
import { scaffold } from '../../../src/images/scaffold.js';
import { workspace } from '../../support/workspace.js';

test('a new image is a valid one, whatever it extends', async () => {
  using work = workspace();
  const shipped = await Catalog.load([], () => {});
  for (const parent of shipped.all) await scaffold(work.path, `my-${parent.manifest.name}`, parent);
  const faults: Error[] = [];
  const catalog = await Catalog.load([work.path], fault => faults.push(fault));
  expect(faults).toEqual([]);
  expect(catalog.get('my-node').manifest.smoke[0]).toMatchObject({
    command: 'node',
    script: "console.log('hello');\n",
  });
  expect(catalog.get('my-python').manifest.smoke[0]).toMatchObject({ script: "print('hello')\n" });
  expect((await readContext(join(work.path, 'my-base'))).map(({ path }) => path)).toContain('Containerfile');
});

test('nothing is overwritten, and no name leads elsewhere', async () => {
  using work = workspace();
  const parent = (await Catalog.load([], () => {})).get('base');
  await scaffold(work.path, 'mine', parent);
  await expect(scaffold(work.path, 'mine', parent)).rejects.toThrow(/mine cannot be made: EEXIST/);
  await expect(scaffold(work.path, '../up', parent)).rejects.toThrow(/"..\/up" must be lowercase letters/);
});
