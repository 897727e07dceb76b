import type { Limits } from '../policy/plan.js';
import type { Rlimit } from '../supervisor/frame.js';
import { OPEN_FILES } from './container.js';

/** Numbers of Linux, the same on x86-64 and arm64 (asm-generic/resource.h). */
const RLIMIT_FSIZE = 1;
const RLIMIT_CORE = 4;
const RLIMIT_NOFILE = 7;
/**
 * No core dump fits into one byte, and where the host pipes them to a program (apport, systemd-coredump), 1 is the one
 * value for which the kernel does not start that program; 0 would start it (do_coredump in fs/coredump.c).
 */
export const NO_CORE = 1;

/**
 * What a program's process starts with. RLIMIT_NPROC is not among it: it counts all processes of a uid, also those of
 * the service and of other runs; the cgroup counts this run's.
 */
export function rlimitsOf(limits: Limits): Rlimit[] {
  const both = (resource: number, value: number) => ({ resource, soft: BigInt(value), hard: BigInt(value) });
  return [
    both(RLIMIT_FSIZE, limits.fileBytes),
    both(RLIMIT_CORE, NO_CORE),
    { resource: RLIMIT_NOFILE, soft: BigInt(OPEN_FILES.soft), hard: BigInt(OPEN_FILES.hard) },
  ];
}
