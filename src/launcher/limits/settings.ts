import type { Limits } from '../../policy/plan.js';
import type { Controller } from './hierarchy.js';

const PERIOD_US = 100_000;

/** One file of a cgroup and what is written to it. */
export interface Setting {
  file: string;
  value: string;
  /** The kernel may lack the file (no accounting of swap); the probe tells whether that matters. */
  optional?: boolean;
}

/** What a controller of cgroup v1 is told. */
export function settingsV1(controller: Controller, { memoryBytes, pids, cpus }: Limits): Setting[] {
  switch (controller) {
    case 'memory':
      return [
        { file: 'memory.limit_in_bytes', value: String(memoryBytes) },
        // Memory and swap together; it cannot be below the limit of memory alone, so it comes second.
        { file: 'memory.memsw.limit_in_bytes', value: String(memoryBytes), optional: true },
      ];
    case 'pids':
      return [{ file: 'pids.max', value: String(pids) }];
    case 'cpu':
      return cpus > 0 ? [{ file: 'cpu.cfs_quota_us', value: String(Math.round(cpus * PERIOD_US)) }] : [];
  }
}

/** What a cgroup of version 2 is told. */
export function settingsV2({ memoryBytes, pids, cpus }: Limits): Setting[] {
  return [
    { file: 'memory.max', value: String(memoryBytes) },
    { file: 'memory.swap.max', value: '0', optional: true },
    { file: 'pids.max', value: String(pids) },
    ...(cpus > 0 ? [{ file: 'cpu.max', value: `${Math.round(cpus * PERIOD_US)} ${PERIOD_US}` }] : []),
  ];
}

/** The same as properties of a systemd scope. @param extra processes in it that are not the sandbox's own */
export function scopeProperties({ memoryBytes, pids, cpus }: Limits, extra: number): string[] {
  return [
    `MemoryMax=${memoryBytes}`,
    'MemorySwapMax=0',
    `TasksMax=${pids + extra}`,
    ...(cpus > 0 ? [`CPUQuota=${Math.round(cpus * 100)}%`] : []),
  ];
}
