import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PreparedRun } from '../../../src/policy/prepare.js';
import type { Sandbox } from '../../../src/sandbox/backend.js';
import { execute } from '../../../src/sandbox/execute.js';
import { trailerOf } from '../../../src/supervisor/trailer.js';
import { DEFAULT_LIMITS, planWith } from '../engine/spec/plan.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the time of a run counts from its frame, however long the way to it takes', async () => {
  const stops: string[] = [];
  const sandbox: Sandbox = {
    id: 'one',
    image: 'x',
    ended: false,
    run: async (_, sinks) => {
      await new Promise(resolve => setTimeout(resolve, 9000));
      expect(stops).toEqual([]);
      sinks.began?.();
      await new Promise(resolve => setTimeout(resolve, 9000));
      return { trailer: trailerOf('deadline', { signal: 9 }) };
    },
    stop: async how => void stops.push(how),
    close: async () => {},
  };
  const prepared: PreparedRun = {
    plan: planWith({ mounts: [], limits: { ...DEFAULT_LIMITS, timeoutMs: 500 } }),
    program: { argv: ['x'], env: [], cwd: '/', deadlineMs: 500, stdin: false, rlimits: [], mounts: [] },
    warnings: [],
    planted: async () => [],
    release: async () => {},
  };
  const backend = { name: 'podman' as const, open: async () => sandbox };
  const over = execute(backend, { prepared, command: 'x', known: [], options: {} }, () => {}).catch(error => error);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await over).toMatchObject({ name: 'RunFailed', result: { end: 'timeout' } });
  expect(stops).toEqual(['kill']);
});

test('a run on a disk that is too full is ended, and told which folder lies there', async () => {
  vi.useRealTimers();
  const stopped = Promise.withResolvers<void>();
  const sandbox: Sandbox = {
    id: 'one',
    image: 'x',
    ended: false,
    run: async () => {
      await stopped.promise;
      return {};
    },
    stop: async () => stopped.resolve(),
    close: async () => {},
  };
  const source = tmpdir();
  const prepared: PreparedRun = {
    plan: planWith({
      mounts: [{ source, target: source, mode: 'rw' }],
      limits: { ...DEFAULT_LIMITS, diskFloorBytes: 2 ** 60 },
    }),
    program: { argv: ['x'], env: [], cwd: '/', deadlineMs: 500, stdin: false, rlimits: [], mounts: [] },
    warnings: [],
    planted: async () => [],
    release: async () => {},
  };
  const backend = { name: 'podman' as const, open: async () => sandbox };
  const over = execute(backend, { prepared, command: 'x', known: [], options: {} }, () => {});
  await expect(over).rejects.toMatchObject({
    result: { end: 'disk', notices: [expect.stringContaining(`on the disk of "${source}"`)] },
  });
});
