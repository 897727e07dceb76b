import { expect, test } from 'vitest';
// @ts-expect-error plain modules without types
import { against, median, percentile, shuffled, summarize } from '../../../bench/statistics.mjs';

test.each([
  [[5], 0.5, 5],
  [[3, 1, 2], 0.5, 2],
  [[4, 1, 3, 2], 0.5, 2],
  [[10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 0.95, 10],
  [[10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 0, 1],
])('percentile of %j at %d is %d, a value that was measured', (values, share, expected) => {
  expect(percentile(values, share)).toBe(expected);
});

test('a summary orders numbers as numbers and leaves its input as it is', () => {
  const values = [100, 20, 3];
  expect(summarize(values)).toEqual({ n: 3, median: 20, p95: 100, p99: 100 });
  expect(values).toEqual([100, 20, 3]);
  expect(median([2, 10, 1])).toBe(2);
});

test('what lies over bare, and how many times bare it is', () => {
  expect(against(summarize([30]), summarize([10]))).toEqual({ over: 20, ratio: 3 });
});

test('shuffled has the same items in an order that the dice decide', () => {
  const items = [1, 2, 3, 4];
  expect(shuffled(items, () => 0)).toEqual([2, 3, 4, 1]);
  expect(shuffled(items, () => 0.999)).toEqual(items);
  expect(items).toEqual([1, 2, 3, 4]);
});
