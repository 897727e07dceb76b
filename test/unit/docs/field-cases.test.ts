import { existsSync, readFileSync } from 'node:fs';
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

test.each(rows)('case $number names tests that exist, or says why it does not apply', ({ number, where }) => {
  if (where.startsWith('does not apply')) return;
  const files = where.split(', ');
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    expect(existsSync(root + file), file).toBe(true);
    if (!file.includes('/field/')) continue;
    const name = `case ${String(number).padStart(2, '0')}:`;
    expect(readFileSync(root + file, 'utf8'), `${file} has no test ${name}`).toContain(name);
  }
});
