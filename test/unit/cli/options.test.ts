import { Command } from 'commander';
import { expect, test } from 'vitest';
import { addDoctor } from '../../../src/cli/doctor.js';
import { addPrune } from '../../../src/cli/prune.js';
import { addRun } from '../../../src/cli/run.js';

test('--dir is for the commands that know images by name', () => {
  const program = new Command().enablePositionalOptions();
  for (const add of [addRun, addDoctor, addPrune]) add(program);
  const having = program.commands.filter(({ options }) => options.some(({ long }) => long === '--dir'));
  expect(having.map(command => command.name())).toEqual(['run', 'doctor']);
});
