import { chmodSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeFrame } from '../../src/supervisor/frame.js';
import { identities, openFolder, program, run, Supervised } from './harness.js';

const ENOENT = 2;
const ENOEXEC = 8;
const EACCES = 13;
const ENOTDIR = 20;

const text = fc.string({ unit: 'binary', maxLength: 60 }).filter(s => !s.includes('\0'));

describe.each(identities)('started by %s, a program', identity => {
  test('runs, and both trailers tell the same', async () => {
    const outcome = await run(identity, ['sh', '-c', 'echo out; echo err >&2; exit 7']);
    expect(outcome).toMatchObject({ stdout: 'out\n', stderr: 'err\n', exitCode: 0 });
    expect(outcome.trailer).toMatchObject({ kind: 'exited', code: 7, signal: null, errno: 0 });
    expect(outcome.trailerOfStderr).toEqual(outcome.trailer);
  });

  test('that dies of a signal is told by its number', async () => {
    const { trailer } = await run(identity, ['sh', '-c', 'kill -SEGV $$']);
    expect(trailer).toMatchObject({ kind: 'exited', code: null, signal: 11 });
  });

  test('gets every legal argument exactly', async () => {
    const strings = fc.array(text, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(strings, async args => {
        const argv = ['/bin/sh', '-c', 'cat /proc/$$/cmdline', ...args];
        const { stdout } = await run(identity, argv);
        expect(stdout).toBe(argv.map(argument => `${argument}\0`).join(''));
      }),
      { numRuns: 15 },
    );
  });

  test('gets every legal variable exactly, and no other', async () => {
    const name = text.filter(s => s !== '' && !s.includes('='));
    const pairs = fc.uniqueArray(fc.tuple(name, text), { maxLength: 8, selector: ([key]) => key });
    await fc.assert(
      fc.asyncProperty(pairs, async env => {
        const { stdout } = await run(identity, ['/bin/cat', '/proc/self/environ'], { env });
        expect(stdout).toBe(env.map(([key, value]) => `${key}=${value}\0`).join(''));
      }),
      { numRuns: 15 },
    );
  });

  test('gets 64 KiB of environment and 1 MiB of arguments', async () => {
    const env = Array.from({ length: 64 }, (_, i): [string, string] => [`V${i}`, 'x'.repeat(1020)]);
    const args = Array.from({ length: 16 }, (_, i) => `${i}`.padEnd(65_535, 'y'));
    const { stdout } = await run(identity, ['/bin/cat', '/proc/self/environ', '/proc/self/cmdline', '--', ...args], {
      env,
    });
    expect(stdout.length).toBeGreaterThan(64 * 1024 + 1024 * 1024);
    expect(stdout).toContain(`V63=${'x'.repeat(1020)}\0`);
    expect(stdout).toContain(`\0${args[15]}\0`);
  });

  test('starts in its folder, with its umask and its limits', async () => {
    const cwd = openFolder();
    const rlimits = [
      { resource: 7, soft: 64n, hard: 128n },
      { resource: 1, soft: 4096n, hard: 4096n },
    ];
    const { stdout } = await run(identity, ['bash', '-c', 'pwd; umask; ulimit -Sn; ulimit -Hn; ulimit -f; ulimit -c'], {
      cwd,
      rlimits,
    });
    expect(stdout).toBe(`${cwd}\n0022\n64\n128\n4\n0\n`);
  });

  test('has an empty stdin, or exactly what follows the frame', async () => {
    expect((await run(identity, ['cat'])).stdout).toBe('');
    const what = program(['cat'], { stdin: true });
    const input = 'line\n'.repeat(100_000);
    const fed = new Supervised(identity).send(Buffer.concat([encodeFrame(what), Buffer.from(input)])).endStdin();
    expect((await fed.outcome(what.nonce)).stdout).toBe(input);
  });

  test('is looked up as execvp does', async () => {
    const [first, second] = [openFolder(), openFolder()];
    const script = (path: string, content: string, mode: number) => {
      writeFileSync(path, content);
      chmodSync(path, mode);
    };
    script(join(first, 'twice'), '#!/bin/sh\necho first\n', 0o644);
    script(join(second, 'twice'), '#!/bin/sh\necho second\n', 0o755);
    script(join(first, 'forbidden'), '#!/bin/sh\n', 0o644);
    script(join(first, 'bare'), 'echo no interpreter\n', 0o755);
    const env: Array<[string, string]> = [['PATH', `/nowhere:${first}/twice:${first}:${second}`]];
    const ending = async (...argv: string[]) => (await run(identity, argv, { env })).trailer;

    expect((await run(identity, ['twice'], { env })).stdout).toBe('second\n');
    expect(await ending('forbidden')).toMatchObject({ kind: 'exec-failed', errno: EACCES, code: null, signal: null });
    expect(await ending('bare')).toMatchObject({ kind: 'exec-failed', errno: ENOEXEC });
    expect(await ending('nothing-of-this-name')).toMatchObject({ kind: 'exec-failed', errno: ENOENT });
    expect(await ending('')).toMatchObject({ kind: 'exec-failed', errno: ENOENT });
    expect(await ending(`${first}/twice/x`)).toMatchObject({ kind: 'exec-failed', errno: ENOTDIR });
    expect(await ending(first)).toMatchObject({ kind: 'exec-failed', errno: EACCES });
    expect((await run(identity, ['./twice'], { env, cwd: second })).stdout).toBe('second\n');
    expect((await run(identity, ['twice'], { env: [['PATH', '']], cwd: second })).stdout).toBe('second\n');
    expect((await run(identity, ['echo', 'no PATH'], { env: [] })).stdout).toBe('no PATH\n');
  });

  test('does not start in a folder that is not there', async () => {
    expect((await run(identity, ['true'], { cwd: '/nowhere' })).trailer).toMatchObject({
      kind: 'setup-failed',
      errno: ENOENT,
      detail: 6,
    });
  });

  test('starts only on the mounts that the host checked', async () => {
    const folder = openFolder();
    symlinkSync('/etc', join(folder, 'link'));
    const good = ['/', '/dev', folder, '/usr/bin/env'].map(path => {
      const { dev, ino } = statSync(path, { bigint: true });
      return { path, device: dev, inode: ino };
    });
    const ending = async (...mounts: typeof good) => (await run(identity, ['true'], { mounts })).trailer;

    expect(await ending(...good)).toMatchObject({ kind: 'exited', code: 0 });
    expect(await ending(...good, { ...good[2]!, path: join(folder, 'link') })).toMatchObject({
      kind: 'mount-mismatch',
      detail: 4,
      errno: 0,
    });
    expect(await ending({ ...good[0]!, inode: 1n + good[0]!.inode })).toMatchObject({
      kind: 'mount-mismatch',
      detail: 0,
    });
    expect(await ending(good[0]!, { ...good[1]!, device: 1n })).toMatchObject({ kind: 'mount-mismatch', detail: 1 });
    expect(await ending({ ...good[0]!, path: '/nowhere' })).toMatchObject({ kind: 'mount-mismatch', errno: ENOENT });
  });
});
