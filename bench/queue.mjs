import { footprint } from './footprint.mjs';

/**
 * All runs asked for at the same moment: how long each waits and runs, and what the queue costs this process.
 * @param {import('./contenders/contender.mjs').Entry} entry
 * @param {import('./programs.mjs').Program} program
 * @param {number} runs
 */
export async function queue(entry, program, runs) {
  const contender = await entry.open();
  await contender.run(program);
  // Of the process that runs them, which another user's is not this one.
  const measure = contender.footprint ?? (async () => footprint());
  const before = await measure();
  const failures = [];
  const ran = Array.from({ length: runs }, () => {
    return contender.run(program).catch(error => {
      failures.push(error.message);
      return undefined;
    });
  });
  const full = await measure();
  const ms = (await Promise.all(ran)).filter(value => value !== undefined);
  await contender.close();
  return { name: entry.name, ms, failures, before, full, after: await measure() };
}
