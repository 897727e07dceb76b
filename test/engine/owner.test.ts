import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder, ownPlaces } from '../../src/launcher/folder.js';
import { currentOwner } from '../../src/reaper/owner.js';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { sizeOf, stillness } from '../support/growth.js';
import { kinds, OwnEngine } from '../support/own-engine.js';
import { EngineProxy } from '../support/proxy.js';
import { shell } from '../support/request.js';
import { configFor, leftovers } from '../support/targets.js';
import { workspace } from '../support/workspace.js';
import { OwnerProcess } from './owner-process.js';
import { remainsOn, tempFoldersOf } from './remains.js';

const CONTAINER = ['POST /containers/create', 'POST /containers/ID/attach', 'POST /containers/ID/start'];
const REMOVAL = 'DELETE /containers/ID';

/** Calls at which an owner is killed: of its probe, on an engine that has no image yet, and of a run with network. */
function stagesOf({ kind }: (typeof kinds)[number]) {
  const image = kind === 'docker' ? 'POST /images/create' : 'POST /images/import';
  const network = (call: string) => (kind === 'docker' ? [call] : []);
  const started = [image, ...CONTAINER, REMOVAL];
  const running = [...network('POST /networks/create'), ...CONTAINER, REMOVAL, ...network('DELETE /networks/ID')];
  return [
    ...started.map(call => ['before', call, 'it starts'] as const),
    ...running.flatMap(call => (['before', 'after'] as const).map(when => [when, call, 'it runs a program'] as const)),
  ];
}

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

  const swept = () => expect.poll(() => other.prune().then(() => remainsOn(engine)), { timeout: 60_000 }).toEqual([]);

  test('what it left on the host goes too, which it does where it had no engine', async () => {
    const dead = { ...currentOwner(), start: '1' };
    const folder = await makeFolder({ owner: dead, cgroups: [] }, ownPlaces());
    await other.prune();
    // It may be in the hands of a sweep that began before.
    await expect.poll(() => existsSync(folder), { timeout: 10_000 }).toBe(false);
  });

  test.each(stagesOf(like))('killed right %s %s, as %s: swept by the other process', async (when, stage, what) => {
    using work = workspace();
    const starts = what === 'it starts';
    if (starts) await engine.removeHostRoots();
    const owner = new OwnerProcess(engine, proxy, work.path, 'short');
    if (!starts) await owner.says('ready');
    const killed = new Promise<void>((resolve, reject) => {
      let met = 0;
      const strike = (call: string) => {
        if (call === stage && met++ === 0) owner.kill().then(resolve, reject);
        return undefined;
      };
      if (when === 'before') proxy.onCall = strike;
      else proxy.onAnswer = strike;
    });
    if (!starts) owner.go();
    await killed;
    proxy.onCall = () => undefined;
    proxy.onAnswer = () => {};
    await swept();
    await expect.poll(() => tempFoldersOf(owner.pid), { timeout: 10_000 }).toEqual([]);
    expect((await shell(other, 'echo next')).stdout).toBe('next\n');
  });

  test('a live owner’s containers are not touched, whoever sweeps', async () => {
    using work = workspace();
    const owner = new OwnerProcess(engine, proxy, work.path, 'beats');
    await owner.says('on');
    expect(await other.prune()).toBe(0);
    expect(leftovers(engine.target)).toHaveLength(1);
    await grows(`${work.path}/beats`);
    await owner.kill();
    await swept();
  });

  test.runIf(process.getuid!() === 0)('from another pid namespace only the deadline decides', async () => {
    using work = workspace();
    const elsewhere = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
    const owner = new OwnerProcess(engine, proxy, work.path, 'stdin', elsewhere);
    await owner.says('on');
    expect(await other.prune()).toBe(0);
    await grows(`${work.path}/beats`);
    await owner.kill();
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
