import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { leftovers, targets } from '../support/targets.js';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const MiB = 1024 * 1024;
const ESCAPE = String.fromCharCode(27);

/** What stands behind the command line's stdout and stderr: a reader that goes away or is slow, a terminal. */
describe.each(targets)('the command line between others, on $name', target => {
  const start = (...args: string[]) =>
    execa(process.execPath, [main, 'run', ...target.cli, ...args], { reject: false, stdin: 'ignore', buffer: false });

  test('a reader that goes away ends the run, without a word, and nothing is left', async () => {
    const code = 'i=0; while :; do echo line $i; i=$((i+1)); done';
    const command = `"$@" | head -n 1; echo "\${PIPESTATUS[@]}"`;
    const args = ['-c', command, 'bash', process.execPath, main, 'run', ...target.cli, '--', 'sh', '-c', code];
    const done = await execa('bash', args, { reject: false, stdin: 'ignore' });
    expect(done).toMatchObject({ stdout: 'line 0\n141 0', stderr: '' });
    expect(leftovers(target)).toEqual([]);
  });

  test('a slow reader costs no memory', async () => {
    const running = start('--timeout', '60s', '--', 'sh', '-c', 'while :; do head -c 1048576 /dev/zero; done');
    const begun = new Promise<void>(resolve => {
      running.stdout.once('data', () => {
        running.stdout.pause();
        resolve();
      });
    });
    const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8'))![1]) / 1024;
    await begun;
    await sleep(1000);
    const before = memory();
    await sleep(2000);
    const grown = memory() - before;
    running.stdout.resume();
    running.kill('SIGTERM');
    expect((await running).exitCode).toBe(143);
    expect(grown).toBeLessThan(50);
    expect(leftovers(target)).toEqual([]);
  });

  test('all of much output comes through to a reader that is slow at first', async () => {
    const running = start('--', 'head', '-c', String(32 * MiB), '/dev/zero');
    let bytes = 0;
    running.stdout.on('data', (chunk: Buffer) => {
      if (bytes === 0) {
        running.stdout.pause();
        setTimeout(() => running.stdout.resume(), 2000);
      }
      bytes += chunk.length;
    });
    expect((await running).exitCode).toBe(0);
    expect(bytes).toBe(32 * MiB);
  });

  test.skipIf(process.platform !== 'linux')(
    'a terminal is not the program’s to drive, nor ours to be spoken for',
    async () => {
      const forged = `printf "code-sandbox: \\033]0;title\\007\\302\\233forged\\n" >&2; sleep 20`;
      const typed = [process.execPath, main, 'run', ...target.cli, '--timeout', '1s', '--', 'sh', '-c', forged];
      const words = typed.map(word => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
      const { stdout, exitCode } = await execa('script', ['-qec', words, '/dev/null'], { reject: false });
      expect(exitCode).toBe(124);
      expect(stdout).not.toContain(ESCAPE);
      expect(stdout).not.toContain('\u009b');
      expect(stdout.match(/forged/g)).toHaveLength(1);
      expect(stdout).toContain('code-sandbox: the run was ended at its time limit of 1000 ms');
    },
  );
});
