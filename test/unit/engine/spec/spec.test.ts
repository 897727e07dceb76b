import { describe, expect, test } from 'vitest';
import { dockerSpec } from '../../../../src/engine/spec/docker.js';
import type { ContainerInput } from '../../../../src/engine/spec/input.js';
import { podmanSpec } from '../../../../src/engine/spec/podman.js';
import { DEFAULT_LIMITS, planWith } from './plan.js';

function input(part: Partial<ContainerInput> = {}): ContainerInput {
  return {
    engine: 'docker',
    plan: planWith({}),
    name: 'code-sandbox-a-b',
    labels: { 'code-sandbox.managed': 'true' },
    image: { id: 'sha256:1', env: ['SECRET=x', 'PATH=/bin'], volumes: ['/data'] },
    supervisorDir: '/pkg/init/bin/x64',
    etcDir: '/pkg/init/etc',
    rootless: false,
    cgroupVersion: 2,
    runtime: 'runc',
    ulimits: [{ type: 'nofile', soft: 1024, hard: 4096 }],
    idleSeconds: 120,
    ...part,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: create options are looked at as data
const docker = (part?: Partial<ContainerInput>): any => dockerSpec(input({ engine: 'docker', ...part }));
// biome-ignore lint/suspicious/noExplicitAny: likewise
const podman = (part?: Partial<ContainerInput>): any => podmanSpec(input({ engine: 'podman', ...part }));

const asRoot = planWith({ user: { uid: 0, gid: 0, groups: [] } });

describe('Docker', () => {
  test('the whole of a container, as data', () => {
    expect(docker()).toMatchSnapshot();
  });
  test('rootless: uid 0 inside is the caller, whose tmpfs are closed likewise, and no groups come along', () => {
    const plan = planWith({ user: { uid: 1000, gid: 1000, groups: [44] } });
    const rootless = docker({ plan, rootless: true });
    expect(rootless).toMatchObject({ User: '0:0', HostConfig: { GroupAdd: [] } });
    expect(Object.keys(rootless.HostConfig.Tmpfs)).toEqual(Object.keys(docker({ plan: asRoot }).HostConfig.Tmpfs));
    expect(docker({ plan })).toMatchObject({ User: '1000:1000', HostConfig: { GroupAdd: ['44'] } });
  });
  test('no network means no interface and no driver', () => {
    expect(docker()).toMatchObject({ NetworkDisabled: true, HostConfig: { NetworkMode: 'none' } });
    const open = docker({ plan: planWith({ network: 'allow' }), network: 'own' });
    expect(open).toMatchObject({ NetworkDisabled: false, HostConfig: { NetworkMode: 'own' } });
  });
  test('every variable of the image is taken away by name', () => {
    expect(docker().Env).toEqual(['SECRET', 'PATH']);
  });
  test('swap is part of the memory limit', () => {
    const { Memory, MemorySwap } = docker().HostConfig;
    expect([Memory, MemorySwap]).toEqual([DEFAULT_LIMITS.memoryBytes, DEFAULT_LIMITS.memoryBytes]);
  });
  test('the image’s volumes are covered, a policy folder at that place is not', () => {
    expect(docker().HostConfig.Tmpfs['/data']).toMatch(/^ro,/);
    const mount = { source: '/srv/data', target: '/data', mode: 'rw' as const };
    expect(docker({ plan: planWith({ mounts: [mount] }) }).HostConfig.Tmpfs).not.toHaveProperty('/data');
  });
  test('uid 0 gets no /dev to write to, and no writable cgroup tree on cgroup v1', () => {
    expect(docker().HostConfig.Tmpfs).not.toHaveProperty('/dev');
    expect(docker({ plan: asRoot }).HostConfig.Tmpfs['/dev']).toMatch(/^ro,noexec,dev,/);
    expect(docker({ plan: asRoot }).HostConfig.ReadonlyPaths).not.toContain('/sys/fs/cgroup');
    expect(docker({ plan: asRoot, cgroupVersion: 1 }).HostConfig.ReadonlyPaths).toContain('/sys/fs/cgroup');
    expect(docker({ cgroupVersion: 1 }).HostConfig.ReadonlyPaths).not.toContain('/sys/fs/cgroup');
    expect(docker({ cgroupVersion: 1, runtime: 'crun' }).HostConfig.MaskedPaths).toContain('/sys/fs/cgroup');
  });
  test('SELinux: only policy folders are relabelled, and only on request; a colon cannot be', () => {
    expect(docker().HostConfig.Binds).toEqual([]);
    const { Binds, Mounts } = docker({ relabel: 'z' }).HostConfig;
    expect(Binds).toEqual(['/srv/in:/srv/in:ro,rprivate,z', '/srv/out:/srv/out:rw,rprivate,z']);
    expect(Mounts.map((mount: { Target: string }) => mount.Target)).not.toContain('/srv/in');
    const colon = planWith({ mounts: [{ source: '/a:b', target: '/a:b', mode: 'ro' }] });
    expect(() => docker({ relabel: 'Z', plan: colon })).toThrow(/cannot relabel \/a:b/);
  });
  test('a runtime and CPUs only where they are asked for', () => {
    expect(docker().HostConfig).not.toHaveProperty('Runtime');
    const plan = planWith({ runtime: 'runsc', limits: { ...DEFAULT_LIMITS, cpus: 1.5 } });
    expect(docker({ plan }).HostConfig).toMatchObject({ Runtime: 'runsc', NanoCpus: 1_500_000_000 });
  });
});

describe('Podman', () => {
  test('the whole of a container, as data', () => {
    expect(podman()).toMatchSnapshot();
  });
  test('rootless: uid 0 inside is the caller, and no groups come along', () => {
    const plan = planWith({ user: { uid: 1000, gid: 1000, groups: [44] } });
    expect(podman({ plan, rootless: true })).toMatchObject({ user: '0:0', groups: [] });
    expect(podman({ plan })).toMatchObject({ user: '1000:1000', groups: ['44'] });
  });
  test('SELinux: only policy folders are relabelled, and only on request', () => {
    const labelled = (spec: { mounts: Array<{ destination: string; options: string[] }> }) =>
      spec.mounts.filter(mount => mount.options.includes('Z')).map(mount => mount.destination);
    expect(labelled(podman())).toEqual([]);
    expect(labelled(podman({ relabel: 'Z' }))).toEqual(['/srv/in', '/srv/out']);
  });
  test('network: none, a bridge of the run’s own, or a stack of its own', () => {
    const plan = planWith({ network: 'allow' });
    expect(podman().netns).toEqual({ nsmode: 'none' });
    expect(podman({ plan, network: 'own' })).toMatchObject({ netns: { nsmode: 'bridge' }, Networks: { own: {} } });
    const stacked = podman({ plan, stack: { name: 'pasta', options: ['--no-map-gw'] } });
    expect(stacked).toMatchObject({ netns: { nsmode: 'pasta' }, network_options: { pasta: ['--no-map-gw'] } });
    expect(stacked).not.toHaveProperty('Networks');
  });
  test('CPUs only where they are asked for', () => {
    expect(podman().resource_limits).not.toHaveProperty('cpu');
    const plan = planWith({ limits: { ...DEFAULT_LIMITS, cpus: 1.5 } });
    expect(podman({ plan }).resource_limits.cpu).toEqual({ period: 100_000, quota: 150_000 });
  });
  test('uid 0 inside gets no /dev to write to, but terminals; no cgroup tree on cgroup v1', () => {
    const targets = (spec: { mounts: Array<{ destination: string }> }) => spec.mounts.map(mount => mount.destination);
    expect(targets(podman())).not.toContain('/dev');
    expect(targets(podman({ rootless: true }))).toEqual(expect.arrayContaining(['/dev', '/dev/pts', '/dev/mqueue']));
    expect(podman({ plan: asRoot, cgroupVersion: 1 }).mask).toContain('/sys/fs/cgroup');
    expect(podman({ cgroupVersion: 1, runtime: 'crun' }).mask).toContain('/sys/fs/cgroup');
    expect(podman({ plan: asRoot }).mask).not.toContain('/sys/fs/cgroup');
  });
  test('ends by itself after the run’s time, whatever became of everybody else', () => {
    expect(podman().timeout).toBe(DEFAULT_LIMITS.timeoutMs / 1000 + 120 + 10);
  });
});
