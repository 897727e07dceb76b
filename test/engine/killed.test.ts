import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { RunOptions } from '../../src/sandbox/execute.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { stillness } from '../support/growth.js';
import { kinds, OwnEngine } from '../support/own-engine.js';
import { type Parts, shell } from '../support/request.js';
import { configFor, leftovers } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const BEATS = 'echo on; while :; do date >> beats; sleep 0.1; done';

/** The engine dies, or falls silent, before, during and after a run, and comes back. */
describe.each(kinds)('an engine that dies: $name', like => {
  let engine: OwnEngine;
  let sandbox: CodeSandbox;

  beforeAll(async () => {
    engine = await OwnEngine.start(like);
    sandbox = await createCodeSandbox(configFor(engine.target));
  });
  afterAll(async () => {
    await sandbox?.close();
    const left = engine && leftovers(engine.target);
    await engine?.[Symbol.asyncDispose]();
    expect(left).toEqual([]);
  });
  afterEach(async () => {
    // As soon as the engine is there again and proves itself in time, runs work; what was left goes with the sweep.
    const next = () =>
      shell(sandbox, 'echo next').then(
        ({ stdout }) => stdout,
        error => error.message,
      );
    await expect.poll(next, { timeout: 100_000 }).toBe('next\n');
    await expect.poll(() => sandbox.prune().then(excess), { timeout: 100_000 }).toBe(0);
  }, 240_000);

  /** Containers that are there and wait for no run. */
  const excess = () => leftovers(engine.target).length - (sandbox.selection.backend?.warm?.waiting ?? 0);

  /** Starts a run that writes a line all the time; `while` is what happens once it is on. */
  async function beating(during: () => Promise<void> | void, parts: Parts = {}, options: RunOptions = {}) {
    using work = workspace();
    let on = () => {};
    const begun = new Promise<void>(resolve => {
      on = resolve;
    });
    const policy = { fsWrite: [work.path] };
    const run = shell(sandbox, BEATS, { timeout: 8000, policy, ...parts }, { onStdout: on, ...options });
    const outcome = run.catch((error: Error) => error);
    await Promise.race([begun, outcome]);
    const started = performance.now();
    await during();
    const settled = await outcome;
    return { settled, elapsed: performance.now() - started, stillFor: await stillness(`${work.path}/beats`) };
  }

  test('before a run', async () => {
    await engine.kill();
    const started = performance.now();
    await expect(shell(sandbox, 'true')).rejects.toMatchObject({ name: 'BackendUnavailable' });
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(sandbox.available).toBe(false);
    expect(sandbox.backend).toMatch(/^none \(/);
    await engine.start();
  });

  test('during a run: it is rejected, and what is left ends', async () => {
    const { settled, elapsed, stillFor } = await beating(() => engine.kill());
    expect(settled).toMatchObject({ name: 'BackendUnavailable' });
    expect(elapsed).toBeLessThan(15_000);
    expect(stillFor).toBeLessThan(20_000);
    await engine.start();
  });

  test('during a run that reads stdin: what is left ends by its deadline', async () => {
    const { settled, stillFor } = await beating(
      () => engine.kill(),
      { timeout: 5000 },
      { stdin: new Readable({ read() {} }) },
    );
    expect(settled).toMatchObject({ name: 'BackendUnavailable' });
    expect(stillFor).toBeLessThan(25_000);
    await engine.start();
  });

  test('after a run', async () => {
    expect((await shell(sandbox, 'echo done')).stdout).toBe('done\n');
    await engine.kill();
    await engine.start();
  });

  test('it falls silent before a run: rejected in bounded time', { timeout: 120_000 }, async () => {
    engine.freeze();
    const started = performance.now();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => shell(sandbox, 'true').catch((error: Error) => error)),
    );
    expect(performance.now() - started).toBeLessThan(20_000);
    // A waiting sandbox may still take its run: its connection is there.
    for (const outcome of outcomes) {
      if (outcome instanceof Error) expect(outcome.name).toBe('BackendUnavailable');
      else expect(outcome.code).toBe(0);
    }
    engine.thaw();
  });

  test.each([
    ['a run', () => ({})],
    ['a run that reads stdin', () => ({ stdin: new Readable({ read() {} }) })],
  ])('it falls silent during %s: rejected in bounded time', { timeout: 120_000 }, async (_, options) => {
    const { settled, elapsed, stillFor } = await beating(() => engine.freeze(), { timeout: 3000 }, options());
    engine.thaw();
    // The supervisor may have told its deadline before.
    if (settled instanceof Error) expect(settled.name).toBe('BackendUnavailable');
    else expect(settled.timedOut).toBe(true);
    expect(elapsed).toBeLessThan(20_000);
    expect(stillFor).toBeLessThan(25_000);
  });
});
