import { parseArgs } from 'node:util';

export const USAGE = `node bench/main.mjs [options]

  --quick          python only and few rounds: about a minute
  --rounds N       rounds of the latency section (default 30; quick: 5)
  --only REGEX     only contenders whose name matches; bare is always there
  --sections LIST  of latency,phases,throughput,queue,waiting (default: all; quick: latency,phases,throughput)
  --chart FILE     where the chart goes (default: bench/results/latency.svg)
  --cpuacct FILE   count CPU time by this cpuacct.usage, not by the whole machine: on a busy machine, with engines and
                   benchmark in one control group
`;

/** @param {string[]} argv */
export function readOptions(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string', default: '' },
      sections: { type: 'string' },
      chart: { type: 'string' },
      cpuacct: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { quick } = values;
  const sections = values.sections ?? (quick ? 'latency,phases,throughput' : 'latency,phases,throughput,queue,waiting');
  return {
    ...values,
    rounds: Number(values.rounds ?? (quick ? 5 : 30)),
    only: new RegExp(values.only, 'i'),
    sections: new Set(sections.split(',')),
    atOnce: quick ? [8] : [1, 4, 8, 16],
    runsAtOnce: quick ? 16 : 64,
    queued: quick ? 50 : 1000,
  };
}
