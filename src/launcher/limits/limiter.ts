import type { Limits, Mount } from '../../policy/plan.js';

/** A way to limit memory and processes of sandboxes without an engine. */
export interface Limiter {
  /** For people: what it is, or why there is none and what to do. */
  readonly label: string;
  /** Makes what one sandbox needs; the caller removes it. @param id of the sandbox */
  confine(id: string, limits: Limits): Promise<Confinement>;
  /** Removes what it made for all of them. */
  close(): Promise<void>;
}

/** The limits of one sandbox. */
export interface Confinement {
  /** Goes before the launcher's command line. */
  prefix: readonly string[];
  /** The sandbox's own part of the cgroup tree, where the supervisor reads the kernel's counters. */
  mounts: readonly Mount[];
  /** Makes sure of a process, and so of all that it will start. */
  adopt(pid: number): Promise<void>;
  /** Whether the kernel ran out of memory in it; false where nobody can tell. */
  oomKilled(): Promise<boolean>;
  /** Idempotent; everything in it must be dead. */
  remove(): Promise<void>;
}
