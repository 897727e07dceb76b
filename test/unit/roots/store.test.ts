import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collectRoots } from '../../../src/roots/collect.js';
import { RootStore } from '../../../src/roots/store.js';
import { workspace } from '../../support/workspace.js';
import { archiveOf } from './archive.js';

const ID = 'a'.repeat(64);
const DAY_MS = 86_400_000;
const tool = () => archiveOf([{ name: 'usr/bin/tool', mode: 0o755, content: 'tool' }]);
const image = { name: 'tools:1', path: ['/usr/bin'], id: ID };

let work: ReturnType<typeof workspace>;
let store: RootStore;
beforeEach(() => {
  work = workspace();
  store = new RootStore(join(work.path, 'roots'));
});
afterEach(() => work[Symbol.dispose]());

describe('a root', () => {
  test('is found by name and by id', async () => {
    const { folder } = await store.add(tool(), image);
    expect(readFileSync(join(folder, 'usr/bin/tool'), 'utf8')).toBe('tool');
    const expected = { id: ID, folder, path: ['/usr/bin'] };
    for (const name of ['tools:1', ID, `sha256:${ID}`]) expect(await store.find(name)).toEqual(expected);
    expect(await store.find('tools:2')).toBeUndefined();
    expect(await store.find('../names')).toBeUndefined();
  });

  test('of a plain archive goes by the digest of its bytes', async () => {
    const { id } = await store.add(tool(), { name: 'a', path: [] });
    expect((await store.add(tool(), { name: 'b', path: [] })).id).toBe(id);
    expect(readdirSync(store.folder).sort()).toEqual([id, 'names']);
  });

  test('made by several at once is made once, and nothing is left half-made', async () => {
    const others = [store, new RootStore(store.folder), new RootStore(store.folder)];
    await Promise.all(others.map((each, index) => each.add(tool(), { ...image, name: `name ${index}` })));
    expect(readdirSync(store.folder).sort()).toEqual([ID, 'names']);
    for (const index of [0, 1, 2]) expect(await store.find(`name ${index}`)).toBeDefined();
  });

  test('is not made of an image as a file, which holds layers', async () => {
    const saved = archiveOf([
      { name: 'manifest.json', content: '[]' },
      { name: 'oci-layout', content: '{}' },
    ]);
    await expect(store.add(saved, image)).rejects.toThrow(/neither \/usr nor \/bin.*images load, then images unpack/);
    expect(readdirSync(store.folder)).toEqual([]);
  });

  test('that cannot be unpacked leaves nothing', async () => {
    const evil = archiveOf([{ name: '../out', content: 'x' }]);
    const adding = store.add(evil, image);
    await expect(adding).rejects.toThrow(/The root tools:1 cannot be unpacked: its entry "\.\.\/out" leads out/);
    await expect(adding).rejects.toMatchObject({ name: 'BackendUnavailable' });
    const broken = Readable.from(
      (async function* () {
        yield (await tool().toArray())[0];
        throw new Error('the engine went away');
      })(),
    );
    await expect(store.add(broken, image)).rejects.toThrow(/the engine went away/);
    expect(readdirSync(store.folder)).toEqual([]);
  });
});

describe('a broken root', () => {
  test.each([
    ['lacks a file', (folder: string) => rmSync(join(folder, 'root/usr/bin/tool'))],
    ['has a longer file', (folder: string) => writeFileSync(join(folder, 'root/usr/added'), 'x')],
    ['lost its note', (folder: string) => writeFileSync(join(folder, 'note.json'), '{"version":')],
    ['has the note of another', (folder: string) => writeFileSync(join(folder, 'note.json'), '{}')],
  ])('that %s is refused, and made anew', async (_, spoil) => {
    await store.add(tool(), image);
    spoil(join(store.folder, ID));
    const later = new RootStore(store.folder);
    await expect(later.find('tools:1')).rejects.toThrow(/root a{12} .* is broken.*unpack its image again/);
    await later.add(tool(), image);
    expect(await later.find('tools:1')).toBeDefined();
    expect(readdirSync(store.folder).sort()).toEqual([ID, 'names']);
  });

  test('without a note, as a half-written one has none, is not there', async () => {
    await store.add(tool(), image);
    rmSync(join(store.folder, ID, 'note.json'));
    expect(await new RootStore(store.folder).find('tools:1')).toBeUndefined();
  });
});

describe('what is collected', () => {
  const age = (path: string, days: number) => {
    const then = new Date(Date.now() - days * DAY_MS);
    utimesSync(path, then, then);
  };

  test('what was not used for long, with its names', async () => {
    await store.add(tool(), image);
    await store.add(tool(), { name: 'young', path: [], id: 'b'.repeat(64) });
    age(join(store.folder, ID, 'note.json'), 40);
    expect(await collectRoots(store.folder)).toEqual([ID]);
    expect(await store.find('tools:1')).toBeUndefined();
    expect(await store.find('young')).toBeDefined();
    expect(readdirSync(join(store.folder, 'names'))).toHaveLength(1);
  });

  test('what has no name any more, once no run can have it', async () => {
    await store.add(tool(), image);
    await store.names.remove('tools:1');
    expect(await collectRoots(store.folder)).toEqual([]);
    age(join(store.folder, ID, 'note.json'), 2);
    expect(await collectRoots(store.folder)).toEqual([ID]);
  });

  test('what was left half-made, never what is in the making', async () => {
    await store.add(tool(), image);
    for (const name of ['.new-old', '.new-young', '.old-old']) writeFileSync(join(store.folder, name), '');
    age(join(store.folder, '.new-old'), 2);
    age(join(store.folder, '.old-old'), 2);
    await collectRoots(store.folder);
    expect(readdirSync(store.folder).sort()).toEqual(['.new-young', ID, 'names']);
  });

  test('nothing from a store that is not there, and no use marks as idle', async () => {
    expect(await collectRoots(join(work.path, 'none'))).toEqual([]);
    await store.add(tool(), image);
    age(join(store.folder, ID, 'note.json'), 40);
    await store.find('tools:1');
    expect(await collectRoots(store.folder)).toEqual([]);
    expect(existsSync(join(store.folder, ID))).toBe(true);
  });
});
