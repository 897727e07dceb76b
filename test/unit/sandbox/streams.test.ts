import { createReadStream } from 'node:fs';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { Gate } from '../../../src/sandbox/gate.js';
import { guarded } from '../../../src/sandbox/guarded.js';
import { joined } from '../../../src/sandbox/joined.js';
import { letGoOf, watchStdin } from '../../../src/sandbox/stdin.js';

const chunk = Buffer.from('x');

test('signals that are joined abort with the first, and hear nothing once it is over', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const removed = vi.spyOn(second.signal, 'removeEventListener');
  const both = joined(first.signal, undefined, second.signal);
  first.abort('first');
  expect([both.signal.aborted, both.signal.reason]).toEqual([true, 'first']);
  const other = joined(second.signal);
  for (const each of [both, other]) each[Symbol.dispose]();
  expect(removed).toHaveBeenCalledTimes(2);
  second.abort();
  expect(other.signal.aborted).toBe(false);
  expect(joined(first.signal).signal.reason).toBe('first');
});

test.each([
  ['fails to open', () => createReadStream('/nonexistent')],
  ['has failed already', () => new PassThrough().on('error', () => {}).destroy(new Error('old'))],
  ['is destroyed', () => new PassThrough().destroy()],
  ['is destroyed later', () => closing(stream => stream.destroy())],
  ['fails later', () => closing(stream => stream.destroy(new Error('late')))],
])('a stdin that %s has broken off', async (_, make) => {
  const broken = vi.fn();
  const watch = watchStdin(make(), broken);
  await expect.poll(() => broken.mock.calls.length).toBeGreaterThan(0);
  watch[Symbol.dispose]();
});

test('a stdin that ends has not broken off, and one that fails behind the run ends nothing', async () => {
  const broken = vi.fn();
  const whole = new PassThrough();
  const watch = watchStdin(whole, broken);
  whole.resume().end('all of it');
  await expect.poll(() => whole.destroyed).toBe(true);
  watch[Symbol.dispose]();
  const late = new PassThrough();
  watchStdin(late, broken)[Symbol.dispose]();
  late.destroy(new Error('nobody listens'));
  const unread = new PassThrough();
  using _ = watchStdin(unread, broken);
  letGoOf(unread);
  await setImmediate();
  expect(unread.destroyed).toBe(true);
  expect(broken).not.toHaveBeenCalled();
});

test('a callback that throws or rejects is told once, and not called again', async () => {
  for (const fail of [
    () => {
      throw new Error('mine');
    },
    async () => {
      throw new Error('mine');
    },
  ]) {
    const [tell, callback] = [vi.fn(), vi.fn(fail)];
    const guard = guarded('onStdout', callback, tell);
    await guard(chunk);
    await guard(chunk);
    expect(callback).toHaveBeenCalledOnce();
    expect(tell.mock.calls).toEqual([['onStdout threw and is not called any more: mine.']]);
  }
});

test('only a promise holds output back', async () => {
  const guard = guarded(
    'onStdout',
    () => 7,
    () => {},
  );
  expect(guard(chunk)).toBeUndefined();
  expect(new Gate().hold(guard(chunk))).toBeUndefined();
});

test('a gate waits for what is pending or failed, until it is opened for good', async () => {
  const gate = new Gate();
  const never = new Promise<void>(() => {});
  await gate.hold(Promise.resolve());
  await gate.hold(Promise.reject(new Error('x')));
  const held = gate.hold(never);
  gate.open();
  await held;
  expect(gate.hold(never)).toBeUndefined();
});

function closing(close: (stream: PassThrough) => void): PassThrough {
  const stream = new PassThrough();
  setTimeout(() => close(stream), 10);
  return stream;
}
