import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { SpawnHandle } from '../../src/aalis.js';
import { createLocalProcess } from '../../src/launcher/process.js';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { configFor, type Target } from '../support/config-for.js';
import { sizeOf } from '../support/growth.js';
import { EngineProxy } from '../support/proxy.js';
import { request } from '../support/request.js';
import { type Attack, folderOf } from './attack.js';

/** How long an engine may take to notice that a connection is gone, on a busy machine. */
const NOTICE_MS = 6000;
/** Each of the owner's questions about the container takes so long; it asks twice before it removes it. */
const ASK_MS = 4000;

const BEAT = 'trap "" HUP TERM PIPE; echo on; while :; do echo >> beats; sleep 0.05; done';

/** A sandbox whose line to its owner can break off, as it does when the owner is killed. */
interface Owned extends AsyncDisposable {
  sandbox: CodeSandbox;
  /** After it, the owner does nothing to the sandbox for longer than {@link NOTICE_MS}. */
  breakOff(): void;
}

async function ofEngine(target: Target): Promise<Owned> {
  const proxy = await EngineProxy.before(target.socket!);
  const sandbox = await createCodeSandbox(configFor({ ...target, socket: proxy.socket }, { warm: { max: 0 } }));
  return {
    sandbox,
    breakOff: () => {
      proxy.onCall = call => (call === 'GET /containers/ID/json' ? { delayMs: ASK_MS } : undefined);
      proxy.cutAll();
    },
    [Symbol.asyncDispose]: async () => {
      proxy.onCall = () => undefined;
      await sandbox.close();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

async function ofLauncher(target: Target): Promise<Owned> {
  const local = createLocalProcess();
  let last: SpawnHandle | undefined;
  const spawn: typeof local.spawn = (...args) => {
    last = local.spawn(...args);
    return last;
  };
  const sandbox = await createCodeSandbox(configFor(target, { warm: { max: 0 } }), { process: { ...local, spawn } });
  return {
    sandbox,
    breakOff: () => last!.stdin!.destroy(),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

async function grows(path: string): Promise<boolean> {
  const before = sizeOf(path);
  await sleep(700);
  return sizeOf(path) > before;
}

/** Guarantee 11, for an owner that is gone; test/engine kills real ones. */
export const owner: Attack[] = [
  {
    name: 'a program that goes on when the line to its owner has broken off',
    guarantee: 11,
    async run({ target }) {
      using work = folderOf();
      await using owned = await (target.socket ? ofEngine(target) : ofLauncher(target));
      const leave = new AbortController();
      const { promise: on, resolve } = Promise.withResolvers<void>();
      const wanted = request('sh', ['-c', BEAT], { policy: { fsWrite: [work.path] }, timeout: 60_000 });
      const run = owned.sandbox.run(wanted, { onStdout: () => resolve(), signal: leave.signal });
      const outcome = run.catch((error: Error) => error);
      try {
        await Promise.race([on, outcome]);
        expect(await grows(`${work.path}/beats`), 'it was at work').toBe(true);
        const broken = performance.now();
        owned.breakOff();
        let alive = true;
        while (alive && performance.now() - broken < NOTICE_MS) alive = await grows(`${work.path}/beats`);
        expect(alive, 'it goes on').toBe(false);
        expect(await outcome).toMatchObject({ name: 'BackendUnavailable' });
      } finally {
        leave.abort();
        await outcome;
      }
    },
  },
];
