import { expect, test } from 'vitest';
// @ts-expect-error plain modules without types
import { barChart } from '../../../bench/chart.mjs';
// @ts-expect-error plain modules without types
import { table } from '../../../bench/table.mjs';

test('a table lines up, with one decimal and a dash for what was not measured', () => {
  const text = table(
    ['', 'median'],
    [
      ['bare', 9.25],
      ['none', undefined],
      ['text', '3/4'],
    ],
  );
  expect(text.split('\n')).toEqual([
    '|      | median |',
    '| ---- | -----: |',
    '| bare |    9.3 |',
    '| none |      - |',
    '| text |    3/4 |',
  ]);
});

test('a chart has a bar for each value, to scale, in the colour of its kind, and no live markup from a name', () => {
  const svg = barChart(
    'Times & <more>',
    [
      { label: '<script>', value: 10, ours: true },
      { label: 'other', value: 5, ours: false },
    ],
    'ms',
  );
  const widths = [...svg.matchAll(/<rect [^>]*width="([\d.]+)"[^>]*fill="([^"]+)"/g)].map(([, width, fill]) => [
    Number(width),
    fill,
  ]);
  expect(widths).toHaveLength(2);
  expect(widths[0]![0]).toBe(2 * (widths[1]![0] as number));
  expect(widths[0]![1]).not.toBe(widths[1]![1]);
  expect(svg).not.toMatch(/<script|<more/);
  expect(svg).toContain('10 ms');
});

test('a chart of nothing but zeros is one all the same', () => {
  expect(barChart('', [{ label: 'a', value: 0, ours: true }], 'ms')).not.toContain('NaN');
});
