import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder, ownPlaces } from '../../src/launcher/folder.js';
import { currentOwner } from '../../src/reaper/owner.js';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { sizeOf, stillness } from '../support/growth.js';
import { EngineProxy } from '../support/proxy.js';
import { configFor, leftovers } from '../support/targets.js';
import { workspace } from '../support/workspace.js';
import { kinds, OwnEngine } from './own-engine.js';

const OWNER = fileURLToPath(new URL('owner.mjs', import.meta.url));

/** The host process is killed; another one is on the same engine all the time. */
describe.each(kinds)('an owner that is killed: $name', like => {
  let engine: OwnEngine;
  let proxy: EngineProxy;
  let other: CodeSandbox;

  beforeAll(async () => {
    engine = await OwnEngine.start(like);
    proxy = await EngineProxy.before(engine.socket);
    other = await createCodeSandbox(configFor(engine.target, { warm: { max: 0 } }));
  });
  afterAll(async () => {
    await other?.close();
    await proxy?.[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
  });

  /** Starts an owner; `prefix` is put before its command line. */
  function startOwner(folder: string, stdin = false, prefix: string[] = []): ChildProcess {
    const { kind, weak } = engine.target;
    const args = [proxy.socket, kind, folder, stdin ? 'stdin' : 'none', weak ? 'weak' : 'strong'];
    const [command, ...rest] = [...prefix, process.execPath, OWNER, ...args];
    return spawn(command!, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  }

  async function says(owner: ChildProcess, word: string): Promise<void> {
    for await (const line of createInterface({ input: owner.stdout! })) if (line === word) return;
    throw new Error(`the owner ended before it said "${word}"`);
  }

  async function kill(owner: ChildProcess): Promise<void> {
    const ended = once(owner, 'exit');
    owner.kill('SIGKILL');
    await ended;
    proxy.cutAll();
  }

  test('what it left on the host goes too, which it does where it had no engine', async () => {
    const dead = { ...currentOwner(), start: '1' };
    const folder = await makeFolder({ owner: dead, cgroups: [] }, ownPlaces());
    await other.prune();
    // It may be in the hands of a sweep that began before.
    await expect.poll(() => existsSync(folder), { timeout: 10_000 }).toBe(false);
  });

  const swept = () =>
    expect
      .poll(() => other.prune().then(() => [...leftovers(engine.target), ...networks()]), { timeout: 60_000 })
      .toEqual([]);
  const networks = () =>
    engine
      .command('network', 'ls', '--format', '{{.Name}}')
      .split('\n')
      .filter(name => name.includes('code-sandbox'));

  const STAGES = ['POST /containers/create', 'POST /containers/ID/attach', 'POST /containers/ID/start'];

  test.each(STAGES.flatMap(stage => [['before', stage] as const, ['after', stage] as const]))(
    'killed right %s %s: swept by the other process, with its network',
    async (when, stage) => {
      using work = workspace();
      const owner = startOwner(work.path);
      await says(owner, 'ready');
      const killed = new Promise<void>(resolve => {
        const strike = (call: string) => {
          if (call === stage && owner.exitCode === null) kill(owner).then(resolve);
        };
        if (when === 'before') proxy.onCall = strike as EngineProxy['onCall'];
        else proxy.onAnswer = strike;
      });
      await killed;
      proxy.onCall = () => undefined;
      proxy.onAnswer = () => {};
      await swept();
    },
  );

  test.each([
    ['the end of its connection ends the program', false, 20_000],
    ['with a program that reads stdin, the deadline does', true, 30_000],
  ])('killed in the middle of a run: %s, though nobody sweeps', async (_, stdin, withinMs) => {
    using work = workspace();
    const owner = startOwner(work.path, stdin);
    await says(owner, 'on');
    const started = performance.now();
    await kill(owner);
    await stillness(`${work.path}/beats`);
    expect(performance.now() - started).toBeLessThan(withinMs);
    await swept();
  });

  test('a live owner’s containers are not touched, whoever sweeps', async () => {
    using work = workspace();
    const owner = startOwner(work.path);
    await says(owner, 'on');
    expect(await other.prune()).toBe(0);
    expect(leftovers(engine.target)).toHaveLength(1);
    await grows(`${work.path}/beats`);
    await kill(owner);
    await swept();
  });

  test.runIf(process.getuid!() === 0)('from another pid namespace only the deadline decides', async () => {
    using work = workspace();
    const owner = startOwner(work.path, true, ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']);
    await says(owner, 'on');
    expect(await other.prune()).toBe(0);
    await grows(`${work.path}/beats`);
    await kill(owner);
    await stillness(`${work.path}/beats`);
    // It is over, and that its owner is dead cannot be told: it stays until its deadline.
    expect(await other.prune()).toBe(0);
    expect(leftovers(engine.target)).toHaveLength(1);
    engine.command('rm', '--force', ...leftovers(engine.target));
    await engine.command('network', 'prune', '--force');
  });
});

/** Waits until a file is larger than now, which it may yet have to come to be. */
async function grows(path: string): Promise<void> {
  const before = sizeOf(path);
  await expect.poll(() => sizeOf(path), { timeout: 10_000 }).toBeGreaterThan(before);
}
