import { constants } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { Limits } from '../../../src/policy/plan.js';
import { Collector } from '../../../src/sandbox/collector.js';
import { BackendUnavailable, InvalidRequest, RunFailed } from '../../../src/sandbox/errors.js';
import { type Finished, settle } from '../../../src/sandbox/outcome.js';
import type { RunResult } from '../../../src/sandbox/result.js';
import { type Trailer, trailerOf } from '../../../src/supervisor/trailer.js';

const limits: Limits = {
  timeoutMs: 1000,
  memoryBytes: 64 * 1024 * 1024,
  pids: 16,
  tmpBytes: 1,
  shmBytes: 1,
  outputBytes: 1024 * 1024,
  fileBytes: 1,
  diskFloorBytes: 256 * 1024 * 1024,
  cpus: 0,
};

function trailer({ kind = 'exited', ...part }: Partial<Trailer> = {}): Trailer {
  const known = { code: 0, oomKills: 0, userMicros: 2000, systemMicros: 1000, wallMicros: 5500 };
  return trailerOf(kind, { ...known, ...part });
}

function run(part: Partial<Finished> = {}): RunResult | RunFailed | Error {
  const stdout = new Collector(100);
  stdout.push(Buffer.from('out\n'));
  const finished: Finished = {
    ending: { trailer: trailer() },
    cause: undefined,
    planted: [],
    stdout,
    stderr: new Collector(100),
    limits,
    elapsedMs: 9,
    backend: 'podman',
    image: 'host',
    command: 'python3',
    root: 'host',
    known: ['python3', 'node'],
    mounts: [],
    ...part,
  };
  try {
    return settle(finished);
  } catch (error) {
    return error as Error;
  }
}

const killed = { code: null, signal: constants.signals.SIGKILL };

describe('what a run means', () => {
  const cases: Array<[string, Partial<Finished>, Partial<RunResult>]> = [
    [
      'exits 3',
      { ending: { trailer: trailer({ code: 3 }) } },
      { code: 3, signal: null, end: 'exit', stdout: 'out\n', stderr: '' },
    ],
    [
      'is killed by SIGTERM',
      { ending: { trailer: trailer({ code: null, signal: 15 }) } },
      { code: 143, signal: null, end: 'exit' },
    ],
    [
      'kills itself with SIGKILL',
      { ending: { trailer: trailer(killed) } },
      { code: 137, signal: null, end: 'exit', stderr: '' },
    ],
    [
      'meets its deadline',
      { ending: { trailer: trailer({ ...killed, kind: 'deadline' }) } },
      { code: null, signal: 'SIGKILL', end: 'timeout', timedOut: true, stdout: 'out\n' },
    ],
    [
      'runs out of memory',
      { ending: { trailer: trailer({ ...killed, oomKills: 1 }) } },
      { code: 137, signal: null, end: 'memory', oomKilled: true },
    ],
    [
      'meets its deadline while the kernel kills for memory: the deadline decides',
      { ending: { trailer: trailer({ ...killed, kind: 'deadline', oomKills: 3 }) } },
      { signal: 'SIGKILL', end: 'timeout', oomKilled: true },
    ],
    [
      'loses a child to the memory limit and exits 1',
      { ending: { trailer: trailer({ code: 1, oomKills: 1 }) } },
      { code: 1, signal: null, end: 'exit', oomKilled: true },
    ],
    [
      'is aborted',
      { cause: 'aborted', ending: { trailer: trailer({ ...killed, kind: 'owner-gone' }) } },
      { signal: 'SIGTERM', end: 'aborted' },
    ],
    [
      'fills the disk',
      { cause: 'disk', ending: { trailer: trailer({ ...killed, kind: 'owner-gone' }) } },
      { signal: 'SIGTERM', end: 'disk' },
    ],
    [
      'is killed together with its supervisor, not by us',
      { ending: { exitCode: 137 } },
      { code: 137, signal: null, end: 'exit' },
    ],
    [
      'ends without a trailer, out of memory',
      { ending: { exitCode: 137, oomKilled: true } },
      { code: 137, end: 'memory' },
    ],
    [
      'is killed from outside at its deadline',
      { cause: 'timeout', ending: { exitCode: 137 } },
      { signal: 'SIGKILL', end: 'timeout' },
    ],
    [
      'exits by itself although an abort was under way',
      { cause: 'aborted', ending: { trailer: trailer({ code: 2 }) } },
      { code: 2, end: 'exit' },
    ],
  ];
  test.each(cases)('%s', (_, part, expected) => {
    const error = run(part);
    expect(error).toBeInstanceOf(RunFailed);
    expect((error as RunFailed).result).toMatchObject(expected);
  });

  test('exits 0: resolves with the facts', () => {
    expect(run()).toMatchObject({
      code: 0,
      signal: null,
      stdout: 'out\n',
      stderr: '',
      durationMs: 5.5,
      cpuMs: 3,
      backend: 'podman',
    });
  });

  test('exits 0 although a child was killed for memory: no line, but the fact', () => {
    expect(run({ ending: { trailer: trailer({ oomKills: 1 }) } })).toMatchObject({
      code: 0,
      oomKilled: true,
      stderr: '',
    });
  });
});

