import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { python } from '../support/request.js';
import { configFor, targets } from '../support/targets.js';

const MEMORY_MIB = 64;

/** The host has a gigabyte of swap, and every tmpfs is larger than the limit: only the limit of memory and swap together ends this. */
describe.each(targets)('memory with swap on, on $name', target => {
  let sandbox: CodeSandbox;
  beforeAll(async () => {
    sandbox = await createCodeSandbox(
      configFor(target, { limits: { memoryMiB: MEMORY_MIB, tmpMiB: 512, shmMiB: 512 } }),
    );
  });
  afterAll(() => sandbox.close());

  test.each(['/tmp', '/dev/shm'])('files in %s count', async folder => {
    const code = `
with open('${folder}/big', 'wb', buffering=0) as file:
    for n in range(1, 400):
        file.write(bytes(1 << 20))
        print(n, flush=True)`;
    const result = await python(sandbox, code, { timeout: 120_000 });
    expect(result).toMatchObject({ code: 137, signal: null, oomKilled: true, timedOut: false, end: 'memory' });
    expect(Number(result.stdout.trim().split('\n').at(-1))).toBeLessThanOrEqual(MEMORY_MIB);
    expect(result.stderr).toContain(`the memory limit of ${MEMORY_MIB} MiB was reached`);
  });

  test('side by side: out of memory is not taken for a time-out, nor the other way round', async () => {
    const hungry = python(sandbox, 'x = bytearray(1 << 29)', { timeout: 120_000 });
    const slow = python(sandbox, 'import time; time.sleep(300)', { timeout: 4000 });
    expect(await hungry).toMatchObject({ code: 137, signal: null, oomKilled: true, timedOut: false, end: 'memory' });
    expect(await slow).toMatchObject({
      code: null,
      signal: 'SIGKILL',
      oomKilled: false,
      timedOut: true,
      end: 'timeout',
    });
  });
});
