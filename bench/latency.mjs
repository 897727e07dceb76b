import { setTimeout as sleep } from 'node:timers/promises';
import { shuffled } from './statistics.mjs';

/** After each run, so that what is removed or started behind a result is not measured with the next contender. */
const PAUSE_MS = 300;
/** Runs before the first that counts: images are made, and the plan of the runs becomes a known one. */
const WARM_UP = 3;

/**
 * One run at a time; contenders take turns in a new order each round.
 * @param {import('./contenders/contender.mjs').Contender[]} contenders
 * @param {import('./programs.mjs').Program} program
 * @param {number} rounds
 * @returns {Promise<Array<{ name: string, ours: boolean, ms: number[], failures: string[] }>>}
 */
export async function latency(contenders, program, rounds) {
  const results = new Map(contenders.map(({ name, ours }) => [name, { name, ours, ms: [], failures: [] }]));
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const contender of shuffled(contenders)) {
      const { ms, failures } = results.get(contender.name);
      if (failures.length >= WARM_UP && ms.length === 0) continue;
      try {
        const taken = await contender.run(program);
        if (round >= 0) ms.push(taken);
      } catch (error) {
        failures.push(error.message);
      }
      await sleep(PAUSE_MS);
    }
  }
  return [...results.values()];
}
