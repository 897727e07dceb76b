import { errnoName, isReached } from '../errno.js';
import type { Facts } from '../facts.js';
import type { Observation } from '../observation.js';
import type { Verdict } from '../verdict.js';
import { judgeNeighbour } from './neighbour.js';

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
    // Loopback and abstract sockets are the namespace's own; other addresses are as good as the engine's network.
    const outside = reached && !deny && kind === 'tcp' && !where?.startsWith('127.');
    if (outside && !leadsToLoopback(where, facts)) verdict.weak.push(`the host answers at ${where}`);
    else if (outside && !seen.host.loopbackMet) verdict.proven.push(`who answers at ${where} is not this host`);
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

/** Whether only the host's loopback listens on that port. */
function leadsToLoopback(address: string | undefined, facts: Facts): boolean {
  const onLoopback = facts.of('connect').filter(([, where]) => where?.startsWith('127.'));
  return onLoopback.some(([, where]) => portOf(where) === portOf(address));
}

/** Of `ADDRESS:PORT`. */
function portOf(address = ''): string {
  return address.slice(address.lastIndexOf(':') + 1);
}
