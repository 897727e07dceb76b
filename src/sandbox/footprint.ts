import { readFileSync } from 'node:fs';

/** The process that an engine or a launcher keeps above each supervisor. */
const KEEPER = /^(conmon|containerd-shim|crun|runc|bwrap)/;
const PAGE_BYTES = 4096;
/** A clock tick of /proc/PID/stat (USER_HZ). */
const TICK_MS = 10;

/** What a sandbox costs this host: its supervisor and the process that is kept above it. */
export interface Footprint {
  /** Resident and shared with no file or process (statm(5)), which anybody may read. */
  memoryBytes: number;
  /** Processor time since they were started, in milliseconds. */
  cpuMs: number;
}

/** @param pid of a supervisor, on this host; what is gone costs nothing */
export function footprintOf(pid: number): Footprint {
  const all = [pid, ...keepersAbove(pid)].map(each => ({ memoryBytes: memoryOf(each), cpuMs: cpuOf(each) }));
  return all.reduce((sum, each) => ({
    memoryBytes: sum.memoryBytes + each.memoryBytes,
    cpuMs: sum.cpuMs + each.cpuMs,
  }));
}

function keepersAbove(pid: number): number[] {
  const parent = Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
  return parent > 1 && KEEPER.test(read(`/proc/${parent}/comm`)) ? [parent, ...keepersAbove(parent)] : [];
}

function memoryOf(pid: number): number {
  const [, resident = 0, shared = 0] = read(`/proc/${pid}/statm`).split(' ').map(Number);
  return (resident - shared) * PAGE_BYTES;
}

function cpuOf(pid: number): number {
  // The command's name may itself contain parentheses and spaces; the user's and the system's ticks are fields 14 and 15.
  const [user = 0, system = 0] = (read(`/proc/${pid}/stat`).split(') ').pop() ?? '')
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) * TICK_MS;
}

/** A process that is gone has no text. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
