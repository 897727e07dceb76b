#!/usr/bin/env node
/** Benchmarks, side by side in one run: see docs/performance.md for what is measured and how. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { barChart } from './chart.mjs';
import { Remote } from './contenders/remote.mjs';
import { allContenders, rootlessCommand } from './contenders.mjs';
import { cpuClock, describeMachine } from './machine.mjs';
import { readOptions, USAGE } from './options.mjs';
import { phases } from './phases.mjs';
import { programs } from './programs.mjs';
import {
  latencySection,
  phasesSection,
  queueSection,
  skipped,
  throughputSection,
  waitingSection,
} from './sections.mjs';

const options = readOptions(process.argv.slice(2));
if (options.help) {
  process.stdout.write(USAGE);
  process.exit();
}
const results = fileURLToPath(new URL('results', import.meta.url));
mkdirSync(results, { recursive: true });

const { entries: own, configs, work } = allContenders();
const command = rootlessCommand();
const remote = command && new Remote(command);
if (!remote) skipped('rootless Podman', 'make engines has made no ordinary user here');
const others = remote ? await remote.entries() : [];
const entries = [...own, ...others].filter(({ name }) => name === 'bare' || options.only.test(name));
const [, python] = programs;
const report = { machine: describeMachine(), started: new Date().toISOString() };
console.log(`${JSON.stringify(report.machine)}`);

const { sections } = options;
if (sections.has('latency')) {
  report.latency = await latencySection(entries, options.quick ? [python] : programs, options.rounds);
}
if (sections.has('phases')) {
  const here = Object.entries(configs).map(([name, config]) => {
    return { name, measure: (program, rounds) => phases(config, program, rounds, work) };
  });
  const stopwatches = [...here, ...((await remote?.stopwatches()) ?? [])];
  report.phases = await phasesSection(stopwatches, python, options.rounds);
}
if (sections.has('throughput')) {
  report.throughput = await throughputSection(entries, python, {
    atOnce: options.atOnce,
    runs: options.runsAtOnce,
    clock: cpuClock(options.cpuacct),
  });
}
const mine = entries.filter(({ ours }) => ours);
if (sections.has('queue')) report.queue = await queueSection(mine, python, options.queued);
const warm = mine.filter(({ name }) => name.includes('warm'));
if (sections.has('waiting')) report.waiting = await waitingSection(warm, python, 10);
remote?.end();
rmSync(work, { recursive: true, force: true });

report.machine.loadAtEnd = describeMachine().load;
const stamp = report.started.replace(/[:.]/g, '-');
const file = join(results, `${stamp}.json`);
writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
console.log(`\n${file}, load at the end: ${report.machine.loadAtEnd.join(' ')}`);
const chart = report.latency?.sections.find(({ program }) => program === python.name);
if (chart) {
  const bars = chart.rows.map(({ name, median, ours }) => ({ label: name, value: median, ours }));
  const title = 'One run of python3 -c "print(1)", median';
  writeFileSync(options.chart ?? join(results, 'latency.svg'), barChart(title, bars, 'ms'));
}
