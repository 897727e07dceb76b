import { describe, expect, test } from 'vitest';
import type { ExecResult, ProcessService } from '../../../../src/aalis.js';
import { openScopes } from '../../../../src/launcher/limits/scope.js';
import type { Limits } from '../../../../src/policy/plan.js';

const limits = { memoryBytes: 1000, pids: 9, cpus: 0 } as Limits;
const SCOPE = '/user.slice/user-1000.slice/user@1000.service/app.slice/run-r1.scope';

/** A systemd-run that answers with where the trial was put, or refuses. */
function host(answer: (args: readonly string[]) => string) {
  const calls: string[] = [];
  const process = {
    execFile: async (cmd: string, args: readonly string[]) => {
      calls.push([cmd, ...args].join(' '));
      return { stdout: answer(args) } as ExecResult;
    },
  } as unknown as ProcessService;
  return { process, calls };
}

describe('openScopes', () => {
  test('puts systemd-run before the launcher, and shows the sandbox its own scope', async () => {
    const { process } = host(() => `0::${SCOPE}\n`);
    const { prefix, mounts } = await (await openScopes(process, false)).confine('id', limits);
    expect(prefix.join(' ')).toBe(
      'systemd-run --user --slice=app.slice --scope --quiet --collect --property=MemoryMax=1000 ' +
        '--property=MemorySwapMax=0 --property=TasksMax=10 --property=OOMPolicy=continue --unit=code-sandbox-id --',
    );
    const source = '/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/code-sandbox-id.scope';
    expect(mounts).toEqual([{ source, target: '/sys/fs/cgroup', mode: 'ro' }]);
  });

  test('an older systemd knows no OOMPolicy for scopes', async () => {
    const { process, calls } = host(args => {
      if (args.join().includes('OOMPolicy')) throw new Error('Unknown assignment: OOMPolicy=continue');
      return '0::/system.slice/run-r1.scope\n';
    });
    const { prefix } = await (await openScopes(process, true)).confine('id', limits);
    expect(calls).toHaveLength(2);
    expect(prefix.join(' ')).not.toMatch(/OOMPolicy|--user/);
  });

  test('no manager: its own words', async () => {
    const { process } = host(() => {
      throw new Error('Failed to connect to bus');
    });
    await expect(openScopes(process, false)).rejects.toThrow('Failed to connect to bus');
  });
});
