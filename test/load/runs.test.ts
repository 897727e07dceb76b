import { readdirSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { request } from '../support/request.js';
import { configFor, leftovers, targets } from '../support/targets.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
const RUNS = Number(process.env.LOAD_RUNS ?? 1000);
const AT_ONCE = 16;
const MiB = 1024 * 1024;

describe.each(targets)(`${RUNS} runs, ${AT_ONCE} at once: $name`, target => {
  let sandbox: CodeSandbox;
  beforeAll(async () => {
    const limits = { maxConcurrent: AT_ONCE, maxQueue: RUNS };
    sandbox = await createCodeSandbox(configFor(target, { limits }));
  });
  afterAll(() => sandbox.close());

  async function runMany(count: number): Promise<void> {
    const one = async (n: number) => {
      const { stdout, stderr } = await sandbox.run(request('sh', ['-c', `printf out%s ${n}; printf err%s ${n} >&2`]));
      expect([stdout, stderr]).toEqual([`out${n}`, `err${n}`]);
    };
    await Promise.all(Array.from({ length: count }, (_, n) => one(n)));
  }

  test('all right, nothing left, memory and descriptors flat', async () => {
    const held = async () => {
      // Buffers are freed by the second round.
      for (let round = 0; round < 2; round++) {
        collectGarbage();
        await setImmediate();
      }
      const { heapUsed, external, rss } = process.memoryUsage();
      return { used: heapUsed + external, rss, descriptors: readdirSync('/proc/self/fd').length };
    };
    // What is kept for good, as idle connections and compiled code, is there after the first hundreds.
    await runMany(Math.min(200, RUNS));
    const before = await held();
    const started = performance.now();
    await runMany(RUNS);
    const seconds = (performance.now() - started) / 1000;
    const after = await held();
    const [used, grown] = [(after.used - before.used) / MiB, (after.rss - before.rss) / MiB];
    console.log(
      `${target.name}: ${(RUNS / seconds).toFixed(1)} runs/s, ${used.toFixed(1)} MiB more in use, RSS ${grown.toFixed(1)} MiB more, descriptors ${before.descriptors} -> ${after.descriptors}`,
    );
    expect(used).toBeLessThan(5);
    // What is free again the allocator keeps for a while.
    expect(grown).toBeLessThan(100);
    expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + AT_ONCE);
    await sandbox.close();
    await expect.poll(() => leftovers(target), { timeout: 60_000, interval: 500 }).toEqual([]);
  });
});
