import { expect } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { RunResult } from '../../src/sandbox/result.js';
import { configFor } from '../support/config-for.js';
import { python } from '../support/request.js';
import { ATTACKED, type Attack, script } from './attack.js';

const { memoryMiB } = ATTACKED.limits;
/** What is in the way of files that count as memory must not be their own size. */
const ROOMY = { limits: { memoryMiB, tmpMiB: 4 * memoryMiB, shmMiB: 4 * memoryMiB } };

/** Takes memory in steps of 1 MiB, up to three times the limit, and prints each step. */
const memoryBomb = (take: string) => `
import ctypes, mmap, os, sys
kept = []
for step in range(1, ${3 * memoryMiB}):
    ${take}
    os.write(1, b'%d\\n' % step)
`;

/** Ways to take memory that count, and the end that they lead to. */
const MEMORY: Record<string, string> = {
  heap: 'kept.append(bytearray(1 << 20))',
  'shared anonymous mappings': 'm = mmap.mmap(-1, 1 << 20); m.write(bytes(1 << 20)); kept.append(m)',
  'memory files': 'os.write(os.memfd_create(str(step)), bytes(1 << 20))',
};

/** A segment of System V that is private, attached and written to; it is kept until the namespace ends. */
const SEGMENT = `libc = ctypes.CDLL(None); libc.shmat.restype = ctypes.c_void_p
    at = libc.shmat(libc.shmget(0, 1 << 20, 0o1600), None, 0)
    if at in (None, 2**64 - 1): break
    ctypes.memset(at, 1, 1 << 20)`;

const FILL = `
import os, sys
with open(sys.argv[1] + '/big', 'wb', buffering=0) as file:
    for step in range(1, ${3 * memoryMiB}):
        file.write(bytes(1 << 20))
        os.write(1, b'%d\\n' % step)
`;

/** The last step that a bomb could print. */
const stepsOf = ({ stdout }: RunResult) => Number(stdout.match(/^\d+$/gm)?.at(-1) ?? 0);

const OUT_OF_MEMORY = { code: 137, signal: null, oomKilled: true, end: 'memory' };

/** Guarantee 6. */
export const memory: Attack[] = [
  ...Object.entries(MEMORY).map(
    ([name, take]): Attack => ({
      name: `more memory than the limit: ${name}`,
      guarantee: 6,
      needs: 'limits',
      async run({ sandbox }) {
        const before = process.memoryUsage().rss;
        const result = await python(sandbox, memoryBomb(take));
        expect(result).toMatchObject(OUT_OF_MEMORY);
        expect(stepsOf(result)).toBeLessThanOrEqual(memoryMiB);
        expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20);
      },
    }),
  ),
  {
    name: 'more memory than the limit: segments of System V',
    guarantee: 6,
    needs: 'limits',
    async run({ sandbox }) {
      const result = await python(sandbox, memoryBomb(SEGMENT));
      expect(result.stderr).not.toContain('Traceback');
      expect(stepsOf(result)).toBeLessThanOrEqual(memoryMiB);
      // They are refused, or they count.
      if (result.code !== 0) expect(result).toMatchObject(OUT_OF_MEMORY);
    },
  },
  {
    name: 'more memory than the limit: files in /tmp and in shared memory, which have room for more',
    guarantee: 6,
    needs: 'limits',
    async run({ target }) {
      await using sandbox = await createCodeSandbox(configFor(target, ROOMY));
      for (const folder of ['/tmp', '/dev/shm']) {
        const result = await script(sandbox, FILL, [folder]);
        expect(stepsOf(result), folder).toBeGreaterThan(memoryMiB / 4);
        expect(stepsOf(result), folder).toBeLessThanOrEqual(memoryMiB);
        // Kernels that kill nobody for a file of theirs say that there is no room.
        if (!/No space left/.test(result.stderr)) expect(result).toMatchObject(OUT_OF_MEMORY);
      }
    },
  },
  {
    name: 'more memory than the limit: a million empty files in /tmp',
    guarantee: 6,
    needs: 'limits',
    async run({ sandbox }) {
      const code = `import os
os.chdir('/tmp')
try:
    for n in range(1, 1000000):
        os.close(os.open('%d' % n, os.O_CREAT))
        if n % 1000 == 0: os.write(1, b'%d\\n' % n)
except OSError as error: print(error)`;
      const made = stepsOf(await python(sandbox, code));
      // An inode takes nearly 1 KiB of the kernel's memory, which the run's limit covers; and not more than 8.
      expect(made).toBeGreaterThan((memoryMiB * 1024) / 16);
      expect(made).toBeLessThan(2 * memoryMiB * 1024);
    },
  },
];
