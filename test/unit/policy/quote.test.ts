import { expect, test } from 'vitest';
import { printable, quote } from '../../../src/policy/quote.js';

test.each([
  ['plain', '"plain"'],
  ['with "quotes"', '"with \\"quotes\\""'],
  ['line\nbreak', '"line\\nbreak"'],
  ['\u001b[2Jcleared', '"\\u001b[2Jcleared"'],
  ['\u009b31m', '"\\u{9b}31m"'],
  ['right\u202eleft', '"right\\u{202e}left"'],
  ['half \ud800', '"half \\ud800"'],
  ['日本語', '"日本語"'],
])('%j is shown as %s', (text, shown) => {
  expect(quote(text)).toBe(shown);
});

test('a long text is shortened', () => {
  expect(quote('x'.repeat(1_000_000), 10)).toBe(`"${'x'.repeat(10)}…"`);
});

test('of a program’s text, only line breaks and tabs still move a terminal’s cursor', () => {
  expect(printable('a\tb\n\u001b]0;title\u0007\r\u009b1A\u202e日本')).toBe(
    'a\tb\n\\u{1b}]0;title\\u{7}\\u{d}\\u{9b}1A\\u{202e}日本',
  );
});
