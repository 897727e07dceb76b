import { expect, test } from 'vitest';
import type { GuaranteeStatus, ProbeReport } from '../../../src/probe/report.js';
import { worstOf } from '../../../src/probe/worst.js';

function report(status: GuaranteeStatus, part: Partial<ProbeReport> = {}): ProbeReport {
  const guarantees = [{ id: 1, title: 'one', status, evidence: [status] }];
  const ok = status !== 'failed';
  return {
    backend: 'podman',
    guarantees,
    interpreters: ['sh'],
    ok,
    degraded: status === 'degraded',
    durationMs: 1,
    ...part,
  };
}

test.each<[GuaranteeStatus, GuaranteeStatus, GuaranteeStatus]>([
  ['enforced', 'enforced', 'enforced'],
  ['enforced', 'degraded', 'degraded'],
  ['failed', 'enforced', 'failed'],
  ['degraded', 'failed', 'failed'],
])('%s and %s make %s', (one, other, both) => {
  const { guarantees, ok, degraded } = worstOf([report(one), report(other)]);
  expect(guarantees[0]!.status).toBe(both);
  expect(ok).toBe(both !== 'failed');
  expect(degraded).toBe(both === 'degraded');
});

test('one alone stays as it is', () => {
  expect(worstOf([report('enforced')])).toEqual(report('enforced'));
});

test('a report that could not be made takes the guarantees of the other with it, and every reason is told once', () => {
  const broken = report('failed', { guarantees: [], reason: 'no' });
  expect(worstOf([report('enforced'), broken, broken])).toMatchObject({ ok: false, guarantees: [], reason: 'no' });
});
