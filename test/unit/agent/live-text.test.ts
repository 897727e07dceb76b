import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { LiveText } from '../../../src/agent/live-text.js';

test('readers get everything from the beginning, whenever they come, and are let go at the end', async () => {
  const live = new LiveText(100);
  live.push(Buffer.from('one '));
  const early = Array.fromAsync(live);
  await new Promise(resolve => setImmediate(resolve));
  live.push(Buffer.from('two'));
  expect(live.text).toBe('one two');
  live.end();
  live.end();
  expect(await early).toEqual(['one ', 'two']);
  expect(await Array.fromAsync(live)).toEqual(['one two']);
});

test('a character that is split over chunks is whole, and one that is cut by the cap is left out', () => {
  const bytes = Buffer.from('aŁ日');
  const live = new LiveText(100);
  for (const byte of bytes) live.push(Buffer.from([byte]));
  live.end();
  expect(live.text).toBe('aŁ日');
  const cut = new LiveText(4);
  cut.push(bytes);
  cut.push(bytes);
  cut.end();
  expect(cut.text).toBe('aŁ');
});

test('a stream that breaks off in a character ends with U+FFFD, for readers as well', async () => {
  const live = new LiveText(100);
  live.push(Buffer.from([0x61, 0xe6, 0x97]));
  const early = Array.fromAsync(live);
  await new Promise(resolve => setImmediate(resolve));
  expect(live.text).toBe('a');
  live.end();
  expect(live.text).toBe('a\ufffd');
  expect(await early).toEqual(['a', '\ufffd']);
});

test('pieces that a reader keeps cost no more than the text', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const live = new LiveText(10 << 20);
  const pieces: string[] = [];
  const read = (async () => {
    for await (const piece of live) pieces.push(piece);
  })();
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 1500; n++) {
    live.push(Buffer.from(`${'x'.repeat(99)}\n`));
    await new Promise(resolve => setImmediate(resolve));
  }
  live.end();
  await read;
  collectGarbage();
  expect(pieces.length).toBeGreaterThan(1000);
  expect(pieces.join('')).toHaveLength(150_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 << 20);
});
