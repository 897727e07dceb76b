/** The other end of `contenders/remote.mjs`: a line of JSON in, a line out. */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ordinaryContenders } from './contenders.mjs';
import { footprint } from './footprint.mjs';
import { phases } from './phases.mjs';

const { entries, configs, work } = ordinaryContenders();
const open = new Map();

const answers = {
  entries: async () => entries.map(({ name, ours, images }) => ({ name, ours, images })),
  open: async ({ name }) => {
    open.set(name, await entries.find(entry => entry.name === name).open());
  },
  run: ({ name, program }) => open.get(name).run(program),
  warm: async ({ name }) => open.get(name).warm?.(),
  footprint: async () => footprint(),
  backends: async () => Object.keys(configs),
  phases: ({ name, program, rounds }) => phases(configs[name], program, rounds, work),
  close: async ({ name }) => open.get(name).close(),
};

const lines = createInterface({ input: process.stdin });
lines.on('close', () => work && rmSync(work, { recursive: true, force: true }));
lines.on('line', async line => {
  const { id, what, ...more } = JSON.parse(line);
  const answer = await answers[what](more).then(
    value => ({ value }),
    error => ({ error: error.message }),
  );
  process.stdout.write(`${JSON.stringify({ id, ...answer })}\n`);
});
