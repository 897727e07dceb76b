import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, makeNamedFolder } from '../../../src/agent/make-folder.js';
import { RunDir } from '../../../src/agent/run-dir.js';
import { workspace } from '../../support/workspace.js';

test('makes what is missing, with the mode, and leaves what is there', async () => {
  using work = workspace();
  const path = join(work.path, 'a/b/c');
  await Promise.all([makeFolder(path, 0o711), makeFolder(path, 0o711)]);
  expect(statSync(join(work.path, 'a')).mode & 0o777).toBe(0o711);
  await makeFolder(path, 0o700);
  expect(statSync(path).mode & 0o777).toBe(0o711);
});

test.each([
  ['a file', 'file', /ENOTDIR/],
  ['below a file', 'file/x/y', /ENOTDIR/],
  ['a link that leads nowhere', 'link', /EEXIST/],
])('names the folder, the setting and why: %s', async (_, name, why) => {
  using work = workspace();
  writeFileSync(join(work.path, 'file'), '');
  symlinkSync('nowhere', join(work.path, 'link'));
  const failed = await makeNamedFolder(join(work.path, name), 'dataDir').catch(error => error);
  expect(failed).toMatchObject({ name: 'InvalidRequest', code: 'invalid' });
  expect(failed.message).toMatch(why);
  expect(failed.message).toContain(`/${name}" (dataDir) cannot be made`);
});

test.runIf(process.platform === 'linux')('comes to an end below /proc', async () => {
  await expect(makeNamedFolder('/proc/nonesuch/x', 'dataDir')).rejects.toThrow(/"\/proc\/nonesuch\/x" .*ENOENT/);
});

test('a run whose folder cannot be made blames dataDir, not the backend', async () => {
  using work = workspace();
  mkdirSync(join(work.path, 'data'));
  writeFileSync(join(work.path, 'data/sandbox'), '');
  const opened = new RunDir(join(work.path, 'data'), 'id').open({ uid: 0, gid: 0 });
  await expect(opened).rejects.toMatchObject({
    name: 'BackendUnavailable',
    message: expect.stringMatching(/data\/sandbox\/id".*ENOTDIR.*dataDir.*nothing ran/),
  });
});
