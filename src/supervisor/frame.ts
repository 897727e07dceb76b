import type { Identity } from '../policy/plan.js';

/** One resource limit as the kernel knows it (`RLIMIT_*` number of Linux, soft and hard value). */
export interface Rlimit {
  resource: number;
  soft: bigint;
  hard: bigint;
}

/** A program for a waiting supervisor: all that one frame carries. */
export interface Program {
  argv: string[];
  env: Array<[name: string, value: string]>;
  cwd: string;
  /** Milliseconds from the program's start to its end by force. */
  deadlineMs: number;
  /** The program reads what follows the frame on stdin; otherwise its stdin is at its end from the start. */
  stdin: boolean;
  rlimits: Rlimit[];
  /** Mounts to be compared, as paths inside, before the program starts. */
  mounts: Array<Identity & { path: string }>;
  /** 16 random bytes that make the trailers authentic. */
  nonce: Buffer;
}
