import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { EngineClient } from '../../../src/engine/client.js';
import { Container } from '../../../src/engine/container.js';

/** A container that runs and waits, as an engine on this kernel tells of it. */
async function parked(pid: number) {
  const stream = new PassThrough();
  const body = { Id: 'c1', Image: 'i', State: { Running: true, Pid: pid }, Config: { Labels: null } };
  const client = { facts: { sameKernel: true }, attach: async () => stream, request: async () => ({ body }) };
  const created = { id: 'c1', image: 'i', counters: undefined, hidesInodes: false };
  const container = await Container.start(client as unknown as EngineClient, created, async () => {});
  return { container, stream, told: await container.park() };
}

test('whose supervisor is a process of another pid namespace, by a number that is nobody’s here, waits until its connection ends', async () => {
  const { container, stream, told } = await parked(2 ** 30);
  expect([told, container.ended]).toEqual([undefined, false]);
  stream.destroy();
  await tick();
  expect(container.ended).toBe(true);
});

test('another’s process with its number does not count', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const { container, told } = await parked(child.pid!);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect([told, container.ended]).toEqual([undefined, false]);
});

test.runIf(process.getuid?.() === 0)(
  'the first process of a namespace below this one does, and its end is known at once',
  async () => {
    const unshare = spawn('unshare', ['--pid', '--fork', '--kill-child', 'sh', '-c', 'echo up; read line']);
    await once(unshare.stdout, 'data');
    const pid = Number(readFileSync(`/proc/${unshare.pid}/task/${unshare.pid}/children`, 'utf8'));
    const { container, told } = await parked(pid);
    expect([told, container.ended]).toEqual([pid, false]);
    process.kill(pid, 'SIGKILL');
    expect(container.ended).toBe(true);
    await once(unshare, 'exit');
  },
);
