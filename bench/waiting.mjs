import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What a sandbox costs while it waits, as the package itself tells: the memory and CPU time of its supervisor and of the
 * process that the engine keeps above it.
 * @param {import('./contenders/contender.mjs').Entry} entry one that starts sandboxes ahead
 * @param {import('./programs.mjs').Program} program
 * @param {number} seconds how long to look
 */
export async function waiting(entry, program, seconds) {
  const contender = await entry.open();
  try {
    for (let run = 0; run < 3; run++) await contender.run(program);
    await sleep(seconds * 1000);
    const { waiting: sandboxes, each } = await contender.warm();
    if (!each) throw new Error(`what it costs cannot be told here (${sandboxes} wait)`);
    const { memoryBytes, cpuMsPerSecond } = each;
    return { name: entry.name, sandboxes, memoryMiB: memoryBytes / 2 ** 20, cpuMsPerSecond };
  } finally {
    await contender.close();
  }
}
