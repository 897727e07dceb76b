import { cpus } from 'node:os';
import type { Limits } from '../policy/plan.js';
import type { Config } from './schema.js';

const MiB = 1024 * 1024;

/** The configured limits in bytes and milliseconds. */
export function limitsOf(config: Config): Limits {
  const { limits } = config;
  return {
    timeoutMs: Math.min(limits.timeoutMs, limits.maxTimeoutMs),
    memoryBytes: limits.memoryMiB * MiB,
    pids: limits.pids,
    tmpBytes: limits.tmpMiB * MiB,
    shmBytes: limits.shmMiB * MiB,
    outputBytes: limits.outputMiB * MiB,
    fileBytes: limits.fileMiB * MiB,
    diskFloorBytes: limits.diskFloorMiB * MiB,
    // Docker refuses more than there are.
    cpus: limits.cpus && Math.min(limits.cpus, cpus().length),
  };
}
