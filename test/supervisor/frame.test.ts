import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeFrame } from '../../src/supervisor/frame.js';
import { identities, program, Supervised } from './harness.js';

const HEADER = 12;
const [identity] = identities;

async function answer(bytes: Buffer, nonce: Buffer) {
  const { exitCode, trailer, stdout } = await new Supervised(identity!).send(bytes).endStdin().outcome(nonce);
  return { exitCode, kind: trailer?.kind, detail: trailer?.detail, stdout };
}

/** A frame whose body was changed, its length told right again. */
function changed(change: (body: Buffer) => Buffer): [Buffer, Buffer] {
  const what = program(['echo', 'ran'], {
    rlimits: [{ resource: 7, soft: 64n, hard: 64n }],
    mounts: [],
  });
  const frame = encodeFrame(what);
  const body = change(Buffer.from(frame.subarray(HEADER)));
  const header = Buffer.from(frame.subarray(0, HEADER));
  header.writeUInt32LE(body.length, 8);
  return [Buffer.concat([header, body]), what.nonce];
}

const written = (offset: number, value: number) => (body: Buffer) => {
  body.writeUInt32LE(value >>> 0, offset);
  return body;
};

// Offsets in the body of `changed`.
const DEADLINE = 16;
const FLAGS = 24;
const UMASK = 28;
const RLIMITS = 32;
const MOUNTS = RLIMITS + 4 + 20;
const ARGV = MOUNTS + 4;
const COMMAND = ARGV + 4;
const ENV = COMMAND + 4 + 5 + 4 + 4;

describe('a frame', () => {
  test('that is no frame ends the supervisor with 121', async () => {
    const [frame, nonce] = changed(body => body);
    expect(await answer(Buffer.from('GET / HTTP/1.1\r\n\r\n'), nonce)).toMatchObject({ exitCode: 121 });
    const version = Buffer.from(frame);
    version.writeUInt32LE(2, 4);
    expect(await answer(version, nonce)).toMatchObject({ exitCode: 121 });
    for (const length of [0, 15, (4 << 20) + 1, 0xffffffff]) {
      const lying = Buffer.from(frame);
      lying.writeUInt32LE(length, 8);
      expect(await answer(lying, nonce)).toMatchObject({ exitCode: 121 });
    }
  });

  test('that breaks off ends it with 122, wherever it does', async () => {
    const [frame, nonce] = changed(body => body);
    const cuts = [1, 4, 11, HEADER, HEADER + 8, HEADER + 16, frame.length - 1];
    for (const cut of cuts)
      expect(await answer(frame.subarray(0, cut), nonce)).toMatchObject({ exitCode: 122, stdout: '' });
  });

  test('that comes byte by byte is a frame', async () => {
    const what = program(['echo', 'ran']);
    const supervised = new Supervised(identity!);
    for (const byte of encodeFrame(what)) {
      supervised.send(Buffer.of(byte));
      await new Promise(resolve => setImmediate(resolve));
    }
    expect((await supervised.outcome(what.nonce)).stdout).toBe('ran\n');
  });

  test.each([
    ['no deadline', 2, (body: Buffer) => body.fill(0, DEADLINE, DEADLINE + 8)],
    ['unknown flags', 3, written(FLAGS, 2)],
    ['a umask of more than nine bits', 4, written(UMASK, 0o1000)],
    ['more limits than there are', 5, written(RLIMITS, 0xffffffff)],
    ['more mounts than there are', 6, written(MOUNTS, 0xffffffff)],
    ['mounts that swallow the rest', 6, written(MOUNTS, 1)],
    ['no command', 7, written(ARGV, 0)],
    ['more arguments than there are', 7, written(ARGV, 0xffffffff)],
    ['a length past the end', 7, written(COMMAND, 0xffffffff)],
    ['a length that is too long by one', 7, written(COMMAND, 5)],
    ['a length that is too short by one', 7, written(COMMAND, 3)],
    ['a NUL inside an argument', 7, (body: Buffer) => body.fill(0, COMMAND + 5, COMMAND + 6)],
    ['more variables than there are', 8, written(ENV, 0x10000000)],
    ['a relative folder', 9, (body: Buffer) => body.fill('x', body.length - 2, body.length - 1)],
    ['something after its end', 10, (body: Buffer) => Buffer.concat([body, Buffer.alloc(1)])],
    ['nothing but a nonce', 2, (body: Buffer) => body.subarray(0, 16)],
  ])('with %s is told to be broken', async (_what, detail, change) => {
    const [frame, nonce] = changed(change);
    expect(await answer(frame, nonce)).toEqual({ exitCode: 0, kind: 'bad-frame', detail, stdout: '' });
  });

  test('of random bytes never ends otherwise than by the protocol', async () => {
    const bodies = fc.uint8Array({ minLength: 16, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(bodies, async bytes => {
        const [frame, nonce] = changed(body => Buffer.concat([body.subarray(0, 16), bytes]));
        expect(await answer(frame, nonce)).toMatchObject({ exitCode: 0, kind: 'bad-frame', stdout: '' });
      }),
      { numRuns: 60 },
    );
  });

  test('with one byte changed ends by the protocol', async () => {
    const { length } = changed(body => body)[0];
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: HEADER + 16, max: length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, by) => {
          const [frame, nonce] = changed(body => body);
          frame[at] = frame[at]! ^ by;
          const { exitCode, kind } = await answer(frame, nonce);
          expect(exitCode).toBe(0);
          expect([
            'exited',
            'owner-gone',
            'deadline',
            'exec-failed',
            'bad-frame',
            'mount-mismatch',
            'setup-failed',
          ]).toContain(kind);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('of 4 MiB of empty arguments is more than a kernel takes, and is told so', async () => {
    const what = program(['true', ...Array.from({ length: 800_000 }, () => '')]);
    const supervised = new Supervised(identity!).send(encodeFrame({ ...what, nonce: randomBytes(16) }));
    const { exitCode } = await supervised.outcome(what.nonce);
    expect(exitCode).toBe(0);
  });
});
