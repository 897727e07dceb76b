import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { EngineProxy, type Fault } from '../support/proxy.js';
import { request, resultOf, shell } from '../support/request.js';
import { configFor, leftovers } from '../support/targets.js';
import { kinds, OwnEngine } from './own-engine.js';

const FAULTS: Fault[] = ['refuse', 'cut', 'lose', { delayMs: 300 }];

/** What a run with network asks of an engine; rootless Podman has no networks. */
const CALLS = [
  'POST /networks/create',
  'POST /containers/create',
  'POST /containers/ID/attach',
  'POST /containers/ID/start',
  'DELETE /containers/ID',
  'DELETE /networks/ID',
];

/** Every call that a run makes fails once, in every way. */
describe.each(kinds)('an engine that fails at one call: $name', like => {
  let engine: OwnEngine;
  let proxy: EngineProxy;
  let sandbox: CodeSandbox;
  const calls = CALLS.filter(call => like.name !== 'rootless' || !call.includes('networks'));

  beforeAll(async () => {
    engine = await OwnEngine.start(like);
    proxy = await EngineProxy.before(engine.socket);
    sandbox = await createCodeSandbox(configFor({ ...engine.target, socket: proxy.socket }, { warm: { max: 0 } }));
  });
  afterAll(async () => {
    await sandbox?.close();
    await proxy?.[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
  });

  const wanted = request('sh', ['-c', 'echo right'], { policy: { network: 'allow' } });
  /** Removals go on behind the results. */
  const vanished = () => expect.poll(() => leftovers(engine.target), { timeout: 60_000 }).toEqual([]);

  test.each(FAULTS)(
    '%j: a typed error or the right result, nothing left, the next run works',
    {
      timeout: 600_000,
    },
    async fault => {
      for (const call of calls) {
        let met = 0;
        proxy.onCall = seen => (seen === call && met++ === 0 ? fault : undefined);
        const started = performance.now();
        const outcome = await resultOf(sandbox, wanted).catch((error: Error) => error);
        const what = `${call}: ${outcome instanceof Error ? outcome.stack : 'ran'}`;
        expect(performance.now() - started, what).toBeLessThan(25_000);
        if (outcome instanceof Error) expect(outcome.name, what).toBe('BackendUnavailable');
        else expect(outcome, what).toMatchObject({ code: 0, stdout: 'right\n' });
        if (typeof fault === 'object') expect(outcome, what).not.toBeInstanceOf(Error);
        expect((await shell(sandbox, 'echo next')).stdout, what).toBe('next\n');
        await expect.poll(() => met, { timeout: 10_000 }).toBeGreaterThan(0);
        await sandbox.prune();
        await vanished();
      }
    },
  );
});
