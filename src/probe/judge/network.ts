import { ERRNO, errnoName } from '../errno.js';
import { LOOPBACK_OUTSIDE } from '../listeners.js';
import type { NeighbourSide, Observation } from '../observation.js';
import type { Verdict } from '../verdict.js';

/** unix, inet, inet6, netlink: what the seccomp profile leaves. */
const FAMILIES = ['1', '2', '10', '16'];
/** Devices that the kernel makes in every new network namespace when their modules are loaded; all are down. */
const FALLBACK_DEVICES = /^(tunl0|gre0|gretap0|erspan0|ip_vti0|ip6_vti0|sit0|ip6tnl0|ip6gre0)$/;

/** Guarantee 2: with `deny` nothing but loopback; with `allow` a network of the run's own. */
export function judgeNetwork(seen: Observation, verdict: Verdict): void {
  const { facts, plan } = seen;
  const deny = plan.network === 'deny';
  if (deny) {
    const names = facts.of('interface').map(([name = '']) => name);
    verdict.none(
      names
        .filter(name => name !== 'lo' && !FALLBACK_DEVICES.test(name))
        .map(name => `network interface ${name} is there`),
      'no network interface but loopback',
    );
    const resolver = facts.find('file', '/etc/resolv.conf')?.[1] ?? '';
    verdict.check(
      !/^\s*nameserver/m.test(resolver),
      'no resolver',
      `/etc/resolv.conf names a resolver: ${resolver.trim()}`,
    );
  }

  judgeNeighbour(seen, verdict);
  for (const [kind, where, errno] of facts.of('connect')) {
    if (kind === 'path') continue;
    const reached = isReached(Number(errno));
    // Loopback and abstract sockets are the namespace's own; the host's other addresses are as good as the engine's network.
    if (reached && !deny && kind === 'tcp' && !isLoopback(where, seen))
      verdict.weak.push(`the host answers at ${where}`);
    else
      verdict.check(
        !reached,
        `${kind} socket ${where} of the host is not reachable (${errnoName(Number(errno))})`,
        `${kind} socket ${where} of the host is reachable`,
        'the sandbox shares the network namespace of the host: check the engine’s version and its network configuration',
      );
  }
  const open = facts.of('socket').filter(([family = '', errno]) => errno === '0' && !FAMILIES.includes(family));
  verdict.none(
    open.map(([family]) => `sockets of address family ${family} can be made`),
    'sockets of the families unix, inet, inet6 and netlink only; no AF_VSOCK',
  );
}

/** What a network that keeps two apart answers: nothing, that nobody is there, or that there is no way. */
const KEPT_APART: readonly number[] = [ERRNO.ETIMEDOUT, ERRNO.ECONNREFUSED, ERRNO.EHOSTUNREACH];

const MEETING =
  'see that the engine sets its firewall rules (dockerd without --iptables=false); for Podman, install slirp4netns';

/** Another run that has a network, at the address that it has there. */
function judgeNeighbour({ facts, host: { neighbour, networkFlaw } }: Observation, verdict: Verdict): void {
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

/** In another network than that of a user-mode stack the second one is an address as any other. */
function isLoopback(address = '', { facts }: Observation): boolean {
  const inStack = facts.of('address')[0]?.[0]?.startsWith('10.0.2.') === true;
  return address.startsWith('127.') || (inStack && hostOf(address) === LOOPBACK_OUTSIDE);
}

function hostOf(address = ''): string {
  return address.replace(/:\d*$/, '');
}

/** Refused by a full queue is reached as well. */
export function isReached(errno: number): boolean {
  return errno === 0 || errno === ERRNO.EAGAIN;
}
