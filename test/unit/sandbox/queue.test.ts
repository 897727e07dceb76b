import { expect, test } from 'vitest';
import { SandboxBusy } from '../../../src/sandbox/errors.js';
import { RunQueue } from '../../../src/sandbox/queue.js';

function gate(): { open: () => void; passed: Promise<void> } {
  let open = () => {};
  const passed = new Promise<void>(resolve => {
    open = resolve;
  });
  return { open, passed };
}

test('never more than the slots run at once, and all come to their turn in order', async () => {
  const queue = new RunQueue(3, 100);
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const task = (i: number) => async () => {
    order.push(i);
    most = Math.max(most, ++running);
    await new Promise(resolve => setImmediate(resolve));
    running--;
    if (i % 5 === 0) throw new Error('fails');
  };
  await Promise.allSettled(Array.from({ length: 50 }, (_, i) => queue.add(task(i))));
  expect(most).toBe(3);
  expect(order).toEqual(Array.from({ length: 50 }, (_, i) => i));
});

test('a full queue refuses with numbers', async () => {
  const queue = new RunQueue(1, 1);
  const { open, passed } = gate();
  const first = queue.add(() => passed);
  const second = queue.add(async () => 'second');
  await expect(queue.add(async () => 'third')).rejects.toThrow(SandboxBusy);
  await expect(queue.add(async () => 'third')).rejects.toThrow(/1 runs at once \(maxConcurrent\) and 1 waiting/);
  open();
  await first;
  expect(await second).toBe('second');
});

test('a full queue names its limits as they are set', async () => {
  const queue = new RunQueue(1, 0, 'limits.');
  const { open, passed } = gate();
  const first = queue.add(() => passed);
  await expect(queue.add(async () => {})).rejects.toThrow(/\(limits\.maxConcurrent\).*\(limits\.maxQueue\)/);
  open();
  await first;
});

test('a waiter that is aborted leaves the queue and never runs', async () => {
  const queue = new RunQueue(1, 5);
  const { open, passed } = gate();
  const first = queue.add(() => passed);
  const abort = new AbortController();
  let ran = false;
  const waiter = queue.add(async () => {
    ran = true;
  }, abort.signal);
  abort.abort(new Error('enough'));
  await expect(waiter).rejects.toThrow();
  open();
  await first;
  await queue.idle();
  expect(ran).toBe(false);
});

test('a task that runs is not let go of when its signal aborts: it ends by itself', async () => {
  const queue = new RunQueue(1, 5);
  const abort = new AbortController();
  const task = queue.add(async () => {
    abort.abort();
    await new Promise(resolve => setTimeout(resolve, 10));
    return 'its own end';
  }, abort.signal);
  expect(await task).toBe('its own end');
});

test('1,000 random starts, failures and aborts: N slots never become N + 1, nor fewer', async () => {
  const slots = 4;
  const queue = new RunQueue(slots, 1000);
  let running = 0;
  let most = 0;
  const pause = () => new Promise(resolve => setTimeout(resolve, Math.random() * 3));
  const one = async () => {
    const abort = new AbortController();
    const task = async () => {
      most = Math.max(most, ++running);
      try {
        if (Math.random() < 0.2) throw new Error('fails before it begins');
        await pause();
        if (Math.random() < 0.2) throw new Error('fails on the way');
      } finally {
        running--;
      }
    };
    const added = queue.add(task, abort.signal).catch(() => {});
    if (Math.random() < 0.3) await pause().then(() => abort.abort());
    await added;
  };
  await Promise.all(Array.from({ length: 1000 }, one));
  expect({ most, running }).toEqual({ most: slots, running: 0 });
  const { open, passed } = gate();
  const last = Array.from({ length: slots }, () =>
    queue.add(() => {
      running++;
      return passed;
    }),
  );
  await pause();
  expect(running).toBe(slots);
  open();
  await Promise.all(last);
});
