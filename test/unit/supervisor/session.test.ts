import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Program } from '../../../src/supervisor/frame.js';
import { converse, type Sink } from '../../../src/supervisor/session.js';

const program: Program = { argv: ['sh'], env: [], cwd: '/', deadlineMs: 1, stdin: true, rlimits: [], mounts: [] };
const TEXT = Array.from({ length: 128 }, (_, code) => `a line${String.fromCodePoint(code)}`).concat(
  'grüße',
  '世界',
  '😀',
);

/** Whoever waits for an answer to what it has said says no more until then. */
test('text arrives whole at once, whatever it ends with and whatever the nonce', async () => {
  for (let session = 0; session < 100; session++) {
    let said: Sink = () => {};
    const over = Promise.withResolvers<void>();
    const read = (stdout: Sink) => {
      said = stdout;
      return over.promise;
    };
    const heard: string[] = [];
    const stdout = (chunk: Buffer) => void heard.push(chunk.toString());
    const trailer = converse({ input: new PassThrough(), read }, program, { stdout, stderr: () => {} });
    for (const text of TEXT) said(Buffer.from(text));
    expect(heard).toEqual(TEXT);
    over.resolve();
    expect(await trailer).toBeUndefined();
  }
});
