import { ERRNO, errnoName, isReached } from '../errno.js';
import type { NeighbourSide, Observation } from '../observation.js';
import type { Verdict } from '../verdict.js';

/** What a network that keeps two apart answers: nothing, that nobody is there, or that there is no way. */
const KEPT_APART: readonly number[] = [ERRNO.ETIMEDOUT, ERRNO.ECONNREFUSED, ERRNO.EHOSTUNREACH];

const MEETING =
  'see that the engine sets its firewall rules (dockerd without --iptables=false); for Podman, install slirp4netns';

/** Another run that has a network, at the address that it has there. */
export function judgeNeighbour({ facts, host: { neighbour, networkFlaw } }: Observation, verdict: Verdict): void {
  if (!neighbour) return;
  if (networkFlaw) verdict.weak.push(networkFlaw);
  const { address } = neighbour;
  const [met = Number.NaN, again = Number.NaN] = facts.of('neighbour')[0]?.map(Number) ?? [];
  const untried = whyUntried(neighbour, met);
  if (untried) {
    verdict.weak.push(`whether runs reach each other could not be tried at ${address}: ${untried}`);
  } else if (isReached(met)) {
    const how = isReached(again) ? '' : ', if only once: the engine lifts its rules for a moment';
    verdict.weak.push(`another run answers at ${address}${how}`);
    verdict.advice = MEETING;
  } else if (hostOf(facts.of('address')[0]?.[0]) === hostOf(address)) {
    verdict.proven.push(
      `each run has the address ${hostOf(address)} in a network of its own, so none can name another`,
    );
  } else {
    verdict.proven.push(`another run is not reachable at ${address} (${errnoName(met)})`);
  }
}

function whyUntried({ errno, stayed }: NeighbourSide, met: number): string | undefined {
  if (errno !== 0) return `nobody can be met there (${errnoName(errno)})`;
  if (!stayed) return 'the other run ended before its time';
  if (Number.isNaN(met)) return 'no attempt was made';
  return isReached(met) || KEPT_APART.includes(met) ? undefined : errnoName(met);
}

/** Of `ADDRESS:PORT`. */
function hostOf(address = ''): string {
  return address.replace(/:\d*$/, '');
}
