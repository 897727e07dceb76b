import { readFileSync } from 'node:fs';
import { procText } from '../reaper/proc.js';

/** SIGKILL and SIGTERM in the kernel's masks of pending signals. */
const FATAL = (1n << 8n) | (1n << 14n);
/** Zombie, and dead. */
const GONE = /^State:\s+[ZX]/m;

/** The first of a namespace below this process's own. */
const FIRST = /^NSpid:(?:\t\d+)+\t1$/m;

/**
 * Whether a number is, to this process, a supervisor's. To one in a container that has the host's engine it is nobody's or
 * somebody else's, and /proc can hide (`hidepid`) those of other users. A name would not tell: it takes a runtime a moment to
 * become the supervisor, and gVisor's never does.
 * @param pid as an engine tells it
 */
export function isSupervisor(pid: number): boolean {
  return FIRST.test(procText(`/proc/${pid}/status`));
}

/**
 * Whether a supervisor that waits is dead or about to die, which the kernel knows before the engine tells.
 * @param pid on this host
 */
export function isDoomed(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    if (GONE.test(status)) return true;
    const masks = [...status.matchAll(/^(?:Sig|Shd)Pnd:\s+([0-9a-f]+)/gm)];
    return masks.some(([, mask]) => (BigInt(`0x${mask}`) & FATAL) !== 0n);
  } catch {
    return true;
  }
}
