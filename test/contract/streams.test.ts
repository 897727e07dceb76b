import { createReadStream } from 'node:fs';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { sizeOf } from '../support/growth.js';
import { request, resultOf, shell } from '../support/request.js';
import { configFor, leftovers, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const MiB = 1024 * 1024;

describe.each(targets)('streams of a run on $name', target => {
  let sandbox: CodeSandbox;
  const warnings: string[] = [];
  beforeAll(async () => {
    const log = (message: string) => message.includes(' threw and ') && warnings.push(message);
    const logger = { child: () => logger, debug: () => {}, info: () => {}, warn: log, error: log };
    sandbox = await createCodeSandbox(configFor(target), { logger });
  });
  afterAll(async () => {
    await sandbox.close();
    expect(leftovers(target)).toEqual([]);
  });

  test('output is held back at its reader’s pace, and none is lost', async () => {
    using work = workspace();
    const progress = `${work.path}/progress`;
    const code = 'for n in $(seq 64); do head -c 1048576 /dev/zero; printf . >>progress; done; echo done >&2';
    const counts = { stdout: 0, stderr: '' };
    let held = 0;
    const result = await shell(
      sandbox,
      code,
      { policy: { fsWrite: [work.path] }, timeout: 60_000 },
      {
        onStdout: async chunk => {
          counts.stdout += chunk.length;
          if (held > 0 || counts.stdout < 4 * MiB) return;
          await sleep(2000);
          const before = sizeOf(progress);
          await sleep(1500);
          held = sizeOf(progress) - before;
          // It got stuck: what is on the way fits into pipes and sockets.
          expect([held, sizeOf(progress) < 40]).toEqual([0, true]);
          held = 1;
        },
        onStderr: chunk => {
          counts.stderr += chunk.toString();
        },
      },
    );
    expect(result.code).toBe(0);
    expect(counts).toEqual({ stdout: 64 * MiB, stderr: 'done\n' });
    expect([held, warnings]).toEqual([1, []]);
  });

  test.each([
    ['the time limit', { timeout: 1500 }, undefined, { end: 'timeout', timedOut: true }],
    ['its caller', { timeout: 60_000 }, 1500, { end: 'aborted' }],
  ])('a run whose output nobody takes is ended by %s', async (_, parts, abortMs, expected) => {
    const signal = abortMs === undefined ? {} : { signal: AbortSignal.timeout(abortMs) };
    const never = () => new Promise<void>(() => {});
    const started = performance.now();
    const result = await shell(sandbox, 'while :; do echo yes yes yes; done', parts, { ...signal, onStdout: never });
    expect(result).toMatchObject(expected);
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  test.each([
    ['that cannot be opened', () => createReadStream('/nonexistent/file')],
    ['that is closed in the middle', () => breaking()],
    ['that fails in the middle', () => breaking(new Error('broken'))],
  ])('a stdin %s aborts the run', async (_, stdin) => {
    const started = performance.now();
    const result = await resultOf(sandbox, request('cat', [], { timeout: 20_000 }), { stdin: stdin() });
    expect(result).toMatchObject({ end: 'aborted', signal: 'SIGTERM' });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('a callback that throws costs the run nothing, and is told', async () => {
    const broken = () => {
      throw new Error('mine');
    };
    const result = await shell(sandbox, 'echo one; echo two >&2', {}, { onStdout: broken });
    expect(result).toMatchObject({ code: 0, stdout: 'one\n', stderr: 'two\n' });
    expect(warnings).toEqual(['onStdout threw and is not called any more: mine.']);
    expect(await shell(sandbox, 'echo one', {}, { onStart: broken })).toMatchObject({ code: 0, stdout: 'one\n' });
    expect(warnings.at(-1)).toBe('onStart threw and is not called any more: mine.');
  });
});

function breaking(error?: Error): PassThrough {
  const stream = new PassThrough();
  stream.write('first');
  setTimeout(() => stream.destroy(error), 1000);
  return stream;
}
