import type { Guarantee } from '../probe/report.js';
import { type Candidate, type Selection, whyNone } from './select.js';
import type { CodeSandbox } from './service.js';
import type { WarmStats } from './warm.js';

/** The state of the sandbox, for people and programs. */
export interface Diagnosis {
  available: boolean;
  backend: string;
  label: string;
  degraded: boolean;
  /** Where runs go to something else than what comes first in the order: what is missing, why, and what serves. */
  instead?: string;
  /** Milliseconds that the probe took. */
  probeMs?: number;
  guarantees: Guarantee[];
  /** OCI runtimes that a run may ask for. */
  runtimes: string[];
  interpreters: string[];
  /** The second guarantee for runs with network `allow`; or why there can be none. */
  networkAllow?: Guarantee | string;
  /** Sandboxes that were started ahead, where there are any. */
  warm?: WarmStats;
  /** Those whose probe failed with what it found. */
  candidates: Array<Omit<Candidate, 'report'> & { guarantees?: Guarantee[] }>;
  advice: string[];
}

/** The same with what is proven for it alone: runs with network `allow`. */
export async function examine(sandbox: CodeSandbox): Promise<Diagnosis> {
  if (!sandbox.available) return diagnose(sandbox.selection);
  const networkAllow = await sandbox.proveNetwork().catch((error: Error) => error.message);
  return { ...diagnose(sandbox.selection), networkAllow };
}

/** How sandboxes that were started ahead have done, in one sentence for people. */
export function describeWarm({ hits, misses, waiting, each }: WarmStats): string {
  const cost = each
    ? `, each for ${(each.memoryBytes / 2 ** 20).toFixed(1)} MiB and ${each.cpuMsPerSecond.toFixed(1)} ms of CPU time a second`
    : '';
  return `${hits} of ${hits + misses} runs met a sandbox that was started ahead; ${waiting} wait${waiting === 1 ? 's' : ''}${cost}.`;
}

/** Puts together what is known without another probe. Pure. */
export function diagnose(selection: Selection): Diagnosis {
  const { backend, report, instead } = selection;
  const reports = report ? [report] : selection.candidates.flatMap(candidate => candidate.report ?? []);
  const guarantees = report?.guarantees ?? [];
  const warm = backend?.warm;
  const advice = reports.flatMap(each =>
    each.guarantees.flatMap(({ advice, status }) => (status !== 'enforced' && advice ? [advice] : [])),
  );
  return {
    available: backend !== undefined,
    backend: backend?.name ?? `none (${whyNone(selection)})`,
    label: backend?.label ?? 'none',
    degraded: report?.degraded ?? false,
    ...(instead === undefined ? {} : { instead }),
    ...(report ? { probeMs: report.durationMs } : {}),
    guarantees,
    runtimes: [...(backend?.runtimes ?? [])],
    interpreters: report?.interpreters ?? [],
    ...(warm ? { warm } : {}),
    candidates: selection.candidates.map(({ report: found, ...candidate }) => ({
      ...candidate,
      ...(candidate.outcome === 'unsuitable' && found ? { guarantees: found.guarantees } : {}),
    })),
    advice: [...new Set(advice)],
  };
}
