import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { supervisorDir } from '../../src/supervisor/binary.js';
import { encodeFrame } from '../../src/supervisor/frame.js';
import { processesNaming } from '../support/processes.js';
import { compileProgram, identities, program, run, Supervised } from './harness.js';

const storm = compileProgram('storm');

/** A duration for sleep(1) that no other process on this machine sleeps for. */
const marker = (): string => `3${randomInt(1e9)}.${randomInt(1e9)}`;

describe.each(identities)('started by %s, the end', identity => {
  test('comes with the program, and takes its survivors along', async () => {
    const mark = marker();
    const script = `trap "" TERM HUP; sleep ${mark} & setsid sleep ${mark} & (sleep ${mark} &) ; exit 3`;
    const what = program(['bash', '-c', script]);
    const supervised = new Supervised(identity);
    let left: number[] | undefined;
    supervised.onStdout = chunk => {
      if (chunk.includes(what.nonce)) left = processesNaming(mark).filter(pid => pid !== process.pid);
    };
    const { trailer } = await supervised.send(encodeFrame(what)).outcome(what.nonce);
    expect(trailer).toMatchObject({ kind: 'exited', code: 3 });
    expect(left).toEqual([]);
  });

  test('comes at the deadline, whatever the program does against it', async () => {
    const script =
      'trap "" TERM INT HUP; echo so far; for i in 1 2 3; do setsid sleep 1000 & done; sleep 1000; sleep 1000';
    const { stdout, trailer } = await run(identity, ['bash', '-c', script], { deadlineMs: 1000 });
    expect(stdout).toBe('so far\n');
    expect(trailer).toMatchObject({ kind: 'deadline', code: null, signal: 9 });
    expect(trailer!.wallMicros).toBeGreaterThanOrEqual(1_000_000);
  });

  test('of a storm of processes comes at the deadline too', async () => {
    const what = program([storm], { deadlineMs: 700 });
    const supervised = new Supervised(identity);
    let left: number[] | undefined;
    supervised.onStdout = chunk => {
      if (chunk.includes(what.nonce)) left = processesNaming(storm);
    };
    const { trailer } = await supervised.send(encodeFrame(what)).outcome(what.nonce);
    expect(trailer).toMatchObject({ kind: 'deadline', signal: 9 });
    expect(left).toEqual([]);
  });

  test('comes when the owner is gone', async () => {
    const what = program(['bash', '-c', 'trap "" HUP; echo up; sleep 1000; sleep 1000']);
    const supervised = new Supervised(identity).send(encodeFrame(what));
    supervised.onStdout = () => supervised.endStdin();
    expect(await supervised.outcome(what.nonce)).toMatchObject({
      stdout: 'up\n',
      trailer: { kind: 'owner-gone', code: null, signal: 9 },
    });
  });

  test('does not come by what is said on the owner line, nor by the end of a stdin of the program', async () => {
    const talked = program(['sleep', '0.3']);
    const supervised = new Supervised(identity).send(encodeFrame(talked)).send(Buffer.alloc(100_000, 'words'));
    expect((await supervised.outcome(talked.nonce)).trailer).toMatchObject({ kind: 'exited', code: 0 });
    const fed = program(['sleep', '0.3'], { stdin: true });
    const other = new Supervised(identity).send(encodeFrame(fed)).endStdin();
    expect((await other.outcome(fed.nonce)).trailer).toMatchObject({ kind: 'exited', code: 0 });
  });

  test('is asked for by SIGTERM, which every process gets', async () => {
    const child = 'bash -c \'trap "echo child; exit" TERM; echo up; while :; do sleep 0.02; done\'';
    const what = program(['bash', '-c', `trap 'wait; echo parent; exit 5' TERM; ${child} & wait`]);
    const supervised = new Supervised(identity).send(encodeFrame(what));
    supervised.onStdout = chunk => {
      if (chunk.toString() === 'up\n') process.kill(supervised.pid(), 'SIGTERM');
    };
    expect(await supervised.outcome(what.nonce)).toMatchObject({
      stdout: 'up\nchild\nparent\n',
      trailer: { kind: 'exited', code: 5 },
    });
  });

  test('is asked for by SIGTERM while the frame still comes: the program is started, and told', async () => {
    const what = program(['sleep', '20'], { deadlineMs: 15_000 });
    const frame = encodeFrame(what);
    for (const cut of [frame.length, 1, 12, 40]) {
      const supervised = new Supervised(identity);
      await expect.poll(() => isSupervisor(supervised)).toBe(true);
      supervised.send(frame.subarray(0, cut));
      if (cut < frame.length) await sleep(50);
      process.kill(supervised.pid(), 'SIGTERM');
      if (cut < frame.length) await sleep(50);
      supervised.send(frame.subarray(cut));
      expect((await supervised.outcome(what.nonce)).trailer).toMatchObject({ kind: 'exited', signal: 15 });
    }
  });

  test('is the program’s own where it comes together with the deadline', async () => {
    const endings = await Promise.all(
      Array.from({ length: 12 }, () => run(identity, ['sleep', '0.15'], { deadlineMs: 152 })),
    );
    for (const { trailer } of endings)
      expect([
        ['exited', 0, null],
        ['deadline', null, 9],
      ]).toContainEqual([trailer!.kind, trailer!.code, trailer!.signal]);
  });

  test('counts the time of the processor, of children too', async () => {
    const script = 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done';
    const { trailer } = await run(identity, ['bash', '-c', `bash -c '${script}' & wait`]);
    expect(trailer!.userMicros + trailer!.systemMicros).toBeGreaterThan(20_000);
  });

  test('comes for a supervisor without a frame', async () => {
    const nonce = Buffer.alloc(16, 1);
    expect(await new Supervised(identity, ['1']).outcome(nonce)).toMatchObject({ exitCode: 122, stdout: '' });
    expect((await new Supervised(identity).endStdin().outcome(nonce)).exitCode).toBe(122);
    const waiting = new Supervised(identity);
    for (let tries = 0; tries < 3000 && !isSupervisor(waiting); tries++) await sleep(10);
    process.kill(waiting.pid(), 'SIGTERM');
    expect((await waiting.outcome(nonce)).exitCode).toBe(122);
    for (const words of ['', '0', 'x', '1x', '-1']) {
      expect((await new Supervised(identity, [words]).outcome(nonce)).exitCode).toBe(123);
    }
  });
});

/** Whether unshare has become two processes, the second of which waits as PID 1 with its signals blocked. */
function isSupervisor(supervised: Supervised): boolean {
  try {
    return /SigBlk:\tf/.test(readFileSync(`/proc/${supervised.pid()}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('outside a process namespace the supervisor refuses, since it would end every process of the host', () => {
  const { status, stdout, stderr } = spawnSync(join(supervisorDir(process.arch), 'supervisor'), { input: '' });
  expect([status, String(stdout), String(stderr)]).toEqual([123, '', '']);
});
