import { isReached } from '../errno.js';
import type { Observation } from '../observation.js';
import type { Verdict } from '../verdict.js';

/** Guarantee 5: no way to an engine, a bus, an agent, or whatever else listens on the host. */
export function judgeControl(seen: Observation, verdict: Verdict): void {
  const { facts, plan, host } = seen;
  const tried = facts.of('connect').filter(([kind]) => kind === 'path');
  verdict.none(
    tried.flatMap(([, path, errno]) =>
      isReached(Number(errno)) ? [`the socket ${path} of the host is reachable`] : [],
    ),
    `${tried.length} sockets of the host are not reachable`,
  );
  if (plan.network === 'deny') {
    const names = facts.of('listener').filter(([name = '']) => /^[@/]/.test(name));
    verdict.none(
      names.map(([name]) => `the socket ${name} is in the sandbox’s network namespace`),
      'no named socket in the network namespace',
    );
  }
  verdict.none(
    host.accepted.filter(({ guarantee }) => guarantee === 5).map(({ what }) => `a request for ${what} was not refused`),
    'requests for folders with control sockets are refused',
  );
}
