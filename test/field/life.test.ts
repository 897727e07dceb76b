import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { RunResult } from '../../src/sandbox/result.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { sizeOf } from '../support/growth.js';
import { python, shell } from '../support/request.js';
import { configFor, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

/** Cases from the field about how a run lives and ends; docs/field-cases.md lists them all. */
describe.each(targets)('field cases, life of a container, on $name', target => {
  let sandbox: CodeSandbox;
  beforeAll(async () => {
    sandbox = await createCodeSandbox(configFor(target, { limits: { memoryMiB: 64, outputMiB: 1 } }));
  });
  afterAll(() => sandbox.close());

  test('case 02: an exit code is waited for', async () => {
    const started = performance.now();
    expect(await shell(sandbox, 'sleep 1; exit 7')).toMatchObject({ code: 7, end: 'exit' });
    expect(performance.now() - started).toBeGreaterThan(1000);
  });

  test('case 04: after ten kills the next run works', async () => {
    const killed = await Promise.all(Array.from({ length: 10 }, () => shell(sandbox, 'sleep 30', { timeout: 300 })));
    for (const result of killed) expect(result).toMatchObject({ timedOut: true, signal: 'SIGKILL' });
    expect(await shell(sandbox, 'echo next')).toMatchObject({ code: 0, stdout: 'next\n' });
  });

  test('case 05: endless output with a small cap and a timeout of 2 s returns, memory flat', async () => {
    const before = process.memoryUsage().rss;
    let started = Number.NaN;
    const onStart = () => {
      started = performance.now();
    };
    const code = 'import os\nwhile True: os.write(1, b"x" * 65536)';
    const result = await python(sandbox, code, { timeout: 2000 }, { onStart });
    expect(performance.now() - started).toBeLessThan(5000);
    expect(result).toMatchObject({ timedOut: true, truncated: true });
    expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20);
  });

  test('case 06: 50 runs that last about their timeout end by it or by themselves', { timeout: 180_000 }, async () => {
    const runs = Array.from({ length: 50 }, (_, n) => {
      return shell(sandbox, 'sleep 0.3; exit 3', { timeout: 270 + 2 * n }).catch((error: Error) => error);
    });
    for (const outcome of await Promise.all(runs)) {
      expect(outcome, String((outcome as Error).stack)).not.toBeInstanceOf(Error);
      const { end, code, signal } = outcome as RunResult;
      expect(end === 'timeout' ? [code, signal] : [end, code, signal]).toEqual(
        end === 'timeout' ? [null, 'SIGKILL'] : ['exit', 3, null],
      );
    }
  });

  test('case 10: when the result is there, the program is dead, and what it started too', async () => {
    using work = workspace();
    const beat = (name: string) => `while :; do echo >>${name}; done`;
    const code = `trap "" TERM INT HUP; (${beat('child')}) & setsid sh -c 'trap "" TERM HUP; ${beat('other')}' & ${beat('own')}`;
    const result = await shell(sandbox, code, { policy: { fsWrite: [work.path] }, timeout: 1000 });
    const sizes = () => ['own', 'child', 'other'].map(name => sizeOf(`${work.path}/${name}`));
    const left = sizes();
    expect(result).toMatchObject({ timedOut: true, end: 'timeout' });
    expect(result.durationMs).toBeLessThan(2500);
    expect(Math.min(...left), 'all were at work').toBeGreaterThan(0);
    await sleep(500);
    expect(sizes()).toEqual(left);
  });

  test('case 14: what 137 means', { timeout: 120_000 }, async () => {
    const self = await shell(sandbox, 'kill -KILL $$');
    expect(self).toMatchObject({ code: 137, signal: null, timedOut: false, oomKilled: false });
    const late = await shell(sandbox, 'sleep 30', { timeout: 400 });
    expect(late).toMatchObject({ code: null, signal: 'SIGKILL', timedOut: true, oomKilled: false });
    if (target.weak) return;
    const large = await python(sandbox, 'x = bytearray(1 << 28)');
    expect(large).toMatchObject({ code: 137, signal: null, timedOut: false, oomKilled: true, end: 'memory' });
  });

  test('case 20: PID 1 passes signals on and buries the dead', async () => {
    expect(await shell(sandbox, 'kill -TERM $$')).toMatchObject({ code: 143, signal: null });
    const code = `import os, time
for _ in range(300):
    if os.fork() == 0:
        if os.fork() == 0: os._exit(0)
        os._exit(0)
    os.wait()
time.sleep(0.3)
states = [open('/proc/%s/stat' % p).read().rsplit(') ')[1][0] for p in os.listdir('/proc') if p.isdigit()]
print(states.count('Z'))`;
    expect((await python(sandbox, code)).stdout).toBe('0\n');
  });
});
