import { statSync } from 'node:fs';
import { expect } from 'vitest';
import { python, request, resultOf, shell } from '../support/request.js';
import { ATTACKED, type Attack, compiled, folderOf } from './attack.js';

const { memoryMiB, pids } = ATTACKED.limits;

/** Guarantees 6 and 7. */
export const bombs: Attack[] = [
  {
    name: 'the page cache, which the kernel takes back',
    guarantee: 6,
    async run({ sandbox }) {
      using work = folderOf();
      const code = `
import os
for n in range(${(2 * memoryMiB) >> 4}):
    with open('cache%d' % n, 'wb') as file:
        for _ in range(15): file.write(bytes(1 << 20))`;
      const result = await python(sandbox, code, { policy: { fsWrite: [work.path] } });
      expect(result).toMatchObject({ code: 0, oomKilled: false });
    },
  },
  {
    name: 'processes without end, beside a run that must not suffer',
    guarantee: 7,
    needs: 'limits',
    async run({ sandbox }) {
      const code = `import os, time
count = 0
try:
    while count < ${4 * pids}:
        if os.fork() == 0: time.sleep(60)
        count += 1
except OSError: pass
print(count)`;
      const bomb = python(sandbox, code, { timeout: 10_000 });
      const bystander = shell(sandbox, 'sleep 0.3; echo unharmed');
      expect(await bystander).toMatchObject({ code: 0, stdout: 'unharmed\n' });
      const { stdout, code: exit } = await bomb;
      expect(exit).toBe(0);
      expect(Number(stdout)).toBeLessThan(pids);
    },
  },
  {
    name: 'a fork bomb that never rests, ended by its time',
    guarantee: 7,
    needs: 'limits',
    async run({ sandbox }) {
      const result = await resultOf(
        sandbox,
        request('sh', ['-c', 'b() { b | b & b; }; b 2>/dev/null'], { timeout: 1500 }),
      );
      // The shell may give up by itself; whichever comes first, nothing lives on and the next run works.
      expect([null, 0, 2, 254, 255]).toContain(result.code);
      expect(await shell(sandbox, 'echo next')).toMatchObject({ code: 0, stdout: 'next\n' });
    },
  },
  {
    name: 'threads without end',
    guarantee: 7,
    needs: 'limits',
    async run(scene) {
      const { stdout } = await compiled(scene, 'spray', [String(4 * pids)]);
      expect(Number(stdout)).toBeGreaterThan(0);
      expect(Number(stdout)).toBeLessThan(pids);
    },
  },
  {
    name: 'one file beyond its size, written, stretched or reserved',
    guarantee: 12,
    async run({ sandbox }) {
      using work = folderOf();
      const code = `import os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
fd = os.open('big', os.O_CREAT | os.O_RDWR)
most = ${ATTACKED.limits.fileMiB} << 20
for act in [lambda: os.ftruncate(fd, most + 1), lambda: os.ftruncate(fd, 1 << 50),
            lambda: os.posix_fallocate(fd, 0, most + 1), lambda: os.pwrite(fd, b'x', most)]:
    try: act(); print('grown')
    except OSError as error: assert error.errno == 27, error`;
      expect(await python(sandbox, code, { policy: { fsWrite: [work.path] } })).toMatchObject({ code: 0, stdout: '' });
      expect(statSync(`${work.path}/big`).size).toBeLessThanOrEqual(ATTACKED.limits.fileMiB << 20);
    },
  },
];
