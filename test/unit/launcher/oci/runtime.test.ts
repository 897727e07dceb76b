import { expect, test } from 'vitest';
import type { ExecResult, ProcessService } from '../../../../src/aalis.js';
import { findRuntime } from '../../../../src/launcher/oci/runtime.js';

/** A host on which `--version` answers this, or fails. */
function hostWith(answer: string | Error): ProcessService {
  return {
    spawn: () => {
      throw new Error('nothing is spawned');
    },
    execFile: async (): Promise<ExecResult> => {
      if (answer instanceof Error) throw answer;
      return { code: 0, signal: null, stdout: answer, stderr: '' };
    },
  };
}

test('finds a runtime and its version', async () => {
  const crun = await findRuntime(hostWith('crun version 1.8.1\ncommit: f8a0\nspec: 1.0.0\n'), 'crun');
  expect(crun).toMatchObject({ name: 'crun', version: '1.8.1', needsRoot: false });
  expect(crun.run('/s', '/b', 'id').join(' ')).toBe('crun --root /s --cgroup-manager=disabled run --bundle /b id');
  const runc = await findRuntime(hostWith('runc version 1.1.5+ds1\nspec: 1.0.2-dev\n'), 'runc');
  expect(runc).toMatchObject({ version: '1.1.5', needsRoot: true });
  expect(runc.remove('/s', 'id').join(' ')).toBe('runc --root /s delete --force id');
});

test.each([
  ['crun', 'crun version 0.17', /crun 0\.17 is too old; version 1\.5 or later is needed/],
  ['runc', 'runc version 1.0.3', /runc 1\.0\.3 is too old/],
  ['runc', 'no version at all', /runc 0 is too old/],
  ['crun', Object.assign(new Error('spawn crun ENOENT'), { code: 'ENOENT' }), /crun is not installed/],
  ['crun', new Error('crun exited with 127: libyajl.so.2 is missing'), /crun does not work: .*libyajl/],
  ['runsc', 'runsc version 1', /runsc is not driven directly, only crun and runc are/],
])('%s that says %s', async (name, answer, message) => {
  await expect(findRuntime(hostWith(answer), name)).rejects.toThrow(message);
  await expect(findRuntime(hostWith(answer), name)).rejects.toMatchObject({ name: 'BackendUnavailable' });
});
