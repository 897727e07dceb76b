import { lineOf } from '../engine/discover/line.js';
import type { Guarantee } from '../probe/report.js';
import { type Diagnosis, describeWarm } from '../sandbox/doctor.js';

const SIGNS = { enforced: 'ok  ', degraded: 'WEAK', failed: 'FAIL' } as const;

/** A diagnosis with what a run costs: milliseconds from the request for `true` to its result. */
export type Measured = Diagnosis & { runMs?: number };

/** A diagnosis as text for a terminal. */
export function renderDiagnosis(diagnosis: Measured): string {
  const lines = [
    diagnosis.available
      ? `Runs go to: ${diagnosis.label}${diagnosis.degraded ? ' (degraded)' : ''}`
      : 'Nothing can run.',
    ...(diagnosis.instead === undefined ? [] : [`  ${diagnosis.instead}`]),
    '',
    'Where was looked:',
    ...diagnosis.candidates.map(candidate => `  ${candidate.outcome.padEnd(14)} ${lineOf(candidate)}`),
  ];
  for (const { strategy, guarantees = [] } of diagnosis.candidates) {
    if (guarantees.length > 0)
      lines.push('', `What the probe found at ${strategy}:`, ...guarantees.flatMap(guaranteeLines));
  }
  if (diagnosis.guarantees.length > 0) {
    lines.push('', `Guarantees, attempted from inside in ${Math.round(diagnosis.probeMs ?? 0)} ms:`);
    lines.push(...diagnosis.guarantees.flatMap(guaranteeLines));
  }
  if (diagnosis.networkAllow) lines.push('', 'Runs with network allow:', ...networkLines(diagnosis.networkAllow));
  if (diagnosis.runtimes.length > 0) lines.push('', `OCI runtimes on offer: ${diagnosis.runtimes.join(', ')}`);
  if (diagnosis.interpreters.length > 0) lines.push('', `Commands inside: ${diagnosis.interpreters.join(', ')}`);
  if (diagnosis.runMs !== undefined) lines.push('', `A run of true takes ${diagnosis.runMs} ms.`);
  if (diagnosis.warm) lines.push('', `Started ahead: ${describeWarm(diagnosis.warm)}`);
  if (diagnosis.advice.length > 0) lines.push('', 'Advice:', ...diagnosis.advice.map(line => `  - ${line}`));
  return lines.join('\n');
}

function guaranteeLines({ id, title, status, evidence }: Guarantee): string[] {
  return [`  ${SIGNS[status]} ${String(id).padStart(2)} ${title}`, ...evidence.map(line => `          ${line}`)];
}

function networkLines(found: Guarantee | string): string[] {
  if (typeof found === 'string') return [`  none: ${found}`];
  return [...guaranteeLines(found), ...(found.advice ? [`          what to do: ${found.advice}`] : [])];
}
