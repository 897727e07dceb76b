import type { Observation } from '../observation.js';
import type { Verdict } from '../verdict.js';

/**
 * What the end may take beyond the deadline: the supervisor's own work and the way of the trailer take 50 ms, but on a host
 * that is overloaded at this moment seconds, and a good engine shall not be refused for that.
 */
const GRACE_MS = 5000;

/** Guarantee 11: a program that ignores signals, attacks the supervisor and leaves a stray ends by its deadline. */
export function judgeEnd({ host }: Observation, verdict: Verdict): void {
  const { ending, deadlineMs, elapsedMs, beats, beatsAfter } = host.linger;
  const kind = ending.trailer?.kind ?? 'no trailer';
  verdict.check(
    kind === 'deadline',
    `a program that stopped and killed PID 1 was ended by its deadline of ${deadlineMs} ms`,
    `a program that stopped and killed PID 1 was not ended by the supervisor’s deadline (${kind})`,
  );
  verdict.check(
    elapsedMs <= deadlineMs + GRACE_MS,
    `its end was told after ${Math.round(elapsedMs)} ms`,
    `its end was told only after ${Math.round(elapsedMs)} ms`,
  );
  verdict.check(
    beats > 0 && beatsAfter === 0,
    'its stray grandchild was dead by then',
    beats > 0 ? 'its stray grandchild lived on' : 'its stray grandchild was never seen',
  );
}
