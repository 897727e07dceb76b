import { closesProc, SUPERVISOR_DIR } from '../hardening/container.js';
import { hasOwnKernel } from '../hardening/runtimes.js';
import { privateTmpfs } from '../hardening/tmpfs.js';
import type { Plan } from '../policy/plan.js';
import { isWithin } from '../policy/walk.js';

/** One mount that may be in a sandbox. What /proc/self/mountinfo shows and nothing expects is a failure. */
export interface ExpectedMount {
  /** Absolute path inside. */
  target: string;
  /** `any`: the mount's own flag tells nothing (a device node, /proc); it must take no writes all the same. */
  mode: 'ro' | 'rw' | 'any';
  /** File system types it may have; absent: any. */
  types?: readonly string[];
  /** It may be missing. */
  optional?: boolean;
  /** Whatever is mounted below it is expected as well, in the same mode. */
  under?: boolean;
  /** Largest size in bytes, for a private tmpfs. */
  maxBytes?: number;
}

const maybe = (target: string, mode: ExpectedMount['mode'], types?: readonly string[]): ExpectedMount => {
  return { target, mode, optional: true, ...(types ? { types } : {}) };
};

/** Empty folders and /dev/null that hide parts of /proc and /sys, or read-only views of them. */
const MASKS = [
  ...['acpi', 'asound', 'bus', 'fs', 'interrupts', 'irq', 'kcore', 'keys', 'latency_stats', 'sched_debug', 'scsi'],
  ...['sys', 'sysrq-trigger', 'timer_list', 'timer_stats'],
].map(name => maybe(`/proc/${name}`, 'any', ['proc', 'tmpfs', 'devtmpfs']));

const DEVICES = ['full', 'null', 'random', 'tty', 'urandom', 'zero', 'console', 'ptmx'].map(name =>
  maybe(`/dev/${name}`, 'any', ['tmpfs', 'devtmpfs', 'devpts']),
);

/** What OCI runtimes add to a plan's mounts by themselves. */
export const ociMounts: readonly ExpectedMount[] = [
  { target: '/proc', mode: 'any', types: ['proc'] },
  { target: '/dev', mode: 'any', types: ['tmpfs'] },
  maybe('/dev/pts', 'any', ['devpts']),
  maybe('/dev/mqueue', 'any', ['mqueue', 'tmpfs']),
  maybe('/sys', 'ro', ['sysfs', 'tmpfs']),
  { ...maybe('/sys/fs/cgroup', 'any', ['tmpfs', 'cgroup', 'cgroup2']), under: true },
  ...['/sys/firmware', '/sys/fs/selinux', '/sys/dev/block', '/sys/dev', '/sys/devices/virtual/powercap'].map(target =>
    maybe(target, 'ro'),
  ),
  ...['/etc/hosts', '/etc/hostname', '/etc/resolv.conf'].map(target => maybe(target, 'ro')),
  maybe('/run/.containerenv', 'ro'),
  ...MASKS,
  ...DEVICES,
];

/** What bubblewrap adds by itself, or the launcher for it. */
export const bwrapMounts: readonly ExpectedMount[] = [
  { target: '/proc', mode: 'any', types: ['proc'] },
  { target: '/dev', mode: 'any', types: ['tmpfs'] },
  maybe('/dev/pts', 'any', ['devpts']),
  // The sandbox's own counters.
  ...['/sys/fs/cgroup', '/sys/fs/cgroup/memory'].map(target => maybe(target, 'ro', ['cgroup', 'cgroup2'])),
  ...['passwd', 'group', 'hosts', 'hostname', 'nsswitch.conf', 'resolv.conf'].map(name => maybe(`/etc/${name}`, 'ro')),
  ...['/proc/sys/kernel', '/proc/sys/fs/mqueue'].map(target => maybe(target, 'ro', ['proc'])),
  ...MASKS,
  ...DEVICES,
];

/**
 * All that a sandbox of this plan may show. A later entry for a target replaces an earlier one.
 * @param added What the backend adds: {@link ociMounts} or {@link bwrapMounts}, and whatever it covers.
 */
export function expectMounts(plan: Plan, added: readonly ExpectedMount[]): ExpectedMount[] {
  const own: ExpectedMount[] = [
    { target: '/', mode: 'ro' },
    ...added,
    ...(closesProc(plan.user.uid) && !hasOwnKernel(plan.runtime ?? '')
      ? [{ target: '/proc', mode: 'ro' as const, types: ['proc'] }]
      : []),
    { target: SUPERVISOR_DIR, mode: 'ro' },
    ...privateTmpfs(plan.limits).map(({ target, bytes }): ExpectedMount => {
      return { target, mode: 'rw', types: ['tmpfs'], maxBytes: bytes };
    }),
    ...[...plan.root.mounts, ...plan.mounts].map(({ target, mode }) => ({ target, mode })),
  ];
  return [...new Map(own.map(mount => [mount.target, mount])).values()];
}

/** The expected mount that a path lies on. */
export function expectedAt(mounts: readonly ExpectedMount[], path: string): ExpectedMount | undefined {
  return mounts
    .filter(mount => isWithin(path, mount.target))
    .reduce<ExpectedMount | undefined>((best, mount) => {
      return best && best.target.length >= mount.target.length ? best : mount;
    }, undefined);
}
