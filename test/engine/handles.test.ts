import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { handles } from '../support/handles.js';
import { kinds, OwnEngine } from '../support/own-engine.js';
import { shell } from '../support/request.js';
import { configFor, leftovers } from '../support/targets.js';

const ROUNDS = 2;
/** More in all than the tolerance below, so that one descriptor for each that fails is seen. */
const RUNS = 4;

/** What an engine that dies, or falls silent, in the middle of runs leaves open in this process. */
describe.each(kinds)('descriptors and timers, when the engine is lost: $name', like => {
  let engine: OwnEngine;
  let sandbox: CodeSandbox;

  beforeAll(async () => {
    engine = await OwnEngine.start(like);
    const config = { warm: { max: 0 }, limits: { maxConcurrent: RUNS } };
    sandbox = await createCodeSandbox(configFor(engine.target, config));
  });
  afterAll(async () => {
    await sandbox?.close();
    await engine?.[Symbol.asyncDispose]();
  });

  const next = () =>
    shell(sandbox, 'echo next').then(
      ({ stdout }) => stdout,
      error => error.message,
    );

  /** Counts once runs work again and nothing of them is left. */
  async function settled() {
    await expect.poll(next, { timeout: 100_000 }).toBe('next\n');
    await expect.poll(() => sandbox.prune().then(() => leftovers(engine.target)), { timeout: 100_000 }).toEqual([]);
    return handles();
  }

  /** Runs that are all under way when the engine is lost. */
  async function failing(lose: () => Promise<void> | void): Promise<void> {
    let on = 0;
    let lost: Promise<void> | undefined;
    const onStdout = () => {
      on += 1;
      if (on === RUNS) lost = Promise.resolve(lose());
    };
    const runs = Array.from({ length: RUNS }, () => shell(sandbox, 'echo on; sleep 30', {}, { onStdout }));
    const outcomes = await Promise.allSettled(runs);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'BackendUnavailable' } });
    }
    await lost;
  }

  test.each<[string, () => Promise<void> | void, () => Promise<void> | void]>([
    ['killed', () => engine.kill(), () => engine.start()],
    ['frozen', () => engine.freeze(), () => engine.thaw()],
  ])('none is left of runs whose engine was %s', { timeout: 300_000 }, async (_, lose, restore) => {
    const before = await settled();
    for (let round = 0; round < ROUNDS; round++) {
      await failing(lose);
      await restore();
      await settled();
    }
    // As after a broken connection: a few idle ones are kept, and nothing grows with the number of failures.
    await expect.poll(() => handles().descriptors).toBeLessThanOrEqual(before.descriptors + 4);
    await expect.poll(() => handles().timers).toBeLessThanOrEqual(before.timers + 2);
  });
});
