import type { Limits } from '../policy/plan.js';
import type { Rlimit } from '../supervisor/frame.js';
import { OPEN_FILES } from './container.js';

/** Numbers of Linux, the same on x86-64 and arm64 (asm-generic/resource.h). */
const RLIMIT_FSIZE = 1;
const RLIMIT_CORE = 4;
const RLIMIT_NOFILE = 7;

/**
 * What a program's process starts with. RLIMIT_NPROC is not among it: it counts all processes of a uid, also those of
 * the service and of other runs; the cgroup counts this run's.
 */
export function rlimitsOf(limits: Limits): Rlimit[] {
  const both = (resource: number, value: number) => ({ resource, soft: BigInt(value), hard: BigInt(value) });
  return [
    both(RLIMIT_FSIZE, limits.fileBytes),
    both(RLIMIT_CORE, 0),
    { resource: RLIMIT_NOFILE, soft: BigInt(OPEN_FILES.soft), hard: BigInt(OPEN_FILES.hard) },
  ];
}
