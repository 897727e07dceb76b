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
    load: loadavg().map(value => Math.round(value * 10) / 10),
  };
}

/** Seconds of CPU that the whole machine has spent since it started, engines and everything else included. */
export function cpuSeconds() {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .split(/ +/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) * TICK_SECONDS;
}

/**
 * CPU seconds a second that the machine spends without us.
 * @param {number} ms how long to look
 */
export async function backgroundRate(ms) {
  const before = cpuSeconds();
  const started = performance.now();
  await sleep(ms);
  return (cpuSeconds() - before) / ((performance.now() - started) / 1000);
}
