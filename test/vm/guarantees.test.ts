import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { diagnose } from '../../src/sandbox/doctor.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { python, shell } from '../support/request.js';
import { configFor, targets } from '../support/targets.js';

const user = process.getuid!() === 0 ? 'root' : 'user';
const MEMORY_MIB = 64;
const PIDS = 64;
/** Every tmpfs is larger than the memory, and the host has a gigabyte of swap. */
const LIMITS = { memoryMiB: MEMORY_MIB, tmpMiB: 512, shmMiB: 512, pids: PIDS };

describe.each(targets)('on $name', target => {
  let sandbox: CodeSandbox;
  beforeAll(async () => {
    sandbox = await createCodeSandbox(configFor(target, { limits: LIMITS }));
  });
  afterAll(() => sandbox.close());

  test('all guarantees are enforced, none degraded', () => {
    const diagnosis = diagnose(sandbox.selection);
    // Kept when it is bad as well, which is when it is wanted most.
    writeFileSync(`${process.env.REPORTS}/doctor-${user}-${target.name}.json`, JSON.stringify(diagnosis, undefined, 2));
    expect(diagnosis).toMatchObject({ available: true, backend: target.kind, degraded: false });
    expect(diagnosis.guarantees.filter(({ status }) => status !== 'enforced')).toEqual([]);
    expect(diagnosis.guarantees).toHaveLength(13);
  });

  test.each(['/tmp', '/dev/shm'])('files in %s count as memory', async folder => {
    const code = `
with open('${folder}/big', 'wb', buffering=0) as file:
    for n in range(1, 400):
        file.write(bytes(1 << 20))
        print(n, flush=True)`;
    const result = await python(sandbox, code, { timeout: 60_000 });
    expect(result).toMatchObject({ code: 137, signal: null, oomKilled: true, timedOut: false, end: 'memory' });
    expect(Number(result.stdout.trim().split('\n').at(-1))).toBeLessThanOrEqual(MEMORY_MIB);
    expect(result.stderr).toContain(`the memory limit of ${MEMORY_MIB} MiB was reached`);
  });

  test('out of memory is told from a time-out, side by side', async () => {
    const hungry = python(sandbox, 'x = bytearray(1 << 29)', { timeout: 60_000 });
    const slow = shell(sandbox, 'sleep 300', { timeout: 4000 });
    expect(await hungry).toMatchObject({ code: 137, signal: null, oomKilled: true, timedOut: false, end: 'memory' });
    expect(await slow).toMatchObject({
      code: null,
      signal: 'SIGKILL',
      oomKilled: false,
      timedOut: true,
      end: 'timeout',
    });
  });

  test('processes without end stop at the limit, beside a run that must not suffer', async () => {
    const code = `
import os, time
count = 0
try:
    while count < 1000:
        if os.fork() == 0: time.sleep(60)
        count += 1
except OSError: pass
print(count)`;
    const bomb = python(sandbox, code, { timeout: 60_000 });
    expect(await shell(sandbox, 'sleep 0.3; echo unharmed')).toMatchObject({ code: 0, stdout: 'unharmed\n' });
    const { stdout } = await bomb;
    expect(Number(stdout)).toBeGreaterThan(PIDS / 2);
    expect(Number(stdout)).toBeLessThan(PIDS);
  });

  test.skipIf(target.kind !== 'docker')('AppArmor confines it beneath our own filter', async () => {
    expect((await shell(sandbox, 'cat /proc/self/attr/current')).stdout).toBe('docker-default (enforce)\n');
  });
});
