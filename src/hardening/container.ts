import type { Mount, Plan } from '../policy/plan.js';
import { privateTmpfs } from './tmpfs.js';

/** Where the folder with the supervisor is mounted in every sandbox. */
export const SUPERVISOR_DIR = '/.sandbox';
/** The supervisor as PID 1 sees itself. */
export const SUPERVISOR = `${SUPERVISOR_DIR}/supervisor`;
/** Host name of every sandbox. */
export const HOSTNAME = 'sandbox';
/** Descriptors a program may hold; below the hard limit of small hosts, above what build tools need. */
export const OPEN_FILES = { soft: 1024, hard: 4096 } as const;
/** What Docker and Podman make read-only in /proc by themselves. A list of ours replaces theirs, so it holds them. */
export const READONLY_PATHS = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'] as const;
/** What Docker and Podman hide by themselves; likewise. */
export const MASKED_PATHS = [
  ...['acpi', 'asound', 'interrupts', 'kcore', 'keys', 'latency_stats', 'sched_debug', 'scsi', 'timer_list'],
  'timer_stats',
]
  .map(name => `/proc/${name}`)
  .concat('/sys/dev/block', '/sys/devices/virtual/powercap', '/sys/firmware');
const CGROUPS = '/sys/fs/cgroup';

/**
 * Whether the whole of /proc is read-only inside: the host's root owns its entries, and their modes are one for all
 * instances of /proc. Without any capability, uid 0 could change them for the host and for later runs (measured).
 */
export function closesProc(uid: number): boolean {
  return uid === 0;
}

/**
 * Paths of /proc and /sys that are hidden or read-only inside.
 * @param uid that code runs as, in the host's ids
 */
export function closedPaths(view: CgroupView, uid: number): { masked: string[]; readOnly: string[] } {
  // With /proc itself crun makes the covers over hidden folders writable (measured), so they are named as well.
  const proc = closesProc(uid) ? ['/proc', ...MASKED_PATHS.filter(path => path.startsWith('/proc/'))] : READONLY_PATHS;
  return {
    masked: [...MASKED_PATHS, ...(view === 'hidden' ? [CGROUPS] : [])],
    readOnly: [...proc, ...(view === 'read-only' ? [CGROUPS] : [])],
  };
}

/** A tmpfs of a sandbox: what code may write, or a read-only cover over what it must not. */
export interface Tmpfs {
  target: string;
  bytes: number;
  mode: number;
  writable: boolean;
  exec: boolean;
  devices: boolean;
}

/**
 * Every tmpfs of a container. Under a read-only root some places stay writable and are covered:
 * - /dev/mqueue, a file system of its own;
 * - /dev, a tmpfs that belongs to uid 0: code that is uid 0, even without capabilities, could write there (measured);
 * - the image's VOLUMEs, which Docker makes anonymous volumes on its disk (measured: writable).
 */
export function tmpfsOf(plan: Plan, volumes: readonly string[], insideUid: number): Tmpfs[] {
  const cover = (target: string, devices = false): Tmpfs => {
    return { target, bytes: 65_536, mode: 0o755, writable: false, exec: false, devices };
  };
  const taken = new Set([...plan.mounts, ...plan.root.mounts].map(mount => mount.target));
  const covers = [
    ...(insideUid === 0 ? [cover('/dev', true)] : []),
    cover('/dev/mqueue'),
    ...volumes.map(v => cover(v)),
  ];
  const own = privateTmpfs(plan.limits).map(({ target, bytes, mode }) => {
    return { target, bytes, mode, writable: true, exec: target === '/tmp', devices: false };
  });
  for (const { target } of own) taken.add(target);
  return [...covers.filter(({ target }) => !taken.has(target)), ...own];
}

/** Files of /etc that engines copy from the host: ours say nothing about it. */
export function etcMounts(etcDir: string, network: Plan['network']): Mount[] {
  const names = network === 'deny' ? ['hosts', 'hostname', 'resolv.conf'] : ['hosts', 'hostname'];
  return names.map(name => ({ source: `${etcDir}/${name}`, target: `/etc/${name}`, mode: 'ro' as const }));
}

/** The folder with the supervisor, as a mount. */
export function supervisorMount(supervisorDir: string): Mount {
  return { source: supervisorDir, target: SUPERVISOR_DIR, mode: 'ro' };
}

/** How the cgroup tree shows inside. */
export type CgroupView = 'as-mounted' | 'read-only' | 'hidden';

/**
 * Engines mount cgroup v1 over a tmpfs that stays writable: for uid 0 with runc, for everybody with crun (both measured;
 * with crun and uid 0 the controllers' own files, too). On cgroup v2 the tree is one read-only mount.
 * @param canBeReadOnly the engine can make one more path read-only; else it has to be hidden
 */
export function cgroupView(version: number, runtime: string, insideUid: number, canBeReadOnly: boolean): CgroupView {
  if (version !== 1) return 'as-mounted';
  if (runtime !== 'runc') return 'hidden';
  if (insideUid !== 0) return 'as-mounted';
  return canBeReadOnly ? 'read-only' : 'hidden';
}
