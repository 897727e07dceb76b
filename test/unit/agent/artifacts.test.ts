import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collect } from '../../../src/agent/artifacts.js';

const BOUNDS = { maxFiles: 32, maxBytes: 1 << 20 };
let home: string;
let from: string;
let to: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'artifacts-'));
  from = join(home, 'from');
  to = join(home, 'to');
  mkdirSync(from);
});
afterEach(() => rmSync(home, { recursive: true }));

test('files in folders, in the order of their names, with the bounds of both kinds', async () => {
  for (const name of ['c', 'a', 'b']) writeFileSync(join(from, name), name.repeat(4));
  expect((await collect(from, to, { maxFiles: 2, maxBytes: 100 })).artifacts.map(({ path }) => path)).toEqual([
    'a',
    'b',
  ]);
  rmSync(to, { recursive: true });
  const { artifacts, omitted } = await collect(from, to, { maxFiles: 9, maxBytes: 9 });
  expect(artifacts.map(({ path, size }) => [path, size])).toEqual([
    ['a', 4],
    ['b', 4],
  ]);
  expect(omitted).toEqual([{ path: '"c"', reason: 'has 4 bytes; of 9, 1 were left' }]);
});

test('a sparse file of 10 TB is left alone', async () => {
  writeFileSync(join(from, 'sparse'), '');
  truncateSync(join(from, 'sparse'), 10e12);
  expect(await collect(from, to, BOUNDS)).toMatchObject({ artifacts: [], omitted: [{ path: '"sparse"' }] });
});

test('nothing is made where nothing is kept', async () => {
  expect(await collect(join(home, 'none'), to, BOUNDS)).toMatchObject({ artifacts: [], omitted: [] });
  expect(await collect(from, to, BOUNDS)).toMatchObject({ artifacts: [], omitted: [] });
  expect(readdirSync(home)).toEqual(['from']);
});

test('names that become the same get numbers, and none leads out', async () => {
  for (const name of ['a:b', 'a*b', 'A?B', '..', '...', '-rf', '.hidden', ' ']) {
    if (name !== '..') writeFileSync(join(from, name), name);
  }
  const { artifacts } = await collect(from, to, BOUNDS);
  expect(artifacts.map(({ path }) => path).toSorted()).toEqual(
    ['A_B', 'a_b-2', 'a_b-3', '_', '___', '_hidden', '_rf'].toSorted(),
  );
  for (const { file, size } of artifacts) expect(readFileSync(file)).toHaveLength(size);
});

test('a device is not read', async () => {
  if (process.getuid!() !== 0) return;
  execFileSync('mknod', [join(from, 'zero'), 'c', '1', '5']);
  expect(await collect(from, to, BOUNDS)).toMatchObject({
    artifacts: [],
    omitted: [{ reason: 'is not a plain file' }],
  });
});

test('a folder that is swapped for a link, again and again, never leads out', { timeout: 30_000 }, async () => {
  const outside = join(home, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'secret');
  const inner = join(from, 'inner');
  mkdirSync(inner);
  for (let i = 0; i < 20; i++) writeFileSync(join(inner, `${i}`), 'mine');
  writeFileSync(join(inner, 'secret'), 'mine');
  let over = false;
  const swapping = (async () => {
    while (!over) {
      renameSync(inner, join(home, 'aside'));
      symlinkSync(outside, inner);
      await new Promise(resolve => setImmediate(resolve));
      unlinkSync(inner);
      renameSync(join(home, 'aside'), inner);
      await new Promise(resolve => setImmediate(resolve));
    }
  })();
  let kept = 0;
  for (let round = 0; round < 200; round++) {
    const { artifacts } = await collect(from, join(home, `to-${round}`), BOUNDS);
    for (const { file } of artifacts) expect(readFileSync(file, 'utf8')).toBe('mine');
    kept += artifacts.length;
  }
  over = true;
  await swapping;
  expect(kept).toBeGreaterThan(0);
});
