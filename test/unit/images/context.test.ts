import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import { expect, test } from 'vitest';
import { digestContext, packContext, readContext } from '../../../src/images/context.js';
import { workspace } from '../../support/workspace.js';

function fill(folder: string, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

const pathsOf = async (folder: string) => (await readContext(folder)).map(({ path }) => path);

test('what an ignore file lists stays out; Podman’s name goes first', async () => {
  using work = workspace();
  fill(work.path, { Containerfile: 'x', 'a.log': '', 'src/b.log': '', 'src/keep.log': '', '.git/HEAD': '' });
  fill(work.path, { '.dockerignore': '**/*.log\n!src/keep.log\n.git\n' });
  expect(await pathsOf(work.path)).toEqual(['.dockerignore', 'Containerfile', 'src', 'src/keep.log']);
  fill(work.path, { '.containerignore': 'src\n.*\n*.log' });
  expect(await pathsOf(work.path)).toEqual(['Containerfile']);
});

test('the archive and the digest follow from names, modes and contents only', async () => {
  using one = workspace();
  using two = workspace();
  for (const { path } of [one, two]) {
    fill(path, { Containerfile: 'FROM x\n', 'bin/run': '#!/bin/sh\n' });
    chmodSync(join(path, 'bin/run'), 0o755);
    symlinkSync('bin/run', join(path, 'link'));
  }
  utimesSync(join(two.path, 'Containerfile'), 1, 1);
  chmodSync(join(two.path, 'Containerfile'), 0o600);
  const [first, second] = [await readContext(one.path), await readContext(two.path)];
  expect(await digestContext(first)).toBe(await digestContext(second));
  const archive = await buffer(packContext(first));
  expect(archive.equals(await buffer(packContext(second)))).toBe(true);

  const unpacked = extract();
  unpacked.end(archive);
  const headers = [];
  for await (const entry of unpacked) {
    headers.push([entry.header.name, entry.header.type, entry.header.mode, entry.header.linkname]);
    entry.resume();
  }
  expect(headers).toEqual([
    ['Containerfile', 'file', 0o644, null],
    ['bin/', 'directory', 0o755, null],
    ['bin/run', 'file', 0o755, null],
    ['link', 'symlink', 0o777, 'bin/run'],
  ]);

  writeFileSync(join(two.path, 'bin/run'), '#!/bin/sh\necho\n');
  expect(await digestContext(await readContext(two.path))).not.toBe(await digestContext(first));
});

test.each([['/etc/passwd'], ['../outside'], ['sub/../../outside'], ['..']])(
  'a link out of the context, to %s, is refused',
  async to => {
    using work = workspace();
    symlinkSync(to, join(work.path, 'link'));
    await expect(readContext(work.path)).rejects.toThrow(
      `${work.path}/link is a link out of the build's context, to ${to}`,
    );
  },
);

test('a link within the context may go up', async () => {
  using work = workspace();
  fill(work.path, { 'a/file': '' });
  mkdirSync(join(work.path, 'b'));
  symlinkSync('../a/file', join(work.path, 'b/link'));
  expect(await pathsOf(work.path)).toContain('b/link');
});

test('a pipe is refused by name', async () => {
  using work = workspace();
  execFileSync('mkfifo', [join(work.path, 'pipe')]);
  await expect(readContext(work.path)).rejects.toThrow(`${work.path}/pipe is neither a file, a folder nor a link`);
});

test('a file that vanishes while it is packed breaks the archive off', async () => {
  using work = workspace();
  fill(work.path, { a: 'x' });
  const entries = await readContext(work.path);
  const gone = entries.map(entry => ({ ...entry, source: join(work.path, 'gone') }));
  await expect(buffer(packContext(gone))).rejects.toThrow('ENOENT');
});