describe('what the user must know stands at the end of stderr', () => {
  const stderrOf = (part: Partial<Finished>) => (run(part) as RunFailed).result.stderr;
  test('the memory limit with its value', () => {
    expect(stderrOf({ ending: { trailer: trailer({ ...killed, oomKills: 1 }) } })).toBe(
      'code-sandbox: the memory limit of 64 MiB was reached and the kernel killed the program; limits.memoryMiB (in the agent API memoryMB) raises it\n',
    );
  });
  test('the time limit, on a line of its own', () => {
    const stderr = new Collector(100);
    stderr.push(Buffer.from('half a line'));
    expect(stderrOf({ stderr, ending: { trailer: trailer({ ...killed, kind: 'deadline' }) } })).toBe(
      'half a line\ncode-sandbox: the run was ended at its time limit of 1000 ms; the request’s timeout raises it\n',
    );
  });
  test('the floor of the disk, with the folder', () => {
    expect(stderrOf({ cause: 'disk', full: '/srv/work', ending: {} })).toBe(
      'code-sandbox: the run was ended: less than 256 MiB were left on the disk of "/srv/work", which limits.diskFloorMiB keeps free; make room there\n',
    );
  });
  test('dropped output', () => {
    const stdout = new Collector(1);
    stdout.push(Buffer.from('abc'));
    const result = run({ stdout }) as RunResult;
    expect(result).toMatchObject({ code: 0, truncated: true });
    expect(result.stderr).toBe('code-sandbox: stdout was longer than 1 MiB; the rest was dropped\n');
    const odd = run({ stdout, limits: { ...limits, outputBytes: 5000 } }) as RunResult;
    expect(odd.stderr).toBe('code-sandbox: stdout was longer than 5000 bytes; the rest was dropped\n');
  });
});

describe('a program that never started is no result', () => {
  const { ENOENT, EACCES, E2BIG } = constants.errno;
  test('command not found names it, the root and what there is', () => {
    const error = run({ ending: { trailer: trailer({ kind: 'exec-failed', errno: ENOENT }) } });
    expect(error).toBeInstanceOf(InvalidRequest);
    expect(error).toMatchObject({ code: 'command-not-found' });
    expect((error as Error).message).toMatch(/"python3" was not found.*host.*It has: python3, node/);
  });
  test('not executable', () => {
    const error = run({ root: 'img:1', ending: { trailer: trailer({ kind: 'exec-failed', errno: EACCES }) } });
    expect(error).toMatchObject({ name: 'InvalidRequest', code: 'command-not-executable' });
    expect((error as Error).message).toMatch(/image img:1.*EACCES/);
  });
  test('too long for the kernel', () => {
    expect(run({ ending: { trailer: trailer({ kind: 'exec-failed', errno: E2BIG }) } })).toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/\(E2BIG\).* 2 MiB .* 128 KiB\. Hand long data over in a file\.$/),
    });
  });
  test('a folder that was swapped', () => {
    const error = run({ mounts: ['/a', '/b'], ending: { trailer: trailer({ kind: 'mount-mismatch', detail: 1 }) } });
    expect(error).toMatchObject({ name: 'InvalidRequest', code: 'refused' });
    expect((error as Error).message).toMatch(/\/b was replaced/);
  });
  test('a folder that the program’s user cannot reach', () => {
    const ending = { trailer: trailer({ kind: 'mount-mismatch', detail: 0, errno: EACCES }) };
    expect((run({ mounts: ['/root/ws'], ending }) as Error).message).toMatch(/\/root\/ws cannot be reached.*EACCES/);
  });
  test('a frame that is broken names its part', () => {
    const error = run({ ending: { trailer: trailer({ kind: 'bad-frame', detail: 3 }) } });
    expect((error as Error).message).toMatch(/broke off at the flags/);
  });
  test('a script whose interpreter is missing', () => {
    const error = run({ command: './tool', ending: { trailer: trailer({ kind: 'exec-failed', errno: ENOENT }) } });
    expect((error as Error).message).toMatch(/"\.\/tool", or the interpreter that it names, was not found/);
  });
  test('a current folder that is not there', () => {
    expect(run({ ending: { trailer: trailer({ kind: 'setup-failed', detail: 6, errno: ENOENT }) } })).toMatchObject({
      code: 'invalid',
    });
  });
  test('a supervisor that could not set up, and a backend that is gone, are the platform’s fault', () => {
    expect(run({ ending: { trailer: trailer({ kind: 'setup-failed', detail: 4 }) } })).toBeInstanceOf(
      BackendUnavailable,
    );
    expect(run({ ending: {} })).toBeInstanceOf(BackendUnavailable);
    // The supervisor closed with 0 and its trailer never came: that is no program which exited with 0.
    expect(run({ ending: { exitCode: 0 } })).toBeInstanceOf(BackendUnavailable);
    expect(run({ ending: { exitCode: 122 } })).toBeInstanceOf(BackendUnavailable);
  });
});

test('a command’s name begins no line in a message', () => {
  const command = '/x\nforged\u202e/python3';
  for (const ending of [
    {},
    { trailer: trailer({ code: 3 }) },
    { trailer: trailer({ kind: 'exec-failed', errno: 2 }) },
  ]) {
    const { message } = run({ command, ending }) as Error;
    expect(message).toContain('"/x\\nforged\\u{202e}/python3"');
  }
});
