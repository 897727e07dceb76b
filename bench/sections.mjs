import { latency } from './latency.mjs';
import { PHASES } from './phases.mjs';
import { queue } from './queue.mjs';
import { against, summarize } from './statistics.mjs';
import { table } from './table.mjs';
import { throughput } from './throughput.mjs';
import { waiting } from './waiting.mjs';

/** @typedef {import('./contenders/contender.mjs').Entry} Entry */
/** @typedef {import('./programs.mjs').Program} Program */

/** Tells what is missing so that nobody overlooks it. */
export function skipped(what, reason) {
  console.error(`\n*** SKIPPED: ${what}: ${reason} ***\n`);
}

/**
 * @param {Entry[]} entries
 * @param {Program[]} programs
 * @param {number} rounds
 */
export async function latencySection(entries, programs, rounds) {
  const contenders = [];
  for (const entry of entries) {
    await entry.open().then(
      contender => contenders.push({ ...contender, images: entry.images }),
      error => skipped(entry.name, error.message),
    );
  }
  const sections = [];
  for (const program of programs) {
    const able = program.image ? await havingImage(contenders, program) : contenders;
    if (able.length === 0) continue;
    const results = await latency(able, program, rounds);
    sections.push({ program: program.name, rows: summaries(program, results) });
    show(`Latency, one run at a time: ${program.name} (ms)`, sections.at(-1).rows);
  }
  const warm = [];
  for (const contender of contenders) {
    const stats = await contender.warm?.();
    if (stats) warm.push({ name: contender.name, ...stats });
  }
  for (const { name, hits, misses } of warm) {
    console.log(`${name}: ${hits} of ${hits + misses} runs met a sandbox that waited.`);
  }
  await Promise.all(contenders.map(contender => contender.close()));
  return { sections, warm };
}

async function havingImage(contenders, program) {
  const able = [];
  for (const contender of contenders.filter(({ images }) => images)) {
    await contender.run(program).then(
      () => able.push(contender),
      error => skipped(`${program.name} on ${contender.name}`, `make images (${error.message.slice(0, 200)})`),
    );
  }
  return able;
}

function summaries(program, results) {
  const measured = results.filter(({ name, ms, failures }) => {
    if (failures.length > 0)
      console.error(`*** ${name}, ${program.name}: ${failures.length} runs failed: ${failures[0]} ***`);
    return ms.length > 0;
  });
  const bare = measured.find(({ name }) => name === 'bare');
  return measured.map(({ name, ours, ms, failures }) => {
    const summary = summarize(ms);
    return { name, ours, ...summary, failures: failures.length, ...(bare ? against(summary, summarize(bare.ms)) : {}) };
  });
}

function show(title, rows) {
  const cells = rows.map(({ name, n, median, p95, over, ratio }) => [name, String(n), median, p95, over, ratio]);
  console.log(`\n${title}\n\n${table(['', 'n', 'median', 'p95', 'over bare', 'x bare'], cells)}`);
}

/** @param {import('./phases.mjs').Stopwatch[]} stopwatches */
export async function phasesSection(stopwatches, program, rounds) {
  const found = [];
  for (const { name, measure } of stopwatches) {
    await measure(program, rounds).then(
      ({ phases: taken }) => found.push({ name, taken }),
      error => skipped(`phases of ${name}`, error.message),
    );
  }
  const rows = PHASES.map(phase => [phase, ...found.map(({ taken }) => taken[phase])]);
  console.log(`\nWhere the time of a cold run goes: ${program.name} (median, ms)\n`);
  console.log(table(['', ...found.map(({ name }) => name)], rows));
  return found;
}

/** @param {{ atOnce: number[], runs: number, clock: () => number }} amount */
export async function throughputSection(entries, program, { atOnce, runs, clock }) {
  const results = [];
  for (const entry of entries) {
    for (const count of atOnce) {
      await throughput(entry, program, { runs, atOnce: count }, clock).then(
        result => {
          if (result.failures.length > 0)
            console.error(`*** ${entry.name}: ${result.failures.length} failed: ${result.failures[0]} ***`);
          results.push(result);
        },
        error => skipped(`${entry.name}, ${count} at once`, error.message),
      );
    }
  }
  const names = [...new Set(results.map(({ name }) => name))];
  const of = (name, count) => results.find(result => result.name === name && result.atOnce === count);
  const head = ['', ...atOnce.map(count => `${count} at once`), 'CPU ms a run'];
  const rows = names.map(name => [
    name,
    ...atOnce.map(count => of(name, count)?.perSecond),
    of(name, atOnce[0])?.cpuMs,
  ]);
  console.log(`\nThroughput, removal included: ${program.name} (runs a second)\n\n${table(head, rows)}`);
  return results;
}

export async function queueSection(entries, program, runs) {
  const results = [];
  for (const entry of entries) {
    await queue(entry, program, runs).then(
      result => results.push(result),
      error => skipped(`queue of ${entry.name}`, error.message),
    );
  }
  const rows = results.map(({ name, ms, failures, before, full, after }) => {
    const { median, p99 } = summarize(ms);
    const sizes = [before, full, after];
    return [
      name,
      median,
      p99,
      String(failures.length),
      sizes.map(({ rssMiB }) => rssMiB.toFixed(0)).join('/'),
      sizes.map(({ descriptors }) => descriptors).join('/'),
    ];
  });
  console.log(
    `\n${runs} runs asked for at once: from the request to the result (ms); this process before, with the queue full, after\n`,
  );
  console.log(table(['', 'median', 'p99', 'failed', 'MiB', 'descriptors'], rows));
  return results.map(({ ms, ...rest }) => ({ ...rest, ...summarize(ms) }));
}

export async function waitingSection(entries, program, seconds) {
  const results = [];
  for (const entry of entries) {
    await waiting(entry, program, seconds).then(
      result => results.push(result),
      error => skipped(`what waits of ${entry.name}`, error.message),
    );
  }
  console.log('\nWhat one waiting sandbox costs\n');
  const rows = results.map(({ name, memoryMiB, cpuMsPerSecond }) => [name, memoryMiB, cpuMsPerSecond]);
  console.log(table(['', 'MiB of its own', 'CPU ms a second'], rows));
  return results;
}
