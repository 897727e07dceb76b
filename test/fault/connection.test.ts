import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { handles } from '../support/handles.js';
import { kinds, OwnEngine } from '../support/own-engine.js';
import { EngineProxy, type Fault } from '../support/proxy.js';
import { shell } from '../support/request.js';
import { configFor, leftovers } from '../support/targets.js';

/** The connection breaks, the engine lives on. */
describe.each(kinds)('a connection that breaks: $name', like => {
  let engine: OwnEngine;
  let proxy: EngineProxy;
  let sandbox: CodeSandbox;

  beforeAll(async () => {
    engine = await OwnEngine.start(like);
    proxy = await EngineProxy.before(engine.socket);
    const target = { ...engine.target, socket: proxy.socket };
    sandbox = await createCodeSandbox(configFor(target, { warm: { max: 0 } }));
  });
  afterAll(async () => {
    await sandbox?.close();
    await proxy?.[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
  });

  const vanished = () => expect.poll(() => leftovers(engine.target), { timeout: 60_000 }).toEqual([]);

  test('in the middle of a run: never a success that it was not', async () => {
    const run = shell(sandbox, 'echo on; sleep 20; echo off', {}, { onStdout: () => proxy.cutAll() });
    await expect(run).rejects.toMatchObject({ name: 'BackendUnavailable' });
    expect((await shell(sandbox, 'echo next')).stdout).toBe('next\n');
    await vanished();
  });

  test('runs that fail leave no descriptor and no timer', { timeout: 240_000 }, async () => {
    const before = await settled(async () => void (await shell(sandbox, 'true')));
    const faults: Fault[] = ['cut', 'lose', 'refuse'];
    const calls = ['POST /containers/create', 'POST /containers/ID/attach', 'POST /containers/ID/start'];
    const failing = calls.flatMap(call => faults.map(fault => ({ call, fault })));
    for (const { call, fault } of failing) {
      let met = 0;
      proxy.onCall = seen => (seen === call && met++ === 0 ? fault : undefined);
      await shell(sandbox, 'true').catch(() => {});
    }
    proxy.onCall = () => undefined;
    for (let n = 0; n < 5; n++) {
      await shell(sandbox, 'echo on; sleep 20', {}, { onStdout: () => proxy.cutAll() }).catch(() => {});
    }
    await settled(async () => void (await shell(sandbox, 'true')));
    // Idle connections are kept for the next call, and one may be on the way; nothing grows with the number of failures.
    await expect.poll(() => handles().descriptors).toBeLessThanOrEqual(before.descriptors + 4);
    await expect.poll(() => handles().timers).toBeLessThanOrEqual(before.timers + 2);
  });

  async function settled(work: () => Promise<void>) {
    await work();
    await sandbox.prune();
    await vanished();
    return handles();
  }
});
