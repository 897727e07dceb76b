import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BackendUnavailable } from '../../../src/sandbox/errors.js';
import { decodeTrailer, TRAILER_SIZE, TrailerSplitter } from '../../../src/supervisor/trailer.js';

const nonce = randomBytes(16);

function trailer(fields: { kind?: number; status?: number; flags?: number; version?: number } = {}): Buffer {
  const bytes = Buffer.alloc(TRAILER_SIZE);
  nonce.copy(bytes);
  bytes.writeUInt32LE(fields.version ?? 1, 16);
  bytes.writeUInt32LE(fields.kind ?? 0, 20);
  bytes.writeUInt32LE(fields.status ?? 0, 24);
  bytes.writeUInt32LE(13, 28);
  bytes.writeUInt32LE(2, 32);
  bytes.writeUInt32LE(fields.flags ?? 0, 36);
  for (let i = 0; i < 5; i++) bytes.writeBigUInt64LE(BigInt(4 + i), 40 + 8 * i);
  return bytes;
}

describe('decodeTrailer', () => {
  test('reads every field', () => {
    expect(decodeTrailer(trailer({ status: 7 << 8, flags: 3 }))).toEqual({
      kind: 'exited',
      code: 7,
      signal: null,
      errno: 13,
      detail: 2,
      oomKills: 4,
      peakMemoryBytes: 5,
      userMicros: 6,
      systemMicros: 7,
      wallMicros: 8,
    });
  });

  test.each([
    [0, 255 << 8, { kind: 'exited', code: 255, signal: null }],
    [0, 11, { kind: 'exited', code: null, signal: 11 }],
    [0, 0x80 | 11, { kind: 'exited', code: null, signal: 11 }],
    [1, 9, { kind: 'deadline', code: null, signal: 9 }],
    [2, 9, { kind: 'owner-gone', code: null, signal: 9 }],
    [3, 0, { kind: 'exec-failed', code: null, signal: null }],
    [4, 0, { kind: 'bad-frame', code: null, signal: null }],
    [5, 0, { kind: 'mount-mismatch', code: null, signal: null }],
    [6, 0, { kind: 'setup-failed', code: null, signal: null }],
  ])('reads kind %i with status %i', (kind, status, expected) => {
    expect(decodeTrailer(trailer({ kind, status }))).toMatchObject(expected);
  });

  test('knows that the kernel may not tell', () => {
    expect(decodeTrailer(trailer({ flags: 0 }))).toMatchObject({ oomKills: null, peakMemoryBytes: null });
    expect(decodeTrailer(trailer({ flags: 1 }))).toMatchObject({ oomKills: 4, peakMemoryBytes: null });
  });

  test.each([trailer({ version: 2 }), trailer({ kind: 7 }), trailer().subarray(1), Buffer.alloc(0)])(
    'refuses what is no trailer of this version (%#)',
    bytes => {
      expect(() => decodeTrailer(bytes)).toThrow(BackendUnavailable);
    },
  );

  test('says what came, what was expected and what to do', () => {
    expect(() => decodeTrailer(trailer({ version: 2 }))).toThrow(
      /version 2 and kind 0, and version 1 with kinds 0 to 6 is expected.*install it anew/,
    );
  });
});

/** Pushes the chunks; answers all that came out, and what came out before the end. */
function split(chunks: Buffer[]): { output: Buffer; early: Buffer; splitter: TrailerSplitter } {
  const parts: Buffer[] = [];
  const splitter = new TrailerSplitter(nonce, chunk => parts.push(chunk));
  for (const chunk of chunks) splitter.push(chunk);
  const early = Buffer.concat(parts);
  splitter.end();
  return { output: Buffer.concat(parts), early, splitter };
}

/** Output that likes to look like the beginning of a nonce. */
const output = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 20 }).map(bytes => Buffer.from(bytes)),
      fc.nat(15).map(length => Buffer.from(nonce.subarray(0, length))),
    ),
    { maxLength: 12 },
  )
  .map(parts => Buffer.concat(parts))
  .filter(bytes => !bytes.includes(nonce));

function cut(bytes: Buffer, at: number[]): Buffer[] {
  const points = [0, ...at.map(n => n % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return points.slice(1).map((end, i) => bytes.subarray(points[i], end));
}

describe('TrailerSplitter', () => {
  test('parts output and trailer wherever the stream is cut', () => {
    fc.assert(
      fc.property(
        output,
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.uint8Array({ maxLength: 90 }),
        (bytes, cuts, after) => {
          const stream = Buffer.concat([bytes, trailer({ status: 3 << 8 }), after]);
          const { output, splitter } = split(cut(stream, cuts));
          expect(output).toEqual(bytes);
          expect(splitter.trailer).toEqual(decodeTrailer(trailer({ status: 3 << 8 })));
        },
      ),
    );
  });

  test('gives back all of a stream without a trailer, and most of it at once', () => {
    fc.assert(
      fc.property(output, fc.array(fc.nat(), { maxLength: 20 }), (bytes, cuts) => {
        const { output, early, splitter } = split(cut(bytes, cuts));
        expect(output).toEqual(bytes);
        const held = bytes.subarray(early.length);
        expect(held).toEqual(nonce.subarray(0, held.length));
        expect(splitter.trailer).toBeUndefined();
      }),
    );
  });

  test('has no trailer where the stream breaks off in the middle of it', () => {
    for (const length of [16, 17, TRAILER_SIZE - 1]) {
      const { output, splitter } = split([Buffer.from('out'), trailer().subarray(0, length)]);
      expect(output.toString()).toBe('out');
      expect(splitter.trailer).toBeUndefined();
    }
  });

  test('keeps no byte of what passes through', () => {
    const chunk = Buffer.alloc(1 << 20, 'x');
    let passed = 0;
    const splitter = new TrailerSplitter(nonce, bytes => {
      expect(bytes.buffer).toBe(chunk.buffer); // handed on, not copied
      passed += bytes.length;
    });
    for (let i = 0; i < 50; i++) splitter.push(chunk);
    expect(passed).toBe(50 << 20);
  });
});
