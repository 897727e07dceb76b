import type { Limits } from '../policy/plan.js';

/** A folder of a sandbox that is writable, private to one run, and empty at its start. */
export interface PrivateTmpfs {
  target: '/tmp' | '/dev/shm';
  bytes: number;
  mode: number;
}

/**
 * HOME and TMPDIR of every program. HOME is /tmp itself: the one folder that is private, writable, of bounded size and
 * there on every backend; a HOME of its own would be one more tmpfs, with a size of its own.
 */
export const PRIVATE_HOME = '/tmp';

/** All that code may write besides its writable folders. Whatever else is writable in an image is covered. */
export function privateTmpfs(limits: Limits): PrivateTmpfs[] {
  return [
    { target: '/tmp', bytes: limits.tmpBytes, mode: 0o1777 },
    // POSIX shared memory and semaphores live there: multiprocessing, PyTorch, Chromium.
    { target: '/dev/shm', bytes: limits.shmBytes, mode: 0o1777 },
  ];
}
