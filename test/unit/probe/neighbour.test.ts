import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { PreparedRun } from '../../../src/policy/prepare.js';
import { openNeighbour } from '../../../src/probe/neighbour.js';
import { UnderWay } from '../../../src/probe/under-way.js';
import type { Backend, Ending, Sandbox } from '../../../src/sandbox/backend.js';
import { plan } from './scene.js';

const WHERE = 'listening 10.0.9.2:4711 0\n';
const ENDED: Ending = { exitCode: 0 };

/** A backend whose sandboxes say this, in pieces, and go on until `over`; and what became of them. */
function scene(said: string[], over: Promise<Ending>, removal = async () => {}) {
  const done: string[] = [];
  const sandbox: Sandbox = {
    id: 'x',
    image: 'host',
    ended: false,
    async run({ argv }, sinks) {
      done.push(argv.slice(1).join(' '));
      for (const piece of said) sinks.stdout(Buffer.from(piece));
      return over;
    },
    stop: async () => {},
    close: async () => {
      await removal();
      done.push('closed');
    },
  };
  const program = { argv: [], env: [], cwd: '/', deadlineMs: 1, stdin: false, rlimits: [], mounts: [] };
  const release = async () => void done.push('released');
  const prepared: PreparedRun = { plan, program, warnings: [], planted: async () => [], release };
  const backend = { open: async () => sandbox } as unknown as Backend;
  const trial = { backend, signal: new AbortController().signal, underWay: new UnderWay() };
  return { done, open: () => openNeighbour(trial, prepared, 9000) };
}

test('it says where it is, stays, and is gone when it is let go of', async () => {
  const { done, open } = scene([WHERE.slice(0, 15), WHERE.slice(15)], new Promise(() => {}));
  {
    await using neighbour = await open();
    expect(neighbour.seen()).toEqual({ address: '10.0.9.2:4711', errno: 0, stayed: true });
    expect(done).toEqual(['listen=9000']);
  }
  expect(done).toEqual(['listen=9000', 'closed', 'released']);
});

test('that it ended before its time is seen at once, however long its removal takes', async () => {
  let end = (_: Ending) => {};
  const over = new Promise<Ending>(resolve => {
    end = resolve;
  });
  const { open } = scene([WHERE], over, () => sleep(200));
  await using neighbour = await open();
  end(ENDED);
  await sleep(0);
  expect(neighbour.seen().stayed).toBe(false);
});

test.each([
  ['nothing', []],
  ['only other things', ['noise\n'.repeat(10_000), WHERE]],
])('one that says %s is no neighbour', async (_, said) => {
  const { done, open } = scene(said, Promise.resolve(ENDED));
  await expect(open()).rejects.toMatchObject({ name: 'BackendUnavailable' });
  expect(done).toEqual(['listen=9000', 'closed', 'released']);
});
