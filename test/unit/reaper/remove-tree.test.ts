import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeTree } from '../../../src/reaper/remove-tree.js';
import { workspace } from '../../support/workspace.js';

const fill = (path: string, code: string) =>
  execFileSync('python3', ['-c', `import os\nos.chdir(${JSON.stringify(path)})\n${code}`]);

test('deep, wide, closed, and with names that are no UTF-8', { timeout: 60_000 }, async () => {
  using work = workspace();
  const { path } = work;
  fill(
    path,
    `for i in range(5000): os.close(os.open(b'\\xff%d' % i, os.O_CREAT))
for i in range(300): os.makedirs('w%d/x/y' % i)
os.mkdir('shut'); open('shut/x', 'w'); os.mkdir('shut/in'); os.chmod('shut/in', 0); os.chmod('shut', 0)
for i in range(2000): os.mkdir('d' * 200); os.chdir('d' * 200)`,
  );
  await removeTree(path);
  expect(existsSync(path)).toBe(false);
});

test('links go, and what they lead to stays', async () => {
  using work = workspace();
  const [path, other] = [join(work.path, 'path'), join(work.path, 'other')];
  for (const folder of [path, other]) mkdirSync(folder);
  writeFileSync(join(other, 'stays'), '');
  symlinkSync(other, join(path, 'link'));
  await removeTree(path);
  expect(existsSync(path)).toBe(false);
  expect(readdirSync(other)).toEqual(['stays']);
});

test('nothing there is fine', async () => {
  using work = workspace();
  await removeTree(join(work.path, 'none'));
});
