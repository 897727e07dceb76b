import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** The kernel's own unit for CPU time in /proc/stat, USER_HZ: 100 on all architectures that count. */
const TICK_SECONDS = 0.01;

/** What the results were measured on. */
export function describeMachine() {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    favordynmods: /^\S+ \S+ cgroup2 \S*\bfavordynmods\b/m.test(readFileSync('/proc/mounts', 'utf8')),
    load: loadavg().map(value => Math.round(value * 10) / 10),
  };
}

/**
 * Tells the seconds of CPU that were spent so far: by the whole machine, engines and everything else included, or by one
 * control group, for a machine on which others work at the same time.
 * @param {string} [file] `cpuacct.usage` of a control group (version 1), which counts nanoseconds
 * @returns {() => number}
 */
export function cpuClock(file) {
  if (file) return () => Number(readFileSync(file, 'utf8')) / 1e9;
  return () => {
    const line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0];
    const [user, nice, system, , , irq, softirq] = line.split(/ +/).slice(1).map(Number);
    return (user + nice + system + irq + softirq) * TICK_SECONDS;
  };
}

/**
 * CPU seconds a second that are spent without us.
 * @param {() => number} clock
 * @param {number} ms how long to look
 */
export async function backgroundRate(clock, ms) {
  const before = clock();
  const started = performance.now();
  await sleep(ms);
  return (clock() - before) / ((performance.now() - started) / 1000);
}
