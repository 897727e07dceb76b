import { expect, test } from 'vitest';
import { writerTo } from '../../../src/cli/output.js';

function written(isTTY: boolean, chunks: Buffer[]): string {
  const got: Array<string | Buffer> = [];
  const write = writerTo({ isTTY, write: (part: string | Buffer) => got.push(part) } as never);
  for (const chunk of chunks) write(chunk);
  return Buffer.concat(got.map(part => Buffer.from(part as string))).toString('latin1');
}

test('a terminal is not the program’s to drive, a pipe gets every byte', () => {
  const bytes = Buffer.from([0x1b, 0x5b, 0x32, 0x4a, 0xff, 0x0a]);
  expect(written(false, [bytes])).toBe(bytes.toString('latin1'));
  expect(written(true, [Buffer.from('\u001b[2J\n')])).toBe('\\u{1b}[2J\n');
  const split = Buffer.from('日');
  expect(Buffer.from(written(true, [split.subarray(0, 1), split.subarray(1)]), 'latin1').toString()).toBe('日');
});
