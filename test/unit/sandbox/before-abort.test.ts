import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { beforeAbort } from '../../../src/sandbox/before-abort.js';

test('work that is left in time is put away when it is done, and once', async () => {
  const away: string[] = [];
  const work = Promise.withResolvers<string>();
  const leave = new AbortController();
  const waiting = beforeAbort(work.promise, leave.signal, late => away.push(late));
  leave.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  work.resolve('late');
  await work.promise;
  expect(away).toEqual(['late']);
});

test('what was handed on is not put away, however soon after it is aborted', async () => {
  const away: string[] = [];
  const work = Promise.withResolvers<string>();
  const leave = new AbortController();
  const waiting = beforeAbort(work.promise, leave.signal, late => away.push(late));
  work.promise.then(() => leave.abort(new Error('too late')));
  work.resolve('in time');
  expect(await waiting).toBe('in time');
  await tick();
  expect(away).toEqual([]);
});
