import { constants } from 'node:os';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { ProcessService } from '../../../../src/aalis.js';
import { createLocalProcess } from '../../../../src/launcher/process.js';
import { SeatbeltSandbox } from '../../../../src/launcher/seatbelt/sandbox.js';

/** Starts what sandbox-exec would start, without it: what is tested is the life of the process. */
const local = createLocalProcess();
const service: ProcessService = {
  ...local,
  spawn: (_launcher, [option, profile, command, ...args], options) => {
    expect([option, profile]).toEqual(['-f', '/profile']);
    return local.spawn(command!, args, options);
  },
};

interface Options {
  deadlineMs?: number;
  input?: string;
  /** Called with the sandbox as its program starts to write. */
  onOutput?(sandbox: SeatbeltSandbox): void;
  before?(sandbox: SeatbeltSandbox): void;
}

async function run(argv: string[], { deadlineMs = 10_000, input, onOutput, before }: Options = {}) {
  let output = '';
  const push = (chunk: Buffer) => {
    output += chunk.toString();
    onOutput?.(sandbox);
  };
  const sandbox = new SeatbeltSandbox({
    id: 'id',
    process: service,
    profile: '/profile',
    home: '/private/home',
    remove: async () => {},
  });
  const env: Array<[string, string]> = [
    ['PATH', '/usr/bin:/bin'],
    ['HOME', '/tmp'],
    ['TMPDIR', '/elsewhere'],
  ];
  const program = {
    argv,
    env,
    cwd: '/',
    deadlineMs,
    stdin: input !== undefined,
    rlimits: [],
    mounts: [],
    nonce: Buffer.alloc(16),
  };
  before?.(sandbox);
  const started = performance.now();
  const { trailer } = await sandbox.run(
    program,
    { stdout: push, stderr: push },
    input === undefined ? undefined : Readable.from([input]),
  );
  await sandbox.close();
  return { trailer: trailer!, output, elapsed: performance.now() - started };
}

test('the environment is what was asked for, with a private folder for HOME', async () => {
  const { trailer, output } = await run(['env']);
  expect(trailer).toMatchObject({ kind: 'exited', code: 0, signal: null });
  expect(output.split('\n').filter(Boolean).sort()).toEqual([
    'HOME=/private/home',
    'PATH=/usr/bin:/bin',
    'TMPDIR=/elsewhere',
  ]);
});

test('exit codes and signals are the program’s', async () => {
  expect((await run(['sh', '-c', 'exit 7'])).trailer).toMatchObject({ kind: 'exited', code: 7 });
  expect((await run(['sh', '-c', 'kill -TERM $$'])).trailer).toMatchObject({
    kind: 'exited',
    signal: constants.signals.SIGTERM,
  });
});

test('the deadline ends the whole group', async () => {
  const { trailer, output, elapsed } = await run(['sh', '-c', 'echo on; sleep 30 & sleep 30'], { deadlineMs: 2000 });
  expect(trailer.kind).toBe('deadline');
  expect(output).toBe('on\n');
  expect(elapsed).toBeLessThan(10_000);
});

test('a run that this process ends is no end of the program’s own, whether or not it had started', async () => {
  const stop = (sandbox: SeatbeltSandbox) => void sandbox.stop('kill');
  expect((await run(['sh', '-c', 'echo on; sleep 30'], { onOutput: stop })).trailer.kind).toBe('owner-gone');
  const never = await run(['echo', 'on'], { before: stop });
  expect([never.trailer.kind, never.output]).toEqual(['owner-gone', '']);
});

test('SIGTERM is for the program to take', async () => {
  const term = (sandbox: SeatbeltSandbox) => void sandbox.stop('term');
  const { trailer } = await run(['sh', '-c', 'trap "exit 3" TERM; echo on; sleep 30 & wait'], { onOutput: term });
  expect(trailer).toMatchObject({ kind: 'exited', code: 3 });
});

test('what has left the group does not hold the end up, nor make it a late one', async () => {
  const { trailer, output, elapsed } = await run(['sh', '-c', 'setsid sleep 30 & sleep 0.1; echo on; exit 5'], {
    deadlineMs: 10_000,
  });
  expect(trailer).toMatchObject({ kind: 'exited', code: 5, signal: null });
  expect(output).toBe('on\n');
  expect(elapsed).toBeLessThan(9000);
});

test('a command that is not there, or cannot be executed', async () => {
  expect((await run(['nonesuch'])).trailer).toMatchObject({ kind: 'exec-failed', errno: constants.errno.ENOENT });
  expect((await run(['/etc/passwd'])).trailer).toMatchObject({ kind: 'exec-failed', errno: constants.errno.EACCES });
});

test('stdin is at its end, or the program’s own', async () => {
  expect((await run(['cat'])).output).toBe('');
  expect((await run(['cat'], { input: 'in' })).output).toBe('in');
});
