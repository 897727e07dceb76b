import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidRequest } from '../../../src/sandbox/errors.js';
import { encodeFrame, type Frame } from '../../../src/supervisor/frame.js';

const text = fc.string({ unit: 'binary' }).filter(s => !s.includes('\0'));
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const programs: fc.Arbitrary<Frame> = fc.record({
  argv: fc.array(text, { minLength: 1, maxLength: 5 }),
  env: fc.array(fc.tuple(text, text), { maxLength: 5 }),
  cwd: text,
  deadlineMs: fc.integer({ min: 1, max: 86_400_000 }),
  stdin: fc.boolean(),
  rlimits: fc.array(fc.record({ resource: fc.nat(15), soft: u64, hard: u64 }), { maxLength: 3 }),
  mounts: fc.array(fc.record({ device: u64, inode: u64, path: text }), { maxLength: 3 }),
  nonce: fc.uint8Array({ minLength: 16, maxLength: 16 }).map(bytes => Buffer.from(bytes)),
});

/** Reads a frame by the table in docs/protocol.md. */
function decode(frame: Buffer): { program: Frame; umask: number; rest: number } {
  let at = 0;
  const take = (size: number): Buffer => {
    at += size;
    return frame.subarray(at - size, at);
  };
  const int = (): number => take(4).readUInt32LE();
  const long = (): bigint => take(8).readBigUInt64LE();
  const str = (): string => {
    const value = take(int()).toString();
    expect(take(1)).toEqual(Buffer.alloc(1));
    return value;
  };
  const list = <T>(item: () => T): T[] => Array.from({ length: int() }, item);

  expect(take(4).toString()).toBe('CSBX');
  expect(int()).toBe(1);
  expect(int()).toBe(frame.length - 12);
  const nonce = Buffer.from(take(16));
  const deadlineMs = Number(long());
  const stdin = int() === 1;
  const umask = int();
  const rlimits = list(() => ({ resource: int(), soft: long(), hard: long() }));
  const mounts = list(() => ({ device: long(), inode: long(), path: str() }));
  const argv = list(str);
  const env = list(str).map((pair): [string, string] => ['', pair]);
  const cwd = str();
  return { program: { argv, env, cwd, deadlineMs, stdin, rlimits, mounts, nonce }, umask, rest: frame.length - at };
}

describe('encodeFrame', () => {
  test('carries every program exactly', () => {
    fc.assert(
      fc.property(programs, program => {
        const joined = program.env.map(([name, value]): [string, string] => ['', `${name}=${value}`]);
        expect(decode(encodeFrame(program))).toEqual({ program: { ...program, env: joined }, umask: 0o022, rest: 0 });
      }),
    );
  });

  const program: Frame = {
    argv: ['true'],
    env: [],
    cwd: '/',
    deadlineMs: 1,
    stdin: false,
    rlimits: [],
    mounts: [],
    nonce: Buffer.alloc(16),
  };

  test.each<[string, Partial<Frame>, string]>([
    ['the command', { argv: ['a\0b'] }, 'the command contains a NUL character'],
    ['an argument', { argv: ['a', 'b', 'c\0'] }, 'argument 2 contains a NUL character'],
    ['a variable', { env: [['KEY', 'a\0']] }, 'the environment variable "KEY" contains a NUL character'],
    ['the folder', { cwd: '/\0' }, 'the working directory contains a NUL character'],
    ['a mount', { mounts: [{ device: 0n, inode: 0n, path: '/\0' }] }, 'the path of a mount contains a NUL character'],
  ])('refuses NUL in %s', (_what, change, message) => {
    expect(() => encodeFrame({ ...program, ...change })).toThrow(InvalidRequest);
    expect(() => encodeFrame({ ...program, ...change })).toThrow(message);
  });

  test('refuses more than a supervisor takes', () => {
    expect(() => encodeFrame({ ...program, argv: ['x'.repeat(4 << 20)] })).toThrow(
      /take 41\d{5} bytes.*4194304 at most/,
    );
  });
});
