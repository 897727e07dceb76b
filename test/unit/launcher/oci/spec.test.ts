import { describe, expect, test } from 'vitest';
import { MASKED_PATHS, READONLY_PATHS } from '../../../../src/hardening/container.js';
import { type BundleInput, runtimeConfig } from '../../../../src/launcher/oci/spec.js';
import type { Plan } from '../../../../src/policy/plan.js';
import { runtimeSpec } from './runtime-spec.js';

const MiB = 1024 * 1024;

const plan: Plan = {
  mounts: [
    { source: '/home/a/work', target: '/home/a/work', mode: 'rw' },
    { source: '/tmp/data', target: '/tmp/data', mode: 'ro' },
  ],
  network: 'deny',
  user: { uid: 1000, gid: 1001, groups: [2000] },
  limits: {
    timeoutMs: 1000,
    memoryBytes: 64 * MiB,
    pids: 64,
    tmpBytes: 8 * MiB,
    shmBytes: 4 * MiB,
    outputBytes: MiB,
    fileBytes: MiB,
    diskFloorBytes: 0,
    cpus: 0,
  },
  root: {
    kind: 'host',
    name: 'host',
    mounts: [{ source: '/usr/bin', target: '/usr/bin', mode: 'ro' }],
    path: ['/usr/bin'],
    env: {},
  },
};

function configOf(parts: Partial<BundleInput> = {}) {
  return runtimeConfig({
    plan,
    base: '/run/base',
    supervisorDir: '/opt/init',
    etcDir: '/opt/etc',
    cgroups: [],
    ulimits: [
      { type: 'nofile', soft: 1024, hard: 4096 },
      { type: 'core', soft: 0, hard: 0 },
    ],
    inside: { uid: 1000, gid: 1001 },
    privileged: true,
    idleSeconds: 120,
    ...parts,
  });
}

const optionsAt = (config: ReturnType<typeof configOf>, target: string) =>
  config.mounts.findLast(({ destination }) => destination === target)?.options;

describe('config.json', () => {
  test.each([
    ['of root', {}],
    ['of an ordinary user', { privileged: false }],
    ['with id 0 inside', { inside: { uid: 0, gid: 0 } }],
    ['with a network', { plan: { ...plan, network: 'allow' as const }, resolver: '/run/resolv.conf' }],
    ['with counters', { cgroups: [{ source: '/sys/fs/cgroup/x', target: '/sys/fs/cgroup', mode: 'ro' as const }] }],
  ])('%s follows the specification', (_, parts) => {
    expect(() => runtimeSpec.parse(configOf(parts))).not.toThrow();
  });

  test('no capability, no new privileges, no terminal, every namespace', () => {
    const { process, linux, root } = configOf();
    expect(Object.values(process.capabilities).flat()).toEqual([]);
    expect(process).toMatchObject({ noNewPrivileges: true, terminal: false, env: [] });
    expect(process.args).toEqual(['/.sandbox/supervisor', '120']);
    expect(linux.namespaces.map(({ type }) => type).sort()).toEqual(
      ['cgroup', 'ipc', 'mount', 'network', 'pid', 'user', 'uts'].sort(),
    );
    expect(linux.maskedPaths).toEqual(MASKED_PATHS);
    expect(linux.readonlyPaths).toEqual(READONLY_PATHS);
    expect(root.readonly).toBe(true);
  });

  test('one user of the host exists inside, and the groups that root may give', () => {
    const { process, linux } = configOf();
    expect(process.user).toEqual({ uid: 1000, gid: 1001, additionalGids: [2000] });
    expect(linux.uidMappings).toEqual([{ containerID: 1000, hostID: 1000, size: 1 }]);
    expect(linux.gidMappings).toEqual([
      { containerID: 1001, hostID: 1001, size: 1 },
      { containerID: 2000, hostID: 2000, size: 1 },
    ]);
    const own = configOf({ privileged: false, inside: { uid: 0, gid: 0 } });
    expect(own.process.user).toEqual({ uid: 0, gid: 0 });
    expect(own.linux.uidMappings).toEqual([{ containerID: 0, hostID: 1000, size: 1 }]);
    expect(own.linux.gidMappings).toEqual([{ containerID: 0, hostID: 1001, size: 1 }]);
  });

  test('what takes writes is of bounded size, the rest takes none', () => {
    const config = configOf();
    const writable = config.mounts.filter(
      ({ type, options }) => options.includes('rw') || (type === 'tmpfs' && !options.includes('ro')),
    );
    expect(writable.map(({ destination }) => destination).sort()).toEqual(['/dev/shm', '/home/a/work', '/tmp']);
    expect(optionsAt(config, '/tmp')).toContain(`size=${8 * MiB}`);
    expect(optionsAt(config, '/dev/shm')).toEqual(
      expect.arrayContaining([`size=${4 * MiB}`, 'noexec', 'nodev', 'nosuid']),
    );
    for (const target of ['/dev', '/dev/mqueue', '/sys', '/usr/bin', '/.sandbox', '/etc/hosts', '/tmp/data'])
      expect(optionsAt(config, target)).toContain('ro');
  });

  test('a read-only folder brings nothing of what is mounted in it', () => {
    const config = configOf();
    expect(optionsAt(config, '/tmp/data')).toEqual(['bind', 'ro', 'rprivate', 'nosuid', 'nodev']);
    const wide = ['rbind', 'rnosuid', 'rnodev', 'rw', 'rprivate', 'nosuid', 'nodev'];
    expect(optionsAt(config, '/home/a/work')).toEqual(wide);
  });

  test('nothing is mounted before what it lies in', () => {
    const targets = configOf().mounts.map(({ destination }) => destination);
    for (const [index, target] of targets.entries())
      for (const later of targets.slice(index + 1)) expect(target.startsWith(`${later}/`)).toBe(false);
  });

  test('the sandbox’s own part of the cgroup tree, on both versions', () => {
    const memory = { source: '/sys/fs/cgroup/memory/x', target: '/sys/fs/cgroup/memory', mode: 'ro' as const };
    const old = configOf({ cgroups: [memory] }).mounts.filter(({ destination }) => destination.startsWith('/sys/fs'));
    expect(old.map(({ type, destination }) => [type, destination])).toEqual([
      ['tmpfs', '/sys/fs/cgroup'],
      ['bind', '/sys/fs/cgroup/memory'],
    ]);
    const whole = { ...memory, target: '/sys/fs/cgroup' };
    expect(
      configOf({ cgroups: [whole] }).mounts.filter(({ destination }) => destination.startsWith('/sys/fs')),
    ).toHaveLength(1);
  });
});
