import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Demultiplexer } from '../../../src/engine/stream.js';

function frame(stream: number, payload: string | Buffer): Buffer {
  const body = Buffer.from(payload as string);
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}

function demux(chunks: Buffer[]): { stdout: string; stderr: string } {
  const seen = { stdout: '', stderr: '' };
  const demultiplexer = new Demultiplexer(
    chunk => {
      seen.stdout += chunk.toString('latin1');
    },
    chunk => {
      seen.stderr += chunk.toString('latin1');
    },
  );
  for (const chunk of chunks) demultiplexer.push(chunk);
  return seen;
}

test('a stream split at every offset gives the same output', () => {
  const recorded = Buffer.concat([
    frame(1, 'hello '),
    frame(2, 'oops'),
    frame(1, ''),
    frame(1, 'world\n'),
    frame(2, '!'),
  ]);
  for (let at = 0; at <= recorded.length; at++) {
    expect(demux([recorded.subarray(0, at), recorded.subarray(at)])).toEqual({
      stdout: 'hello world\n',
      stderr: 'oops!',
    });
  }
});

test('any frames, split anywhere, arrive exactly', () => {
  const frames = fc.array(fc.tuple(fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 300 })), { maxLength: 20 });
  fc.assert(
    fc.property(frames, fc.array(fc.nat({ max: 5000 }), { maxLength: 30 }), (list, cuts) => {
      const whole = Buffer.concat(list.map(([stream, bytes]) => frame(stream, Buffer.from(bytes))));
      const places = [0, ...cuts.filter(cut => cut < whole.length).sort((a, b) => a - b), whole.length];
      const chunks = places.slice(1).map((end, index) => whole.subarray(places[index], end));
      const of = (stream: number) =>
        Buffer.concat(list.filter(([s]) => s === stream).map(([, bytes]) => Buffer.from(bytes))).toString('latin1');
      expect(demux(chunks)).toEqual({ stdout: of(1), stderr: of(2) });
    }),
  );
});

test('a hundred thousand tiny frames in one chunk need no stack', () => {
  const many = Buffer.concat(Array.from({ length: 100_000 }, () => frame(1, 'x')));
  expect(demux([many]).stdout.length).toBe(100_000);
});

test('bytes that are no such stream are an error, not output', () => {
  expect(() => demux([Buffer.from('HTTP/1.1 500 Internal')])).toThrow(/attach stream is broken/);
});
