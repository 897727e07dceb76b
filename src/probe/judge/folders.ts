import { errnoName } from '../errno.js';
import type { Observation } from '../observation.js';
import type { Verdict } from '../verdict.js';

const SETUID_SETGID = 0o6000;

/** Guarantee 8: who owns what code creates, and no setuid or setgid bits. */
export function judgeOwnership(seen: Observation, verdict: Verdict): void {
  const { facts, plan, host } = seen;
  const owner = `${plan.user.uid}:${plan.user.gid}`;
  const found = host.answer && `${host.answer.uid}:${host.answer.gid}`;
  verdict.check(
    found === owner,
    `a file created inside belongs to ${owner} on the host`,
    found ? `a file created inside belongs to ${found} on the host, not to ${owner}` : 'no file could be created',
  );
  const tried = facts.of('bits');
  verdict.none(
    [
      ...tried.flatMap(([how, , mode]) =>
        Number(mode) & SETUID_SETGID ? [`${how} made a file with mode ${octal(mode)}`] : [],
      ),
      ...host.bits.map(path => `${path} has the setuid or setgid bit`),
    ],
    `${tried.length} ways to set the setuid or setgid bit were refused`,
  );
}

const octal = (mode: string | undefined) => Number(mode).toString(8);

/** What to do where folders are not those of this host. */
export const ELSEWHERE =
  'the engine sees another file system than this process (a virtual machine, Docker in Docker, a remote host): ' +
  'use an engine on this host, or keep the folders where both see them under the same path';

/** Guarantee 9: the mount is the folder. */
export function judgeMounts(seen: Observation, verdict: Verdict): void {
  const { facts, host } = seen;
  for (const kind of ['ro', 'rw'] as const) {
    const [, errno, content] = facts.of('nonce').find(fact => fact[0] === kind) ?? [];
    verdict.check(
      content === host.nonces[kind],
      `what the host wrote into the ${kind} folder was read inside`,
      `what the host wrote into the ${kind} folder is not there inside (${errnoName(Number(errno ?? 0))})`,
      ELSEWHERE,
    );
  }
  verdict.check(
    host.answer?.content === host.nonces.rw,
    'what was written inside into the rw folder is on the host',
    'what was written inside into the rw folder is not on the host',
    ELSEWHERE,
  );
  const { before, after } = host.readOnly;
  verdict.check(
    before.join() === after.join(),
    'the ro folder is as it was',
    `the ro folder was changed: it holds ${after.join(', ') || 'nothing'}`,
  );
  verdict.none(
    host.accepted.filter(({ guarantee }) => guarantee === 9).map(({ what }) => `a request for ${what} was not refused`),
    'requests for the folders of the system itself are refused',
  );
}
