import { readFileSync, readlinkSync } from 'node:fs';
import { machineOf } from './machine.js';

/** A host process that sandboxes belong to, told apart from a later one with the same number. */
export interface Owner {
  pid: number;
  /** Start time in clock ticks since boot (field 22 of /proc/PID/stat). */
  start: string;
  /** Of this boot of the kernel. */
  boot: string;
  /** The pid namespace's name, such as `pid:[4026531836]`: from another one a pid means nothing. */
  namespace: string;
  /** See {@link machineOf}. */
  machine?: string | undefined;
}

/** Whether an owner still lives, as far as can be told. */
export type OwnerState = 'alive' | 'dead' | 'unknown';

/** What of the host the question needs; a seam for tests. */
export interface ProcView {
  read(path: string): string;
  link(path: string): string;
  /** Whether there is such a process, of whichever user. */
  exists(pid: number): boolean;
}

/** The real host. */
const realProc: ProcView = {
  read: path => readFileSync(path, 'latin1'),
  link: path => readlinkSync(path),
  exists: processExists,
};

/** Whether there is such a process, of whichever user. */
export function processExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** What /proc/PID/stat says behind the command's name, which may itself contain parentheses and spaces: from field 3 on. */
export function statFields(stat: string): string[] {
  return stat.split(') ').pop()!.split(' ');
}

/** @returns the start time of a process, or undefined where there is no such process. */
function startTime(pid: number, proc: ProcView): string | undefined {
  try {
    return statFields(proc.read(`/proc/${pid}/stat`))[19];
  } catch {
    return undefined;
  }
}

/** The owner that this process is. Off Linux there is no /proc, and only deadlines decide. */
export function currentOwner(proc: ProcView = realProc, pid: number = process.pid): Owner {
  try {
    return {
      pid,
      start: startTime(pid, proc) ?? '',
      boot: proc.read('/proc/sys/kernel/random/boot_id').trim(),
      namespace: proc.link('/proc/self/ns/pid'),
      machine: machineOf(path => proc.read(path)),
    };
  } catch {
    return { pid, start: '', boot: '', namespace: '' };
  }
}

/**
 * Whether an owner still lives, as far as this process can tell: `unknown` from another pid namespace, another machine (which
 * can have the same folder or engine) or off Linux. The boot id is the same inside containers, so the namespace is what counts.
 */
export function ownerState(owner: Owner, self: Owner, proc: ProcView = realProc): OwnerState {
  if (owner.boot !== self.boot) return isEarlier(owner, self) ? 'dead' : 'unknown';
  if (owner.namespace === '' || owner.namespace !== self.namespace) return 'unknown';
  const start = startTime(owner.pid, proc);
  // A /proc with `hidepid` shows no processes of other users.
  if (start === undefined) return proc.exists(owner.pid) ? 'unknown' : 'dead';
  return start === owner.start ? 'alive' : 'dead';
}

/** Whether another boot was one of this machine's. Where neither knows its machine, as in most containers, it is taken for that. */
function isEarlier(owner: Owner, self: Owner): boolean {
  return owner.boot !== '' && self.boot !== '' && owner.machine === self.machine;
}
