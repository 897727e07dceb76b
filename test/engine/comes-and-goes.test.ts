import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { kinds, OwnEngine } from '../support/own-engine.js';
import { request, shell } from '../support/request.js';
import { configFor } from '../support/targets.js';

const ROUNDS = 20;
const [like] = kinds.filter(({ kind }) => kind === 'podman');

/** An engine that stops and starts while runs are under way, with bubblewrap behind it. */
describe.skipIf(!like)('an engine that comes and goes', () => {
  let engine: OwnEngine;
  let sandbox: CodeSandbox;
  const changes: string[] = [];
  const isOn = (backend: string) =>
    expect.poll(() => sandbox.backend, { timeout: 150_000, interval: 20 }).toBe(backend);

  beforeAll(async () => {
    engine = await OwnEngine.start(like!);
    const onChange = (changed: CodeSandbox) => changes.push(changed.backend.replace(/ .*/, ''));
    sandbox = await createCodeSandbox(configFor(engine.target, { order: 'engine, os' }), { onChange });
  });
  afterAll(async () => {
    await sandbox?.close();
    await engine?.[Symbol.asyncDispose]();
  });

  test('a run in flight is rejected within 5 s, the fallback takes over, the engine is taken back', async () => {
    expect(sandbox.backend).toBe('podman');
    let begun = () => {};
    const on = new Promise<void>(resolve => {
      begun = resolve;
    });
    const run = sandbox.run(request('sh', ['-c', 'echo on; sleep 60']), { onStdout: begun });
    const rejected = expect(run).rejects.toMatchObject({ name: 'BackendUnavailable' });
    await on;
    const started = performance.now();
    await engine.kill();
    await rejected;
    expect(performance.now() - started).toBeLessThan(5000);
    expect(sandbox.backend).not.toBe('podman');
    expect((await shell(sandbox, 'echo right')).backend).toBe('bwrap');
    await engine.start();
    await isOn('podman');
    expect((await shell(sandbox, 'echo right')).backend).toBe('podman');
  });

  test('it is missed without a run', async () => {
    await engine.kill();
    await isOn('bwrap');
    await engine.start();
    await isOn('podman');
  });

  test(`stopped and started ${ROUNDS} times under load: every call ends right or with the typed error`, {
    timeout: 900_000,
  }, async () => {
    let over = false;
    const ended = { right: 0, refused: 0 };
    const load = async () => {
      while (!over) {
        try {
          const { stdout } = await sandbox.run(request('sh', ['-c', 'echo right']));
          expect(stdout).toBe('right\n');
          ended.right++;
        } catch (error) {
          expect((error as Error).name, String((error as Error).stack)).toBe('BackendUnavailable');
          ended.refused++;
        }
        // Enough of them to meet every moment; more would only keep the processors from the engine.
        await sleep(50);
      }
    };
    changes.length = 0;
    const loads = Promise.all([load(), load(), load()]);
    for (let round = 0; round < ROUNDS; round++) {
      await engine.kill();
      await isOn('bwrap');
      await sleep(50 * round);
      await engine.start();
      await isOn('podman');
    }
    over = true;
    await loads;
    expect(ended.right).toBeGreaterThan(ROUNDS);
    expect(ended.refused).toBeLessThan(ended.right);
    // Lost, the fallback, and back again, each time: nothing in between.
    expect(changes).toEqual(Array(ROUNDS).fill(['none', 'bwrap', 'podman']).flat());
  });
});
