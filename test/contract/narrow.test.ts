import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.js';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { configFor, targets } from '../support/targets.js';

/** The narrowest settings that the configuration takes: they bind the runs, not the probe. */
const narrow: Array<[string, ConfigInput['limits']]> = [
  ['time', { timeoutMs: 300, maxTimeoutMs: 300 }],
  ['processors', { cpus: 0.01 }],
  ['everything else', { memoryMiB: 16, pids: 4, tmpMiB: 1, shmMiB: 1, outputMiB: 1, fileMiB: 1, maxConcurrent: 1 }],
];

describe.each(targets)('narrow limits on $name', target => {
  // An ordinary user on cgroup v1 has no limit of processors, which is refused.
  test.skipIf(target.weak).each(narrow)('%s: the backend proves itself all the same', async (_, limits) => {
    await using sandbox = await createCodeSandbox(configFor(target, { limits, warm: { max: 0 } }));
    expect(sandbox.backend).not.toMatch(/^none/);
  });

  test('a program runs within the smallest of each', async () => {
    const [, , [, limits]] = narrow as [unknown, unknown, (typeof narrow)[number]];
    await using sandbox = await createCodeSandbox(configFor(target, { limits, warm: { max: 0 } }));
    const policy = { fsRead: [], fsWrite: [], network: 'deny' as const };
    expect(await sandbox.run({ cmd: 'echo', args: ['here'], policy })).toMatchObject({ code: 0, stdout: 'here\n' });
  });
});
