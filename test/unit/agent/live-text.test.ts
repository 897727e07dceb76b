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
