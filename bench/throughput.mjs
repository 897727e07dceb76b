import { setTimeout as sleep } from 'node:timers/promises';
import { backgroundRate } from './machine.mjs';

/** Engines clean up for a moment after a removal was answered; it belongs to the CPU time of the runs. */
const SETTLE_MS = 500;
const LOOK_MS = 1000;
/** CPU seconds a second of others beyond which the runs' own are not told. */
const BUSY = 0.3;

/**
 * Many runs, some at once, and all that belongs to them: from the first request until nothing is left of the last run.
 * @param {import('./contenders/contender.mjs').Entry} entry
 * @param {import('./programs.mjs').Program} program
 * @param {{ runs: number, atOnce: number }} amount
 * @param {() => number} clock of CPU time, see `cpuClock`
 */
export async function throughput(entry, program, { runs, atOnce }, clock) {
  const contender = await entry.open();
  await contender.run(program);
  const background = await backgroundRate(clock, LOOK_MS);
  const failures = [];
  let left = runs;
  const worker = async () => {
    while (left-- > 0) await contender.run(program).catch(error => failures.push(error.message));
  };
  const cpu = clock();
  const started = performance.now();
  await Promise.all(Array.from({ length: atOnce }, worker));
  const warm = await contender.warm?.();
  await contender.close();
  const seconds = (performance.now() - started) / 1000;
  await sleep(SETTLE_MS);
  const others = (background * (performance.now() - started)) / 1000;
  const spent = clock() - cpu - others;
  return {
    name: entry.name,
    atOnce,
    perSecond: runs / seconds,
    // What others spend is a guess; where it is much, so is the rest.
    cpuMs: background < BUSY ? (spent * 1000) / runs : undefined,
    background,
    failures,
    warm,
  };
}
