import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nodeHost } from '../../../src/policy/node-host.js';
import type { Plan } from '../../../src/policy/plan.js';
import type { Backend, Sandbox } from '../../../src/sandbox/backend.js';
import { WarmPool } from '../../../src/sandbox/warm.js';
import { WarmBackend } from '../../../src/sandbox/warm-backend.js';
import { DEFAULT_LIMITS, planWith } from '../engine/spec/plan.js';

/** A sandbox that only knows whether it was closed. */
class FakeSandbox implements Sandbox {
  readonly image = 'host';
  ended = false;
  closed = false;
  readonly id: string;
  readonly plan: Plan;
  constructor(id: string, plan: Plan) {
    this.id = id;
    this.plan = plan;
  }
  run(): never {
    throw new Error('no run here');
  }
  async stop() {}
  async close() {
    this.closed = true;
  }
}

let folder: string;
let opened: FakeSandbox[];
const open = async (plan: Plan) => {
  const sandbox = new FakeSandbox(`s${opened.length}`, plan);
  opened.push(sandbox);
  return sandbox;
};
let pool: WarmPool;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'warm-'));
  opened = [];
  pool = new WarmPool(open, 2, 60_000);
});
afterEach(async () => {
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

async function plan(part: Partial<Plan> = {}): Promise<Plan> {
  const { identity } = (await nodeHost.lstat(folder))!;
  return planWith({ mounts: [{ source: folder, target: folder, mode: 'rw', identity }], ...part });
}
/** As a backend does, of a run that is over at once. */
async function run(wanted: Plan): Promise<Sandbox | undefined> {
  const sandbox = await pool.take(wanted);
  pool.expect(wanted);
  return sandbox;
}

describe('what waits', () => {
  test('one for the first plan of all, for another once it has come twice; then every run finds one, each another', async () => {
    const [wanted, other] = [await plan(), await plan({ network: 'allow' })];
    expect(await run(wanted)).toBeUndefined();
    expect(pool.stats.waiting).toBe(1);
    expect(await pool.take(other)).toBeUndefined();
    pool.expect(other);
    expect(pool.stats.waiting).toBe(1);
    const used = [await run(wanted), await run(wanted), await run(wanted)];
    expect(new Set(used).size).toBe(3);
    expect(used).not.toContain(undefined);
    expect(pool.stats).toEqual({ hits: 3, misses: 2, waiting: 1 });
  });

  test('nothing where memory is scarce, until it is not', async () => {
    let scarce = true;
    await using tight = Object.assign(new WarmPool(open, 2, 60_000, () => scarce), {
      [Symbol.asyncDispose]: () => tight.close(),
    });
    const wanted = await plan();
    tight.expect(wanted);
    expect(tight.stats.waiting).toBe(0);
    scarce = false;
    tight.expect(wanted);
    expect(tight.stats.waiting).toBe(1);
  });

  test('one tells what it costs, where its supervisor is a process of this host', async () => {
    const parked = async (wanted: Plan) => Object.assign(await open(wanted), { park: async () => process.pid });
    await using known = Object.assign(new WarmPool(parked, 2, 60_000), { [Symbol.asyncDispose]: () => known.close() });
    known.expect(await plan());
    await expect.poll(() => known.stats.each?.memoryBytes ?? 0).toBeGreaterThan(1 << 20);
    expect(known.stats.each!.cpuMsPerSecond).toBeGreaterThanOrEqual(0);
  });

  test('serves a run that differs only in what the frame carries', async () => {
    for (let i = 0; i < 2; i++) await run(await plan());
    const limits = { ...DEFAULT_LIMITS, timeoutMs: 5, outputBytes: 9, fileBytes: 8, diskFloorBytes: 7 };
    expect(await run(await plan({ limits }))).toBeDefined();
  });

  test.each<[string, (wanted: Plan) => Plan]>([
    ['network', wanted => ({ ...wanted, network: 'allow' })],
    ['user', wanted => ({ ...wanted, user: { uid: 1, gid: 1, groups: [] } })],
    ['memory', wanted => ({ ...wanted, limits: { ...wanted.limits, memoryBytes: 1 } })],
    ['mode of a folder', wanted => ({ ...wanted, mounts: [{ ...wanted.mounts[0]!, mode: 'ro' }] })],
    ['image', wanted => ({ ...wanted, root: { ...wanted.root, id: 'sha256:other' } })],
    ['runtime', wanted => ({ ...wanted, runtime: 'runsc' })],
    ['longer time than it was made for', wanted => ({ ...wanted, limits: { ...wanted.limits, timeoutMs: 300_001 } })],
  ])('does not serve another %s', async (_, change) => {
    const wanted = await plan();
    for (let i = 0; i < 2; i++) await run(wanted);
    expect(await run(change(wanted))).toBeUndefined();
  });

  test('serves a plan with a mount over a file, as protected ones have', async () => {
    const wanted = await plan();
    const source = join(folder, '.envrc');
    writeFileSync(source, '');
    const { identity } = (await nodeHost.lstat(source))!;
    wanted.mounts.push({ source, target: source, mode: 'ro', identity });
    for (let i = 0; i < 5; i++) await run(wanted);
    expect(pool.stats).toEqual({ hits: 4, misses: 1, waiting: 1 });
  });

  test('is never one whose folder was replaced', async () => {
    const before = await plan();
    for (let i = 0; i < 2; i++) await run(before);
    renameSync(folder, `${folder}.old`);
    mkdirSync(folder);
    expect(await run(await plan())).toBeUndefined();
    rmSync(`${folder}.old`, { recursive: true });
  });

  test('is not even made for a folder that is no longer the plan’s', async () => {
    const before = await plan();
    renameSync(folder, `${folder}.old`);
    mkdirSync(folder);
    for (let i = 0; i < 3; i++) expect(await run(before)).toBeUndefined();
    expect(opened).toEqual([]);
    rmSync(`${folder}.old`, { recursive: true });
  });

  test('is never one with other mounts below its folder than there are now', async () => {
    const before = await plan();
    await run(before);
    const [mount] = before.mounts;
    expect(await run({ ...before, mounts: [{ ...mount!, below: [`${folder}/data ext4 8:1 /`] }] })).toBeUndefined();
  });

  test('is thrown away when such a mount came or went while it was made', async () => {
    const [mount] = (await plan()).mounts;
    const wanted = await plan({ mounts: [{ ...mount!, below: [`${folder}/data ext4 8:1 /`] }] });
    pool.expect(wanted);
    await expect.poll(() => opened[0]?.closed).toBe(true);
    expect(await pool.take(wanted)).toBeUndefined();
  });

  test('is shared evenly between plans', async () => {
    const [one, other] = [await plan(), await plan({ network: 'allow' })];
    for (let i = 0; i < 3; i++) await run(one);
    for (let i = 0; i < 2; i++) await run(other);
    expect(await run(other)).toBeDefined();
    expect(await run(one)).toBeDefined();
  });
});

describe('what waits is thrown away', () => {
  test('when it has ended by itself, and the run is a cold one', async () => {
    const wanted = await plan();
    await run(wanted);
    await expect.poll(() => opened.length).toBe(1);
    opened[0]!.ended = true;
    expect(await pool.take(wanted)).toBeUndefined();
    await pool.close();
    expect(opened[0]!.closed).toBe(true);
  });

  test('when its time is over', async () => {
    const short = new WarmPool(open, 2, 20);
    const wanted = await plan();
    short.expect(wanted);
    await expect.poll(() => opened.map(sandbox => sandbox.closed)).toEqual([true]);
    expect(short.stats.waiting).toBe(0);
    await short.close();
  });

  const descriptors = async () => (await readdir('/proc/self/fd')).length;

  test('when the pool is closed, with every descriptor that it held', async () => {
    const before = await descriptors();
    const wanted = await plan();
    for (let i = 0; i < 5; i++) await run(wanted);
    await sleep(10);
    await pool.close();
    expect(opened.filter(sandbox => !sandbox.closed).length).toBe(4);
    expect(await descriptors()).toBe(before);
    pool.expect(wanted);
    expect(pool.stats.waiting).toBe(0);
  });

  test('while its folders are still being opened: those that are opened later are closed as well', async () => {
    const before = await descriptors();
    const wanted = await plan();
    pool.expect({ ...wanted, mounts: Array(20).fill(wanted.mounts[0]) });
    pool.clear();
    await pool.close();
    expect(await descriptors()).toBe(before);
  });
});

test('a sandbox that cannot be opened is a miss, never an error', async () => {
  const broken = new WarmPool(() => Promise.reject(new Error('no engine')), 2, 1000);
  const wanted = await plan();
  for (let i = 0; i < 4; i++) {
    expect(await broken.take(wanted)).toBeUndefined();
    broken.expect(wanted);
  }
  await broken.close();
});

test('the next is made when the run is over, or has had a head start', async () => {
  const backend = { name: 'docker', open, close: async () => {} } as unknown as Backend;
  const warm = new WarmBackend(backend, { max: 2, idleSeconds: 60 });
  const wanted = await plan();
  const first = await warm.open(wanted);
  expect(opened).toHaveLength(1);
  await first.close();
  await expect.poll(() => opened.length).toBe(2);
  const second = await warm.open(wanted);
  expect(second.id).toBe('s1');
  await expect.poll(() => opened.length).toBe(3);
  await second.close();
  await sleep(20);
  expect(opened).toHaveLength(3);
  await warm.close();
});

test('nothing is made any more once it is to be closed, whatever ends then', async () => {
  const backend = { name: 'docker', open, close: async () => {} } as unknown as Backend;
  const warm = new WarmBackend(backend, { max: 2, idleSeconds: 60 });
  const run = await warm.open(await plan());
  warm.quiesce();
  await run.close();
  await warm.close();
  expect(opened).toHaveLength(1);
});

test('an engine that cannot even be let go of leaves nothing that waits', async () => {
  const close = () => Promise.reject(new Error('gone'));
  const backend = { name: 'docker', open, close } as unknown as Backend;
  const warm = new WarmBackend(backend, { max: 2, idleSeconds: 60 });
  await (await warm.open(await plan())).close();
  await expect.poll(() => opened.length).toBe(2);
  await expect(warm.close('lost')).rejects.toThrow('gone');
  expect(opened[1]!.closed).toBe(true);
});

test('none waits with a network', async () => {
  const backend = { name: 'docker', open, close: async () => {} } as unknown as Backend;
  const warm = new WarmBackend(backend, { max: 2, idleSeconds: 60 });
  for (let i = 0; i < 3; i++) await warm.open(await plan({ network: 'allow' }));
  expect(warm.warm).toMatchObject({ hits: 0 });
  expect(opened).toHaveLength(3);
  await warm.close();
});
