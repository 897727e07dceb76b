import { existsSync, readFileSync } from 'node:fs';
import { processExists } from '../reaper/owner.js';

/** SIGKILL and SIGTERM in the kernel's masks of pending signals. */
const FATAL = (1n << 8n) | (1n << 14n);
/** Zombie, and dead. */
const GONE = /^State:\s+[ZX]/m;

/** Whether there is such a process that this one may not look at: of another user, under a /proc with `hidepid`. */
export function isHidden(pid: number): boolean {
  return !existsSync(`/proc/${pid}/status`) && processExists(pid);
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
