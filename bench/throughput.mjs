import { setTimeout as sleep } from 'node:timers/promises';
import { backgroundRate, cpuSeconds } from './machine.mjs';

/** Engines clean up for a moment after a removal was answered; it belongs to the CPU time of the runs. */
const SETTLE_MS = 500;
const LOOK_MS = 1000;

/**
 * Many runs, some at once, and all that belongs to them: from the first request until nothing is left of the last run.
 * @param {import('./contenders/contender.mjs').Entry} entry
 * @param {import('./programs.mjs').Program} program
 * @param {{ runs: number, atOnce: number }} amount
 */
export async function throughput(entry, program, { runs, atOnce }) {
  const contender = await entry.open();
  await contender.run(program);
  const background = await backgroundRate(LOOK_MS);
  const failures = [];
  let left = runs;
  const worker = async () => {
    while (left-- > 0) await contender.run(program).catch(error => failures.push(error.message));
  };
  const cpu = cpuSeconds();
  const started = performance.now();
  await Promise.all(Array.from({ length: atOnce }, worker));
  const warm = contender.warm?.();
  await contender.close();
  const seconds = (performance.now() - started) / 1000;
  await sleep(SETTLE_MS);
  const spent = cpuSeconds() - cpu - (background * (performance.now() - started)) / 1000;
  return {
    name: entry.name,
    atOnce,
    perSecond: runs / seconds,
    cpuMs: (spent * 1000) / runs,
    failures,
    background,
    warm,
  };
}
