import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const read = (path: string) => readFileSync(path, 'utf8').trim();

/** What the other suites rely on, and most users have. */
describe('the host is what it is meant to be', () => {
  test('cgroup v2 with systemd, swap in use, AppArmor on', () => {
    expect(execFileSync('stat', ['-f', '-c', '%T', '/sys/fs/cgroup']).toString().trim()).toBe('cgroup2fs');
    expect(read('/proc/1/comm')).toBe('systemd');
    expect(read('/proc/swaps').split('\n')).toHaveLength(2);
    expect(read('/sys/module/apparmor/parameters/enabled')).toBe('Y');
  });

  test.skipIf(process.getuid!() === 0)('a user’s own systemd has all controllers that limits need', () => {
    const own = `/sys/fs/cgroup/user.slice/user-${process.getuid!()}.slice/user@${process.getuid!()}.service`;
    expect(read(`${own}/cgroup.controllers`).split(' ')).toEqual(expect.arrayContaining(['cpu', 'memory', 'pids']));
    expect(
      execFileSync('loginctl', ['show-user', '--property=Linger', '--value', String(process.getuid!())]).toString(),
    ).toBe('yes\n');
  });
});
