import { beforeAbort } from '../sandbox/before-abort.js';
import { messageOf } from '../sandbox/errors.js';
import { joined } from '../sandbox/joined.js';
import { explainFailure } from './failure.js';
import { judge } from './judge.js';
import type { Observation } from './observation.js';
import { observe, type ProbeInput } from './observe.js';
import type { Guarantee, ProbeReport } from './report.js';
import { UnderWay } from './under-way.js';

export type { ProbeInput } from './observe.js';

/**
 * Proves the guarantees from inside real sandboxes of a backend: attempts what is forbidden, and judges what came of it.
 * Never rejects: what went wrong is the report's `reason`.
 */
export async function probe(input: ProbeInput): Promise<ProbeReport> {
  const started = performance.now();
  const report = (part: Partial<ProbeReport>): ProbeReport => {
    const durationMs = Math.round(performance.now() - started);
    return {
      backend: input.backend.name,
      guarantees: [],
      interpreters: [],
      ok: false,
      degraded: false,
      durationMs,
      ...part,
    };
  };
  const { deadlineMs } = input;
  const timer = AbortSignal.timeout(deadlineMs);
  const underWay = new UnderWay();
  let stoppedAt = '';
  timer.addEventListener('abort', () => {
    stoppedAt = `${underWay}`;
  });
  using ending = joined(timer, input.signal);
  const { signal } = ending;
  try {
    // One that is given up clears away what it has, which is soon done; one that is late may be stuck.
    const seen = await beforeAbort(observe(input, signal, underWay), timer);
    return report(conclude(judge(seen, input.allowDegraded), seen));
  } catch (error) {
    if (timer.aborted) {
      const late = `the probe did not finish within ${deadlineMs} ms (it was still ${stoppedAt || 'at work on the host'}); a machine that is slower or busier needs a longer limits.probeMs (--probe-timeout)`;
      return report({ reason: `${input.backend.label}: ${late}` });
    }
    const message = messageOf(error);
    return report({ reason: `${input.backend.label}: the probe failed: ${explainFailure(message)}` });
  }
}

function conclude(guarantees: Guarantee[], { facts }: Observation): Partial<ProbeReport> {
  const failed = guarantees.filter(({ status }) => status === 'failed');
  const interpreters = facts.of('interpreter').map(([name = '']) => name);
  const degraded = guarantees.some(({ status }) => status === 'degraded');
  if (failed.length === 0) return { guarantees, interpreters, ok: true, degraded };
  const faults = failed.map(({ id, title, evidence }) => `guarantee ${id} (${title}) does not hold: ${evidence[0]}`);
  const advice = new Set(failed.flatMap(guarantee => guarantee.advice ?? []));
  const reason = [faults.join('; '), ...advice].join('. What to do: ');
  return { guarantees, interpreters, reason };
}
