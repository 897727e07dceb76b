import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { InvalidRequest, RunFailed } from '../../src/sandbox/errors.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { python, request, resultOf, shell } from '../support/request.js';
import { configFor, leftovers, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

/** "What a run means", row by row, on every engine. */
describe.each(targets)('what a run means on $name', target => {
  let sandbox: CodeSandbox;
  beforeAll(async () => {
    sandbox = await createCodeSandbox(configFor(target, { limits: { memoryMiB: 64, outputMiB: 1 } }));
    expect(sandbox.backend).toBe(target.kind);
  });
  afterAll(async () => {
    await sandbox.close();
    expect(leftovers(target)).toEqual([]);
  });

  test('exits 0: resolves with both streams', async () => {
    const result = await sandbox.run(request('sh', ['-c', 'echo out; echo err >&2']));
    expect(result).toMatchObject({
      code: 0,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
      end: 'exit',
      timedOut: false,
    });
    expect(result.truncated).toBeUndefined();
  });

  test('exits 3: rejects RunFailed with the result', async () => {
    const run = sandbox.run(request('sh', ['-c', 'echo out; exit 3']));
    await expect(run).rejects.toBeInstanceOf(RunFailed);
    await expect(run).rejects.toMatchObject({ result: { code: 3, signal: null, stdout: 'out\n' } });
  });

  test('kills itself: 128 + signal, and no time-out', async () => {
    expect(await shell(sandbox, 'kill -TERM $$')).toMatchObject({ code: 143, signal: null, timedOut: false });
    expect(await shell(sandbox, 'kill -KILL $$')).toMatchObject({
      code: 137,
      signal: null,
      timedOut: false,
      oomKilled: false,
    });
  });

  test('runs past its timeout: SIGKILL, output so far kept, nothing lives on', async () => {
    const started = performance.now();
    const result = await shell(sandbox, 'echo before; trap "" TERM; sleep 30 & sleep 30', { timeout: 1000 });
    expect(performance.now() - started).toBeLessThan(8000);
    expect(result).toMatchObject({ code: null, signal: 'SIGKILL', timedOut: true, end: 'timeout' });
    expect(result.stdout).toBe('before\n');
    expect(result.stderr).toContain('time limit of 1000 ms');
  });

  test.skipIf(target.weak)('the memory limit ends the program: 137 and a line that names the limit', async () => {
    const result = await python(sandbox, 'x = bytearray(1 << 28); print(len(x))');
    expect(result).toMatchObject({ code: 137, signal: null, end: 'memory', oomKilled: true, timedOut: false });
    expect(result.stderr).toMatch(/code-sandbox: the memory limit of 64 MiB was reached.*\n$/);
  });

  test.skipIf(target.weak)(
    'the memory limit ends a child: the program’s own exit, and the line where it fails',
    async () => {
      const child = `import subprocess, sys
code = subprocess.run([sys.executable, '-c', 'x = bytearray(1 << 28)']).returncode
print(code); sys.exit(int(sys.argv[1]))`;
      const good = await resultOf(sandbox, request('python3', ['-c', child, '0']));
      expect(good).toMatchObject({ code: 0, stdout: '-9\n', stderr: '', oomKilled: true, end: 'exit' });
      const bad = await resultOf(sandbox, request('python3', ['-c', child, '5']));
      expect(bad).toMatchObject({ code: 5, stdout: '-9\n', oomKilled: true, end: 'exit' });
      expect(bad.stderr).toContain('the memory limit of 64 MiB was reached and the kernel killed a process');
    },
  );

  test('more output than the cap: the rest is dropped, the run goes on', async () => {
    const result = await python(
      sandbox,
      'import sys\nfor _ in range(300): sys.stdout.write("x" * 10000)\nprint(file=sys.stderr)',
    );
    expect(result).toMatchObject({ code: 0, truncated: true });
    expect(result.stdout.length).toBe(1024 * 1024);
    expect(result.stderr).toBe('\ncode-sandbox: stdout was longer than 1 MiB; the rest was dropped\n');
  });

  test('aborted: SIGTERM, at once, also before it begins', async () => {
    const abort = new AbortController();
    const run = python(
      sandbox,
      'import time; print("on", flush=True); time.sleep(30)',
      {},
      {
        signal: abort.signal,
        onStdout: () => abort.abort(),
      },
    );
    expect(await run).toMatchObject({ code: null, signal: 'SIGTERM', stdout: 'on\n', end: 'aborted' });
    const never = await shell(sandbox, 'echo never', {}, { signal: AbortSignal.abort() });
    expect(never).toMatchObject({ code: null, signal: 'SIGTERM', stdout: '', end: 'aborted' });
  });

  test('command not there or not executable: no result, and what there is', async () => {
    using work = workspace();
    writeFileSync(`${work.path}/plain`, 'no program\n', { mode: 0o644 });
    const missing = sandbox.run(request('nonesuch', []));
    await expect(missing).rejects.toMatchObject({ name: 'InvalidRequest', code: 'command-not-found' });
    await expect(missing).rejects.toThrow(/"nonesuch".*python3/s);
    await expect(missing).rejects.not.toHaveProperty('result');
    const plain = sandbox.run(request(`${work.path}/plain`, [], { policy: { fsRead: [work.path] } }));
    await expect(plain).rejects.toMatchObject({ name: 'InvalidRequest', code: 'command-not-executable' });
  });

  test('a bad request: no result, nothing created', async () => {
    const run = sandbox.run(request('true', [], { policy: { fsWrite: ['/nonesuch/folder'] } }));
    await expect(run).rejects.toBeInstanceOf(InvalidRequest);
    await expect(run).rejects.toThrow(/\/nonesuch\/folder/);
  });
});
