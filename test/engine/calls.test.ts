import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { kinds, OwnEngine } from '../support/own-engine.js';
import { EngineProxy, type Fault } from '../support/proxy.js';
import { shell } from '../support/request.js';
import { configFor } from '../support/targets.js';
import { LIFE, runWithNetwork } from './life.js';
import { remainsOn } from './remains.js';

const FAULTS: Fault[] = ['cut', 'lose', { delayMs: 300 }];

/** Without these there is no run; Podman makes no networks here. */
const NEEDED = [
  'POST /networks/create',
  'POST /containers/create',
  'POST /containers/ID/attach',
  'POST /containers/ID/start',
];
/** Asked again, or at the next sweep, so that one failure changes nothing. */
const REMOVALS = ['DELETE /containers/ID', 'DELETE /networks/ID'];
/** Whoever sweeps is told that they failed; there are sweeps in the background as well. */
const LISTS = ['GET /containers/json', 'GET /networks', 'GET /networks/json'];

const LONGEST_MS = 25_000;

/** One call fails, once: each that is made, in every way. */
describe.each(kinds)('an engine that fails at one call: $name', like => {
  let engine: OwnEngine;
  let proxy: EngineProxy;
  let sandbox: CodeSandbox;
  /** What a clean life asks for, until there is a backend and from then on. */
  const seen = { atStart: new Set<string>(), later: new Set<string>() };

  beforeAll(async () => {
    engine = await OwnEngine.start(like);
    proxy = await EngineProxy.before(engine.socket);
    proxy.onCall = call => void seen.atStart.add(call);
    sandbox = await create(proxy);
    proxy.onCall = call => void seen.later.add(call);
    for (const { ask, wanted } of LIFE) expect(await ask(sandbox)).toMatchObject(wanted);
  });
  afterAll(async () => {
    await sandbox?.close();
    await proxy?.[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
  });

  const needed = NEEDED.filter(call => like.kind === 'docker' || !call.includes('networks'));
  const create = (by: EngineProxy) =>
    createCodeSandbox(configFor({ ...engine.target, socket: by.socket }, { warm: { max: 0 } }));

  /** The first such call fails. @returns whether it has come */
  function strike(call: string, fault: Fault, by = proxy): () => boolean {
    let met = 0;
    by.onCall = asked => (asked === call && met++ === 0 ? fault : undefined);
    return () => met > 0;
  }

  /** What is asked comes to an end, in time: it is answered, or refused with an error. */
  async function outcomeOf(asked: Promise<object>, call: string): Promise<{ outcome: object; what: string }> {
    const started = performance.now();
    const outcome = await asked.catch((error: Error) => error);
    const what = `${call}: ${outcome instanceof Error ? outcome.stack : 'ran'}`;
    expect(performance.now() - started, what).toBeLessThan(LONGEST_MS);
    return { outcome, what };
  }

  const works = async (on: CodeSandbox, what: string) =>
    expect((await shell(on, 'echo next')).stdout, what).toBe('next\n');

  /** Removals go on behind the results; what could not be removed then is for the sweep. */
  async function vanished(): Promise<void> {
    proxy.onCall = () => undefined;
    await sandbox.prune();
    await expect.poll(() => remainsOn(engine), { timeout: 60_000 }).toEqual([]);
  }

  test('refused as it starts: there is no backend, and why, until the next search finds one', {
    timeout: 600_000,
  }, async () => {
    // By a way of its own, since the other sandbox pings all the time.
    await using way = await EngineProxy.before(engine.socket);
    const forgiven = [...REMOVALS, ...LISTS];
    const fatal = [...seen.atStart].filter(call => !forgiven.includes(call));
    let refused = fatal[0]!;
    // Each time, since it looks for a backend by itself as well.
    way.onCall = call => (call === refused ? 'refuse' : undefined);
    await using young = await create(way);
    for (const call of fatal) {
      refused = call;
      if (call.includes('/images/')) await engine.removeHostRoots();
      const { outcome, what } = await outcomeOf(shell(young, 'true'), call);
      expect(outcome, what).toMatchObject({ name: 'BackendUnavailable' });
      expect(young.available, what).toBe(false);
      expect(young.backend, what).toMatch(/^none \(.*status 500/);
    }
    for (const call of [...seen.atStart].filter(each => forgiven.includes(each))) {
      const met = strike(call, 'refuse', way);
      await using other = await create(way);
      expect(other.available, call).toBe(true);
      await expect.poll(met, { message: call }).toBe(true);
    }
    await works(young, 'after all of them');
    await vanished();
  });

  test('refused in what comes then: a typed error, or the right result where it does not matter', {
    timeout: 600_000,
  }, async () => {
    expect([...seen.later]).toEqual(expect.arrayContaining(needed));
    for (const call of seen.later) {
      const met = strike(call, 'refuse');
      const giveUp = performance.now() + 60_000;
      // What is known of an image, for one, is asked for every ten seconds only.
      for (let n = 0; !met() && performance.now() < giveUp; n++) {
        const { ask, wanted } = LIFE[n % LIFE.length]!;
        const { outcome, what } = await outcomeOf(ask(sandbox), call);
        const fails = met() && (outcome instanceof Error || needed.includes(call));
        expect(outcome, what).toMatchObject(fails ? { name: 'BackendUnavailable' } : wanted);
        if (REMOVALS.includes(call)) expect(outcome, what).not.toBeInstanceOf(Error);
      }
      expect(met(), call).toBe(true);
      await works(sandbox, call);
    }
    await vanished();
  });

  test.each(FAULTS)(
    '%j: a typed error or the right result, nothing left, the next run works',
    {
      timeout: 600_000,
    },
    async fault => {
      for (const call of [...needed, ...REMOVALS.filter(call => seen.later.has(call))]) {
        const met = strike(call, fault);
        const { outcome, what } = await outcomeOf(runWithNetwork(sandbox), call);
        if (outcome instanceof Error) expect(outcome.name, what).toBe('BackendUnavailable');
        else expect(outcome, what).toMatchObject(LIFE[0]!.wanted);
        if (typeof fault === 'object') expect(outcome, what).not.toBeInstanceOf(Error);
        await expect.poll(met, { timeout: 10_000 }).toBe(true);
        await works(sandbox, what);
      }
      await vanished();
    },
  );
});
