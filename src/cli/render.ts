import type { Diagnosis } from '../sandbox/doctor.js';

const SIGNS = { enforced: 'ok  ', degraded: 'WEAK', failed: 'FAIL' } as const;

/** A diagnosis as text for a terminal. */
export function renderDiagnosis(diagnosis: Diagnosis): string {
  const lines = [
    diagnosis.available
      ? `Runs go to: ${diagnosis.label}${diagnosis.degraded ? ' (degraded)' : ''}`
      : 'Nothing can run.',
    '',
    'Where was looked:',
    ...diagnosis.candidates.map(({ strategy, endpoint, outcome, reason }) => {
      return `  ${outcome.padEnd(14)} ${strategy}${endpoint ? ` at ${endpoint}` : ''}: ${reason}`;
    }),
  ];
  if (diagnosis.guarantees.length > 0) {
    lines.push('', `Guarantees, attempted from inside in ${Math.round(diagnosis.probeMs ?? 0)} ms:`);
    for (const { id, title, status, evidence } of diagnosis.guarantees) {
      lines.push(`  ${SIGNS[status]} ${String(id).padStart(2)} ${title}`, ...evidence.map(line => `          ${line}`));
    }
  }
  if (diagnosis.runtimes.length > 0) lines.push('', `OCI runtimes on offer: ${diagnosis.runtimes.join(', ')}`);
  if (diagnosis.interpreters.length > 0) lines.push('', `Commands inside: ${diagnosis.interpreters.join(', ')}`);
  if (diagnosis.advice.length > 0) lines.push('', 'Advice:', ...diagnosis.advice.map(line => `  - ${line}`));
  return lines.join('\n');
}
