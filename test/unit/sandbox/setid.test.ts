import { chmodSync, linkSync, mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Plan } from '../../../src/policy/plan.js';
import { stripSetIds } from '../../../src/sandbox/setid.js';
import { workspace } from '../../support/workspace.js';

function plan(source: string, part: Partial<{ uid: number; mode: 'ro' | 'rw'; inode: bigint }> = {}): Plan {
  const { uid = 0, mode = 'rw' } = part;
  const { dev, ino } = statSync(source, { bigint: true });
  const identity = { device: dev, inode: part.inode ?? ino };
  return { user: { uid, gid: 0, groups: [] }, mounts: [{ source, target: source, mode, identity }] } as unknown as Plan;
}

const bits = (path: string | Buffer) => statSync(path).mode & 0o7777;
const long = 60_000;

test('files lose the bits, wherever they are and whatever they are called; folders keep theirs', async () => {
  using work = workspace();
  const deep = join(work.path, 'a/b/c');
  mkdirSync(deep, { recursive: true });
  chmodSync(deep, 0o2755);
  const paths = [join(work.path, 'x'), join(deep, 'y'), Buffer.concat([Buffer.from(`${deep}/`), Buffer.of(0xff)])];
  for (const path of paths) {
    writeFileSync(path, '');
    chmodSync(path, 0o6755);
  }
  // What is old by its own word is not by the kernel's.
  utimesSync(paths[0]!, 0, 0);
  expect(await stripSetIds(plan(work.path), Date.now() - long)).toEqual([expect.stringContaining('left 3 files')]);
  expect(paths.map(bits)).toEqual([0o755, 0o755, 0o755]);
  expect(bits(deep)).toBe(0o2755);
  expect(await stripSetIds(plan(work.path), Date.now() - long)).toEqual([]);
});

test('what was there before, what links lead to and what was only read stays as it is', async () => {
  using work = workspace();
  using other = workspace();
  const [own, elsewhere] = [join(work.path, 'own'), join(other.path, 'elsewhere')];
  for (const path of [own, elsewhere]) {
    writeFileSync(path, '');
    chmodSync(path, 0o4755);
  }
  symlinkSync(elsewhere, join(work.path, 'file'));
  symlinkSync(other.path, join(work.path, 'folder'));
  expect(await stripSetIds(plan(work.path), Date.now() + long)).toEqual([]);
  expect(await stripSetIds(plan(work.path, { uid: 1000 }), 0)).toEqual([]);
  expect(await stripSetIds(plan(work.path, { mode: 'ro' }), 0)).toEqual([]);
  expect(bits(own)).toBe(0o4755);
  await stripSetIds(plan(work.path), 0);
  expect([bits(own), bits(elsewhere)]).toEqual([0o755, 0o4755]);
});

test('a folder that is another one now is left alone, and that is said', async () => {
  using work = workspace();
  writeFileSync(join(work.path, 'x'), '');
  chmodSync(join(work.path, 'x'), 0o4755);
  expect(await stripSetIds(plan(work.path, { inode: 1n }), 0)).toEqual([expect.stringContaining('not looked for')]);
  expect(bits(join(work.path, 'x'))).toBe(0o4755);
});

test.each([
  [
    'many entries',
    (path: string) => {
      writeFileSync(join(path, 'x'), '');
      for (let n = 0; n < 20_100; n++) linkSync(join(path, 'x'), join(path, `x${n}`));
    },
  ],
  ['many levels', (path: string) => mkdirSync(join(path, 'd/'.repeat(200)), { recursive: true })],
])('a folder with %s is given up on in bounded time, and that is said', { timeout: 120_000 }, async (_, fill) => {
  using work = workspace();
  fill(work.path);
  expect(await stripSetIds(plan(work.path), 0)).toEqual([expect.stringContaining('not looked for in all')]);
});
