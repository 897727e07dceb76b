/** The words that the seccomp profile is written in, and that {@link compile} turns into a BPF program. */

/** Errors that a refused call answers with (Linux numbers, the same on x86-64 and arm64). */
export const ERRNO = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;

/** What becomes of a call: it goes on to the kernel, or it answers with this error. */
export type Action = 'allow' | keyof typeof ERRNO;

/**
 * A test of one argument's low 32 bits, which is all that the kernel itself looks at for every argument tested here:
 * `any` of the bits of a mask is set, or the argument equals a value.
 */
export type Test = { arg: number; any: number } | { arg: number; equals: number };

/** Calls whose arguments decide: the first case whose tests all hold, else `otherwise`. */
export interface Rule {
  reason: string;
  calls: string[];
  cases: Array<{ when: Test[]; answer: Action }>;
  otherwise: Action;
}

/** Calls that are refused whatever their arguments. */
export interface Refusal {
  reason: string;
  calls: string[];
  answer: Exclude<Action, 'allow'>;
}

/** The filter as data. A call that it does not name, or that is newer than it, is answered with ENOSYS. */
export interface Profile {
  allowed: string[];
  rules: Rule[];
  refused: Refusal[];
}
