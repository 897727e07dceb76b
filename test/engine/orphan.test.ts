import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { stillness } from '../support/growth.js';
import { kinds, OwnEngine } from '../support/own-engine.js';
import { EngineProxy } from '../support/proxy.js';
import { configFor, leftovers } from '../support/targets.js';
import { workspace } from '../support/workspace.js';
import { OwnerProcess, type Work } from './owner-process.js';
import { remainsOn } from './remains.js';

/** Less than the program's own minute, and than the two for which a supervisor waits for its frame. */
const WITHIN_MS = 40_000;

/** The host process is killed, and nobody else is on the engine who could sweep. */
describe.each(kinds)('an owner that is killed alone: $name', like => {
  let engine: OwnEngine;
  let proxy: EngineProxy;

  beforeAll(async () => {
    engine = await OwnEngine.start(like);
    proxy = await EngineProxy.before(engine.socket);
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
  });

  /** Waits until the short run's container is gone and only the one is there that waits. */
  async function parked(owner: OwnerProcess): Promise<void> {
    await owner.says('ready');
    let starts = 0;
    proxy.onAnswer = call => void (call === 'POST /containers/ID/start' && starts++);
    owner.go();
    await expect.poll(() => starts).toBe(2);
    proxy.onAnswer = () => {};
    await expect.poll(() => leftovers(engine.target)).toHaveLength(1);
  }

  test.each<[string, Work]>([
    ['in the middle of a run: the end of its connection ends the program', 'beats'],
    ['in the middle of a run that reads stdin: its deadline does', 'stdin'],
    ['while a sandbox waits: the end of its connection ends the supervisor', 'waits'],
  ])('%s, though nobody sweeps; whoever comes next removes it, unasked', async (_, what) => {
    using work = workspace();
    const owner = new OwnerProcess(engine, proxy, work.path, what);
    await (what === 'waits' ? parked(owner) : owner.says('on'));
    const [supervisor] = pidsOf(engine);
    expect(existsSync(`/proc/${supervisor}`)).toBe(true);
    await owner.kill();
    await expect.poll(() => existsSync(`/proc/${supervisor}`), { timeout: WITHIN_MS }).toBe(false);
    await stillness(`${work.path}/beats`);
    expect(leftovers(engine.target)).toHaveLength(1);
    await using next = await createCodeSandbox(configFor(engine.target, { warm: { max: 0 } }));
    expect(next.backend).toBe(engine.target.kind);
    // Its second sweep would come after a minute.
    await expect.poll(() => remainsOn(engine), { timeout: 30_000 }).toEqual([]);
  });
});

/** First processes of the containers that run. */
function pidsOf(engine: OwnEngine): number[] {
  const running = engine.command('ps', '--quiet').split('\n').filter(Boolean);
  return engine
    .command('inspect', '--format', '{{.State.Pid}}', ...running)
    .split('\n')
    .filter(Boolean)
    .map(Number);
}
