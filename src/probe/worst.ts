import type { Guarantee, ProbeReport } from './report.js';

const ORDER = ['enforced', 'degraded', 'failed'] as const;

/** One report out of several about the same backend: of each guarantee what was found worst. */
export function worstOf([first, ...others]: ProbeReport[]): ProbeReport {
  return others.reduce((one, other) => {
    const reasons = [one.reason, other.reason].filter((reason, index, all) => reason && all.indexOf(reason) === index);
    const guarantees = one.guarantees.map((guarantee, index) => worse(guarantee, other.guarantees[index] ?? guarantee));
    const ok = one.ok && other.ok;
    return {
      backend: one.backend,
      guarantees: one.guarantees.length > 0 && other.guarantees.length > 0 ? guarantees : [],
      interpreters: one.interpreters,
      ok,
      degraded: ok && (one.degraded || other.degraded),
      durationMs: Math.max(one.durationMs, other.durationMs),
      ...(reasons.length > 0 ? { reason: reasons.join('; ') } : {}),
    };
  }, first!);
}

function worse(one: Guarantee, other: Guarantee): Guarantee {
  return ORDER.indexOf(other.status) > ORDER.indexOf(one.status) ? other : one;
}
