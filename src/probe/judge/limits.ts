import { ERRNO, errnoName, KILLED } from '../errno.js';
import type { Facts } from '../facts.js';
import type { Observation } from '../observation.js';
import type { Verdict } from '../verdict.js';

const MIB = 1024 * 1024;
const SIGKILL = 9;
/** The kernel charges in batches, and the supervisor and page tables take their part. */
const SLACK = 1.25;

const DELEGATION =
  'without root it is enforced only on cgroup v2 with the memory and pids controllers delegated to the user ' +
  '(systemd: Delegate=yes for user@.service); on cgroup v1 they ignore it. Use a rootful engine or boot with cgroup v2, ' +
  'or accept it with the option engine.allowDegraded';

/** Guarantee 6: memory, swap included. The child touches up to three times the limit. */
export function judgeMemory({ facts, plan }: Observation, verdict: Verdict): void {
  const limit = plan.limits.memoryBytes;
  const [touched, code] = (facts.of('memory')[0] ?? []).map(Number);
  if (touched === undefined || code === undefined) {
    verdict.fail('no attempt to use memory was made');
    return;
  }
  const ended = code === KILLED + SIGKILL || code === ERRNO.ENOMEM;
  const mib = (bytes: number) => `${Math.round(bytes / MIB)} MiB`;
  verdict.check(
    ended && touched <= limit * SLACK,
    `under a limit of ${mib(limit)} a process was ended at ${mib(touched)}`,
    `under a limit of ${mib(limit)} a process could use ${mib(touched)}${ended ? ' before it was ended' : ''}`,
    touched > limit * SLACK && ended ? 'swap is not limited: enable swap accounting (swapaccount=1)' : DELEGATION,
  );
  verdict.proven.push(...told(facts, /memory/));
}

/** Guarantee 7: number of processes. */
export function judgePids({ facts, plan }: Observation, verdict: Verdict): void {
  const limit = plan.limits.pids;
  const [count, errno] = (facts.of('forks')[0] ?? []).map(Number);
  if (count === undefined || errno === undefined) {
    verdict.fail('no attempt to fork was made');
    return;
  }
  verdict.check(
    errno !== 0 && count <= limit,
    `under a limit of ${limit} processes fork was refused after ${count} (${errnoName(errno)})`,
    `under a limit of ${limit} processes ${count} children could be made`,
    DELEGATION,
  );
  verdict.proven.push(...told(facts, /pids/));
}

/** Guarantee 12: the size of one file; the floor of free space is watched by the host. */
export function judgeDisk({ facts, plan }: Observation, verdict: Verdict): void {
  const errno = Number(facts.of('grow')[0]?.[1] ?? 0);
  verdict.check(
    errno === ERRNO.EFBIG,
    `a file larger than ${plan.limits.fileBytes} bytes was refused (EFBIG)`,
    `a file larger than ${plan.limits.fileBytes} bytes was not refused (${errnoName(errno)})`,
  );
  if (plan.limits.diskFloorBytes > 0)
    verdict.proven.push(`runs end when fewer than ${plan.limits.diskFloorBytes} bytes are free in a writable folder`);
}

/** What the kernel's own files say inside, as further evidence. */
function told(facts: Facts, which: RegExp): string[] {
  return facts
    .of('file')
    .filter(([path = '', errno]) => errno === '0' && path.startsWith('/sys/fs/cgroup/') && which.test(path))
    .map(([path, , content = '']) => `${path} says ${content.trim()}`);
}
