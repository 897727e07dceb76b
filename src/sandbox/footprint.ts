import { realTree } from '../launcher/supervisor-process.js';
import { statFields } from '../reaper/owner.js';
import { procText } from '../reaper/proc.js';

/** The process that an engine or a launcher keeps above each supervisor. */
const KEEPER = /^(conmon|containerd-shim|crun|runc|bwrap)/;
const PAGE_BYTES = 4096;
/** A clock tick of /proc/PID/stat (USER_HZ). */
const TICK_MS = 10;

/** What a sandbox costs this host: its supervisor and the process that is kept above it. */
export interface Footprint {
  /** Resident and shared with no file or process (statm(5)), which anybody may read. */
  memoryBytes: number;
  /** Processor time a second, in milliseconds. */
  cpuMsPerSecond: number;
}

/**
 * Begins to count the processor time of a supervisor and of what is kept above it.
 * @param pid on this host; what is gone costs nothing
 * @returns tells what it costs, since now
 */
export function meter(pid: number): () => Footprint {
  const processes = [pid, ...keepersAbove(pid)];
  const began = performance.now();
  const before = sum(processes, cpuMs);
  return () => {
    const seconds = Math.max(1, (performance.now() - began) / 1000);
    return {
      memoryBytes: sum(processes, memoryBytes),
      cpuMsPerSecond: Math.max(0, sum(processes, cpuMs) - before) / seconds,
    };
  };
}

/** The mean of several; undefined of none. */
export function average(all: readonly Footprint[]): Footprint | undefined {
  if (all.length === 0) return undefined;
  return {
    memoryBytes: Math.round(sum(all, each => each.memoryBytes) / all.length),
    cpuMsPerSecond: sum(all, each => each.cpuMsPerSecond) / all.length,
  };
}

function keepersAbove(pid: number): number[] {
  const parent = Number(/^PPid:\s+(\d+)/m.exec(procText(`/proc/${pid}/status`))?.[1] ?? 0);
  return parent > 1 && KEEPER.test(realTree.nameOf(parent)) ? [parent, ...keepersAbove(parent)] : [];
}

function memoryBytes(pid: number): number {
  const [, resident = 0, shared = 0] = procText(`/proc/${pid}/statm`).split(' ').map(Number);
  return (resident - shared) * PAGE_BYTES;
}

/** The user's and the system's ticks. */
function cpuMs(pid: number): number {
  return sum(statFields(procText(`/proc/${pid}/stat`)).slice(11, 13), Number) * TICK_MS;
}

function sum<T>(all: readonly T[], value: (each: T) => number): number {
  return all.reduce((total, each) => total + value(each), 0);
}
