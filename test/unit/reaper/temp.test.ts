import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { currentOwner } from '../../../src/reaper/owner.js';
import { makeTempFolder, sweepTempFolders } from '../../../src/reaper/temp.js';
import { workspace } from '../../support/workspace.js';

test('a folder in the temp folder goes with its owner, and stays with a live one', async () => {
  using place = workspace();
  const [mine, left] = [await makeTempFolder('run', place.path), await makeTempFolder('probe', place.path)];
  const file = join(left, 'owner.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), start: '1' }));
  expect(await sweepTempFolders(currentOwner(), place.path)).toBe(1);
  expect([existsSync(mine), existsSync(left)]).toEqual([true, false]);
});
