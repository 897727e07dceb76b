import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RunDir, sweepRunDirs } from '../../../src/agent/run-dir.js';
import { currentOwner, type Owner } from '../../../src/reaper/owner.js';
import { workspace } from '../../support/workspace.js';

test('scratch folders go with owners that are known to be dead: not with those of another machine, which may share the data folder', async () => {
  using data = workspace();
  const scratchOf = (id: string, part: Partial<Owner>) => {
    const { path, scratch } = new RunDir(data.path, id);
    mkdirSync(scratch, { recursive: true });
    writeFileSync(join(path, 'owner.json'), JSON.stringify({ ...currentOwner(), ...part }));
    return scratch;
  };
  const stay = [scratchOf('mine', {}), scratchOf('away', { boot: 'another', machine: 'another' })];
  const gone = [scratchOf('killed', { start: '1' }), scratchOf('earlier', { boot: 'another' })];
  await sweepRunDirs(data.path);
  expect([stay.map(existsSync), gone.map(existsSync)]).toEqual([
    [true, true],
    [false, false],
  ]);
});
