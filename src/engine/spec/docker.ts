import type { ContainerCreateOptions } from 'dockerode';
import {
  closedPaths,
  etcMounts,
  HOSTNAME,
  SUPERVISOR,
  supervisorMount,
  type Tmpfs,
  tmpfsOf,
} from '../../hardening/container.js';
import type { Mount } from '../../policy/plan.js';
import { InvalidRequest } from '../../sandbox/errors.js';
import { type ContainerInput, cgroupViewOf, insideUidOf, NO_ENGINE_PROFILE } from './input.js';

/**
 * Create options for Docker's API: everything a sandbox is, in one place.
 * Source of the names: Docker Engine API 1.41, ContainerCreate.
 */
export function dockerSpec(input: ContainerInput): ContainerCreateOptions {
  const { plan, image } = input;
  const { limits, user } = plan;
  const deny = plan.network === 'deny';
  const closed = closedPaths(cgroupViewOf(input), user.uid);
  return {
    Image: image.id,
    Entrypoint: [SUPERVISOR],
    Cmd: [String(input.idleSeconds)],
    // Untested: no rootless Docker was at hand.
    User: input.rootless ? '0:0' : `${user.uid}:${user.gid}`,
    WorkingDir: '/',
    // A name without a value takes the image's variable away.
    Env: image.env.map(entry => entry.split('=', 1)[0]!),
    Labels: input.labels,
    Hostname: HOSTNAME,
    Healthcheck: { Test: ['NONE'] },
    OpenStdin: true,
    // The supervisor sees the end of its stdin when this process goes away.
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    // Without it `none` costs a hook that takes 90 ms on Docker before 28; both, so that neither alone must be right.
    NetworkDisabled: deny,
    HostConfig: {
      NetworkMode: deny ? 'none' : input.network,
      Mounts: [
        ...plan.root.mounts,
        supervisorMount(input.supervisorDir),
        ...etcMounts(input.etcDir, plan.network),
        ...(input.relabel ? [] : plan.mounts),
      ].map(toMount),
      // Only this older form can relabel; it cannot carry a colon.
      Binds: input.relabel ? plan.mounts.map(mount => toBind(mount, input.relabel!)) : [],
      Tmpfs: Object.fromEntries(
        tmpfsOf(plan, image.volumes, insideUidOf(input)).map(tmpfs => [tmpfs.target, options(tmpfs)]),
      ),
      MaskedPaths: closed.masked,
      ReadonlyPaths: closed.readOnly,
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', `seccomp=${NO_ENGINE_PROFILE}`],
      GroupAdd: input.rootless ? [] : user.groups.map(String),
      IpcMode: 'private',
      // The supervisor reads its own counters from a private view of the cgroup tree.
      CgroupnsMode: 'private',
      Init: false,
      Memory: limits.memoryBytes,
      // Memory and swap together: the same value leaves no swap.
      MemorySwap: limits.memoryBytes,
      PidsLimit: limits.pids,
      ...(limits.cpus > 0 ? { NanoCpus: Math.round(limits.cpus * 1e9) } : {}),
      Ulimits: input.ulimits.map(({ type, soft, hard }) => ({ Name: type, Soft: soft, Hard: hard })),
      LogConfig: { Type: 'none', Config: {} },
      RestartPolicy: { Name: 'no' },
      AutoRemove: false,
      ...(plan.runtime ? { Runtime: plan.runtime } : {}),
    },
  } as ContainerCreateOptions;
}

function toMount(mount: Mount) {
  return {
    Type: 'bind' as const,
    Source: mount.source,
    Target: mount.target,
    ReadOnly: mount.mode === 'ro',
    // A read-only bind does not cover what is mounted below it; without recursion nothing below comes along.
    BindOptions: { Propagation: 'rprivate' as const, NonRecursive: mount.mode === 'ro' },
  };
}

function toBind({ source, target, mode }: Mount, relabel: 'z' | 'Z'): string {
  if (source.includes(':')) {
    throw new InvalidRequest(
      `Docker cannot relabel ${source} for SELinux, since its name has a colon. Rename it.`,
      'refused',
    );
  }
  return `${source}:${target}:${mode},rprivate,${relabel}`;
}

function options(tmpfs: Tmpfs): string {
  const words = [
    tmpfs.writable ? 'rw' : 'ro',
    tmpfs.exec ? 'exec' : 'noexec',
    tmpfs.devices ? 'dev' : 'nodev',
    'nosuid',
  ];
  return [...words, `mode=${tmpfs.mode.toString(8)}`, `size=${tmpfs.bytes}`].join(',');
}
