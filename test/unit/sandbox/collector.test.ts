import { expect, test } from 'vitest';
import { Collector } from '../../../src/sandbox/collector.js';

test('keeps everything below the cap, and says when something was dropped', () => {
  const collector = new Collector(5);
  collector.push(Buffer.from('abc'));
  collector.push(Buffer.from('de'));
  expect([collector.text(), collector.truncated]).toEqual(['abcde', false]);
  collector.push(Buffer.from('f'));
  expect([collector.text(), collector.truncated]).toEqual(['abcde', true]);
});

test('a chunk across the cap is cut', () => {
  const collector = new Collector(4);
  collector.push(Buffer.from('abcdef'));
  expect([collector.text(), collector.truncated]).toEqual(['abcd', true]);
});

test('a character cut by the cap is left out; bytes that are no UTF-8 become U+FFFD', () => {
  const cut = new Collector(4);
  cut.push(Buffer.from('aé€'));
  expect(cut.text()).toBe('aé');
  const odd = new Collector(10);
  odd.push(Buffer.from([0x61, 0xff, 0xfe, 0x62]));
  expect(odd.text()).toBe('a\ufffd\ufffdb');
});

test('a character split over chunks stays whole, also over many', () => {
  const collector = new Collector(1_000_000);
  for (let i = 0; i < 5000; i++) for (const byte of Buffer.from('€')) collector.push(Buffer.from([byte]));
  expect(collector.text()).toBe('€'.repeat(5000));
});
