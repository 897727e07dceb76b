import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { configTable } from '../../support/config-table.js';

const readme = fileURLToPath(new URL('../../../README.md', import.meta.url));
const PLACE = /(<!-- configuration -->\n)[\s\S]*(<!-- \/configuration -->)/;

test('the README shows the configuration as the schema has it (UPDATE_DOCS=1 writes it)', () => {
  const text = readFileSync(readme, 'utf8');
  const wanted = text.replace(PLACE, (_, before, after) => `${before}${configTable()}\n${after}`);
  if (process.env.UPDATE_DOCS === '1') writeFileSync(readme, wanted);
  expect(process.env.UPDATE_DOCS === '1' ? wanted : text).toBe(wanted);
});
