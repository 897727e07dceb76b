import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freeName, safeName } from '../../../src/agent/names.js';

test.each([
  ['plot 1.png', 'plot 1.png'],
  ['Größe-日本.csv', 'Größe-日本.csv'],
  ['a\nb\u001b[2J', 'a_b__2J'],
  ['a/b\\c:d', 'a_b_c_d'],
  ['.envrc', '_envrc'],
  ['..', '__'],
  ['-rf', '_rf'],
  ['end. ', 'end__'],
  ['right\u202egnp', 'right_gnp'],
  ['', '_'],
])('%j becomes %s', (name, safe) => expect(safeName(name)).toBe(safe));

test('whatever the name, it is one that can be created and shown', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), name => {
      const safe = safeName(name);
      expect(safe).toMatch(/^[^\p{C}/\\.-][^\p{C}/\\]*$/u);
      expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(200);
    }),
  );
});

test('names that differ only in case are not the same file', () => {
  const taken = new Set<string>();
  expect(['a.txt', 'A.txt', 'a.txt'].map(name => freeName(name, taken))).toEqual(['a.txt', 'A-2.txt', 'a-3.txt']);
});
