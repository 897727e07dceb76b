import { etcMounts, supervisorMount, type Tmpfs, tmpfsOf } from '../../hardening/container.js';
import type { Mount } from '../../policy/plan.js';
import { isWithin } from '../../policy/walk.js';
import type { RuntimeMount } from './config.js';
import type { BundleInput } from './spec.js';

const CGROUPS = '/sys/fs/cgroup';
const QUIET = ['nosuid', 'noexec', 'nodev'];

/** What Docker and Podman mount of the kernel's file systems, in their words. */
const KERNEL: RuntimeMount[] = [
  { destination: '/proc', type: 'proc', source: 'proc', options: QUIET },
  {
    destination: '/dev/pts',
    type: 'devpts',
    source: 'devpts',
    options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620'],
  },
  { destination: '/sys', type: 'sysfs', source: 'sysfs', options: [...QUIET, 'ro'] },
];

/** Every bind mount of a sandbox, apart from its part of the cgroup tree. */
export function bindsOf({ plan, supervisorDir, etcDir, resolver }: Omit<BundleInput, 'base' | 'cgroups'>): Mount[] {
  const dns: Mount[] = resolver ? [{ source: resolver, target: '/etc/resolv.conf', mode: 'ro' }] : [];
  return [
    ...plan.root.mounts,
    supervisorMount(supervisorDir),
    ...etcMounts(etcDir, plan.network),
    ...dns,
    ...plan.mounts,
  ];
}

/** All mounts of a sandbox, parents before what lies in them. */
export function mountsOf(input: BundleInput): RuntimeMount[] {
  const { plan, cgroups } = input;
  // In a user namespace every tmpfs belongs to the code's own user, as it does to uid 0 without one: all are closed.
  const tmpfs = tmpfsOf(plan, [], 0).map(toTmpfs);
  const parts = cgroups.some(({ target }) => target !== CGROUPS) ? [toTmpfs(CGROUP_FOLDER)] : [];
  const all = [...KERNEL, ...tmpfs, ...parts, ...[...bindsOf(input), ...cgroups].map(toBind)];
  return all.toSorted((a, b) => depth(a.destination) - depth(b.destination));
}

/** Whether a mount point lies in something that the runtime mounts by itself, and is made there. */
export function isInTmpfs(path: string): boolean {
  return ['/proc', '/sys', '/dev', '/tmp'].some(folder => isWithin(path, folder));
}

const CGROUP_FOLDER: Tmpfs = {
  target: CGROUPS,
  bytes: 65_536,
  mode: 0o755,
  writable: false,
  exec: false,
  devices: false,
};

function depth(path: string): number {
  return path.split('/').length;
}

function toTmpfs({ target, bytes, mode, writable, exec, devices }: Tmpfs): RuntimeMount {
  const flags = [writable ? 'rw' : 'ro', exec ? 'exec' : 'noexec', devices ? 'dev' : 'nodev', 'nosuid'];
  const options = [...flags, `mode=${mode.toString(8)}`, `size=${bytes}`];
  return { destination: target, type: 'tmpfs', source: 'tmpfs', options };
}

function toBind({ source, target, mode }: Mount): RuntimeMount {
  // A read-only bind does not cover what is mounted below it; without recursion nothing below comes along. With it, and in a
  // user namespace, crun 1.8 leaves the plain words out (measured) and takes the recursive ones, by mount_setattr(2).
  const kind = mode === 'ro' ? ['bind'] : ['rbind', 'rnosuid', 'rnodev'];
  return { destination: target, type: 'bind', source, options: [...kind, mode, 'rprivate', 'nosuid', 'nodev'] };
}
