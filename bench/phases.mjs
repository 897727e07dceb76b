import { tracingChannel } from 'node:diagnostics_channel';
import { prepareRun } from '../dist/policy/prepare.js';
import { execute } from '../dist/sandbox/execute.js';
import { openBackend } from './backends.mjs';
import { median } from './statistics.mjs';

/** Which call of an engine is which phase. */
const CALLS = [
  [/\/containers\/create$/, 'create'],
  [/\/attach$/, 'attach'],
  [/\/start$/, 'start'],
];

/** In the order of a run. `open` holds the three calls before it; `program` is the supervisor's own measure. */
export const PHASES = [
  'check',
  'create',
  'attach',
  'start',
  'open',
  'first byte',
  'end',
  'program',
  'result',
  'remove',
  'whole run',
];

/**
 * What measures the phases of one backend.
 * @typedef {object} Stopwatch
 * @property {string} name
 * @property {(program: import('./programs.mjs').Program, rounds: number) => ReturnType<typeof phases>} measure
 */

/**
 * Medians of each phase of cold runs on one backend, in milliseconds.
 * @param {object} config the package's configuration
 * @param {import('./programs.mjs').Program} program
 * @param {number} rounds
 * @param {string} work writable folder
 * @returns {Promise<{ label: string, phases: Record<string, number> }>}
 */
export async function phases(config, program, rounds, work) {
  const { backend, facts } = await openBackend(config);
  const taken = Object.fromEntries(PHASES.map(name => [name, []]));
  let clock;
  const channel = tracingChannel('code-sandbox:engine-call');
  const listener = {
    start: call => {
      call.started = performance.now();
    },
    asyncEnd: ({ path, started }) => {
      const [, name] = CALLS.find(([pattern]) => pattern.test(path)) ?? [];
      if (name && clock) clock[name] = performance.now() - started;
    },
  };
  channel.subscribe(listener);
  try {
    await once(backend, facts, program, work, {});
    for (let round = 0; round < rounds; round++) {
      clock = {};
      await once(backend, facts, program, work, clock);
      for (const [name, ms] of Object.entries(clock)) taken[name].push(ms);
    }
  } finally {
    channel.unsubscribe(listener);
    await backend.close();
  }
  const measured = Object.entries(taken).filter(([, ms]) => ms.length > 0);
  return { label: backend.label, phases: Object.fromEntries(measured.map(([name, ms]) => [name, median(ms)])) };
}

/** The steps of a run as the service takes them, with a watch in hand. */
async function once(backend, facts, { cmd, args }, work, clock) {
  const request = { cmd, args, cwd: work, env: {}, policy: { fsRead: [], fsWrite: [work], network: 'deny' } };
  const lap = (name, since) => {
    const now = performance.now();
    clock[name] ??= now - since;
    return now;
  };
  const started = performance.now();
  const prepared = await prepareRun(request, facts);
  let last = lap('check', started);
  let opened;
  const timed = {
    name: backend.name,
    open: async plan => {
      const sandbox = await backend.open(plan);
      last = lap('open', last);
      return Object.assign(Object.create(sandbox), {
        image: sandbox.image,
        stop: how => sandbox.stop(how),
        run: async (...parts) => {
          const ending = await sandbox.run(...parts);
          last = lap('end', last);
          return ending;
        },
        close: () => sandbox.close(),
      });
    },
  };
  const options = { onStdout: () => lap('first byte', last) };
  const result = await execute(timed, { prepared, command: cmd, known: [], options }, sandbox => {
    opened = sandbox;
  });
  clock.program = result.durationMs;
  last = lap('result', last);
  clock['whole run'] = last - started;
  await prepared.release();
  await opened.close();
  lap('remove', last);
}
