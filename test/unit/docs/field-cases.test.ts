import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const rows = readFileSync(`${root}docs/field-cases.md`, 'utf8')
  .split('\n')
  .map(line => line.split('|').map(cell => cell.trim()))
  .filter(([, number]) => /^\d+$/.test(number ?? ''))
  .map(([, number, right, where]) => ({ number: Number(number), right, where: where! }));

test('the table has every case once, in order', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 44 }, (_, n) => n + 1));
});

/** A file, and the beginning of a test's name in it. */
const CITATION = /(test\/[\w/.-]+\.ts)(?: \(([^)]+)\))?/g;

test.each(rows)('case $number names tests that exist, or says why it does not apply', ({ number, where }) => {
  if (where.startsWith('does not apply')) return;
  const citations = [...where.matchAll(CITATION)];
  expect(citations.map(([citation]) => citation).join(', ')).toBe(where);
  for (const [citation, file, name] of citations) {
    const beginning = file!.includes('/field/') ? `case ${String(number).padStart(2, '0')}:` : name;
    expect(beginning, `${citation} names no test`).toBeTruthy();
    const text = readFileSync(root + file, 'utf8');
    const found = ["'", '`', '"'].some(quote => text.includes(quote + beginning));
    expect(found, `${file} has no test "${beginning}…"`).toBe(true);
  }
});
