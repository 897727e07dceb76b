import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { attacks } from '../../attack/all.js';
import { mutations } from '../../mutation/all.js';
import { rest } from '../../mutation/rest.js';
import { tableOf } from '../../mutation/table.js';

const all = Object.values(mutations).flat();

test('docs/mutation.md is what the mutations say', async () => {
  await expect(tableOf(mutations, rest)).toMatchFileSnapshot('../../../docs/mutation.md');
});

test('every mutation is noticed by at least one attack that exists', () => {
  const names = Object.values(attacks).flatMap(list => list.map(({ name }) => name));
  for (const { option, notices } of all) {
    expect(notices, option).not.toEqual([]);
    // An ordinary user has no attacks as another uid.
    for (const notice of notices.map(name => name.replace(/, as uid \d+$/, ''))) {
      expect(
        names.some(name => name.startsWith(notice)),
        `${option}: ${notice}`,
      ).toBe(true);
    }
  }
});

test('the tests that stand for what is not taken out exist', () => {
  for (const [file, name] of rest.flatMap(({ tests = [] }) => tests)) {
    expect(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'), file).toContain(`'${name}'`);
  }
});
