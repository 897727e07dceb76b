import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Cleanup } from '../../../src/sandbox/cleanup.js';
import { silentLogger } from '../../../src/sandbox/silent.js';

/** Work whose end is in the test's hand. */
function work() {
  let end = () => {};
  const done = new Promise<void>(resolve => {
    end = resolve;
  });
  return { done, end };
}

test('has room for more until too much is under way, and again when one of it has ended', async () => {
  const cleanup = new Cleanup(silentLogger);
  const pending = Array.from({ length: 32 }, work);
  for (const { done } of pending.slice(1)) cleanup.add('removing', done);
  await cleanup.room();
  cleanup.add('removing', pending[0]!.done);
  let room = false;
  const waiting = cleanup.room().then(() => {
    room = true;
  });
  await tick();
  expect(room).toBe(false);
  pending[5]!.end();
  await waiting;
  for (const { end } of pending) end();
  await cleanup.idle();
});

test('whoever waits for room can leave', async () => {
  const cleanup = new Cleanup(silentLogger);
  const pending = Array.from({ length: 32 }, work);
  for (const { done } of pending) cleanup.add('removing', done);
  const leave = new AbortController();
  const waiting = cleanup.room(leave.signal);
  leave.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(cleanup.room(leave.signal)).rejects.toThrow('enough');
  for (const { end } of pending) end();
  await cleanup.idle();
});

test('logs what failed, and goes on', async () => {
  const lines: string[] = [];
  const cleanup = new Cleanup({ ...silentLogger, warn: message => lines.push(message) });
  cleanup.add('removing container 1', Promise.reject(new Error('no engine')));
  await cleanup.idle();
  expect(lines).toEqual(['removing container 1 failed: no engine']);
});
