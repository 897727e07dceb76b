import { etcMounts, supervisorMount, type Tmpfs, tmpfsOf } from '../../hardening/container.js';
import type { Mount, Plan } from '../../policy/plan.js';
import type { RuntimeMount } from './config.js';
import type { BundleInput } from './spec.js';

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

/** Every bind mount that a sandbox of this plan has, apart from the kernel's file systems. */
export function bindsOf(plan: Plan, places: { supervisorDir: string; etcDir: string }): Mount[] {
  const { root, mounts, network } = plan;
  return [...root.mounts, supervisorMount(places.supervisorDir), ...etcMounts(places.etcDir, network), ...mounts];
}

/** All mounts of a sandbox, parents before what lies in them. */
export function mountsOf({ plan, supervisorDir, etcDir, counters }: BundleInput): RuntimeMount[] {
  const binds = [...bindsOf(plan, { supervisorDir, etcDir }), ...counters];
  // In a user namespace every tmpfs of the runtime's belongs to the code's own user, as it does for uid 0.
  const tmpfs = tmpfsOf(plan, [], 0);
  const cgroup = counters.length > 1 ? [closed('/sys/fs/cgroup')] : [];
  const all = [...KERNEL, ...[...tmpfs, ...cgroup].map(toTmpfs), ...binds.map(toBind)];
  return all.toSorted((a, b) => depth(a.destination) - depth(b.destination));
}

function depth(path: string): number {
  return path.split('/').length;
}

function toBind({ source, target, mode }: Mount): RuntimeMount {
  // A read-only bind does not cover what is mounted below it; without recursion nothing below comes along.
  const kind = mode === 'ro' ? 'bind' : 'rbind';
  return { destination: target, type: 'bind', source, options: [kind, mode, 'rprivate', 'nosuid', 'nodev'] };
}
