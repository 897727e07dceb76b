import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const KEEPERS = /^(conmon|containerd-shim)/;
const TICK_MS = 10;

/**
 * What a sandbox costs while it waits: the memory and CPU time of its supervisor and of the process that the engine
 * keeps beside it.
 * @param {import('./contenders/contender.mjs').Entry} entry one that starts sandboxes ahead
 * @param {import('./programs.mjs').Program} program
 * @param {number} seconds how long to look
 */
export async function waiting(entry, program, seconds) {
  const others = new Set(waitingProcesses());
  const contender = await entry.open();
  try {
    for (let run = 0; run < 3; run++) await contender.run(program);
    await sleep(2000);
    const own = waitingProcesses().filter(pid => !others.has(pid));
    const { waiting: sandboxes = 0 } = contender.warm?.() ?? {};
    const before = sum(own, cpuMs);
    await sleep(seconds * 1000);
    const supervisors = own.filter(pid => nameOf(pid) === 'supervisor').length;
    if (supervisors === 0) throw new Error(`none waits (${sandboxes} were expected)`);
    return {
      name: entry.name,
      sandboxes: supervisors,
      pssMiB: sum(own, pssKiB) / 1024 / supervisors,
      cpuMsPerSecond: (sum(own, cpuMs) - before) / seconds / supervisors,
    };
  } finally {
    await contender.close();
  }
}

/** Supervisors of all sandboxes on this machine, and the engines' own processes above them. */
function waitingProcesses() {
  const supervisors = readdirSync('/proc').filter(name => /^\d+$/.test(name) && nameOf(name) === 'supervisor');
  return [...new Set(supervisors.flatMap(pid => [pid, ...keepersAbove(pid)]))];
}

function keepersAbove(pid) {
  const parent = /^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1];
  return parent && KEEPERS.test(nameOf(parent)) ? [parent] : [];
}

function pssKiB(pid) {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
}

function cpuMs(pid) {
  const fields = read(`/proc/${pid}/stat`).replace(/.*\) /, '').split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS;
}

function nameOf(pid) {
  return read(`/proc/${pid}/comm`).trim();
}

/** A process that is gone has no text. */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function sum(pids, value) {
  return pids.reduce((total, pid) => total + value(pid), 0);
}
