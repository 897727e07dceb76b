import type { Observation } from '../observation.js';
import type { Verdict } from '../verdict.js';

/** Guarantee 13: requests beyond the bounds were handed to the policy. */
export function judgeBounds({ host }: Observation, verdict: Verdict): void {
  verdict.none(
    host.accepted
      .filter(({ guarantee }) => guarantee === 13)
      .map(({ what }) => `a request with ${what} was not refused`),
    'requests with too many folders or variables, too long arguments or timeouts are refused',
  );
}
