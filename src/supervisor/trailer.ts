/** What ended the program, in the supervisor's words. */
export type TrailerKind =
  | 'exited'
  | 'deadline'
  | 'owner-gone'
  | 'exec-failed'
  | 'bad-frame'
  | 'mount-mismatch'
  | 'setup-failed';

/** The supervisor's closing word about a run. */
export interface Trailer {
  kind: TrailerKind;
  /** Exit code of the program, when it exited by itself. */
  code: number | null;
  /** Signal number that ended the program, else null. */
  signal: number | null;
  /** Kernel's errno where a step failed, else 0. */
  errno: number;
  /** Which step (`setup-failed`, `bad-frame`) or which mount (`mount-mismatch`, index into the frame's list). */
  detail: number;
  /** Out-of-memory kills in the sandbox's cgroup since the frame arrived; null when the kernel does not tell. */
  oomKills: number | null;
  peakMemoryBytes: number | null;
  userMicros: number;
  systemMicros: number;
  /** From fork to end, in microseconds. */
  wallMicros: number;
}
