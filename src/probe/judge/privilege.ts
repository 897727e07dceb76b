import { ERRNO, errnoName, isRefusal } from '../errno.js';
import type { Observation } from '../observation.js';
import type { Verdict } from '../verdict.js';

/** Where an id is not mapped, the kernel says EINVAL before it looks at permissions. */
const UNMAPPED = ['setuid', 'setgid'];
/** Calls by the numbers of another architecture. */
const FOREIGN = 'abi:';
const RLIMIT_CORE = '4';
const FILTERED = '2';
/** The kernel's overflow gid. */
const UNMAPPED_GROUP = '65534';

const THREADS =
  'an old seccomp profile stands beneath: upgrade libseccomp (2.5 or later), the OCI runtime and the engine; ' +
  'never switch the profile off';

/** Guarantee 10: no privilege, and a supervisor that nothing inside can touch. */
export function judgePrivilege(seen: Observation, verdict: Verdict): void {
  judgeCalls(seen, verdict);
  judgeProcess(seen, verdict);
  judgeSupervisor(seen, verdict);
}

function judgeCalls({ facts }: Observation, verdict: Verdict): void {
  const calls = facts.of('call').map(([name = '', errno]) => ({ name, errno: Number(errno) }));
  const passed = calls.filter(({ name, errno }) => {
    // A foreign number that the kernel takes for a native one fails in its own way, and is under the filter.
    if (name.startsWith(FOREIGN)) return errno === 0;
    return !isRefusal(errno) && !(UNMAPPED.includes(name) && errno === ERRNO.EINVAL);
  });
  verdict.none(
    passed.map(({ name, errno }) => `${name} was not refused (${errnoName(errno)})`),
    `${calls.length} privileged calls were refused: ${calls.map(({ name }) => name).join(', ')}`,
  );
  const thread = facts.errno('thread', 'start') ?? ERRNO.ENOSYS;
  verdict.check(thread === 0, 'a thread can be started', `no thread can be started (${errnoName(thread)})`, THREADS);
  const clone3 = facts.errno('call', 'clone3:user') ?? 0;
  verdict.check(
    clone3 === ERRNO.ENOSYS,
    'clone3 is refused in the way that C libraries understand',
    `clone3 answers ${errnoName(clone3)}, not ENOSYS: C libraries cannot start threads`,
    THREADS,
  );
}

function judgeProcess({ facts, program, plan }: Observation, verdict: Verdict): void {
  const value = (name: string) => facts.find('value', name)?.[0];
  for (const name of ['capabilities', 'bounding', 'ambient'])
    verdict.check(value(name) === '0', `no ${name} left`, `${name} left: ${value(name)}`);
  verdict.check(value('no-new-privileges') === '1', 'no-new-privileges is set', 'no-new-privileges is not set');
  verdict.check(value('seccomp') === FILTERED, 'a seccomp filter is on', 'no seccomp filter is on');
  verdict.check(value('stdin') === '0', 'stdin is at its end', 'stdin is not at its end');
  verdict.check(Number(value('terminal')) < 0, 'no terminal', 'a terminal can be opened');

  // The descriptor that reads the list is in it.
  const extra = facts
    .of('descriptor')
    .filter(([fd, target = '']) => Number(fd) > 2 && !/^\/proc\/\d+\/fd$/.test(target));
  verdict.none(
    extra.map(([fd, target]) => `descriptor ${fd} is open: ${target}`),
    'descriptors 0 to 2 only',
  );
  const limits = new Map(facts.of('rlimit').map(([resource = '', ...values]) => [resource, values.map(asUnsigned)]));
  const wrong = program.rlimits.filter(({ resource, soft, hard }) => {
    const [foundSoft, foundHard] = limits.get(String(resource)) ?? [];
    // A lower limit of the service's own stands, and is no failure.
    return foundSoft === undefined || foundHard === undefined || foundSoft > soft || foundHard > hard;
  });
  verdict.none(
    wrong.map(({ resource }) => `resource limit ${resource} is ${limits.get(String(resource))?.join('/')}`),
    `${program.rlimits.length} resource limits are as set, or lower`,
  );
  verdict.check((limits.get(RLIMIT_CORE)?.[1] ?? 2n) <= 1n, 'no core dumps', 'core dumps are on');

  // A group of the service's user that a user namespace does not map shows as nobody's; nothing but its user may drop it.
  const groups = facts.of('value').filter(([name, gid]) => name === 'group' && gid !== UNMAPPED_GROUP).length;
  // The primary group is listed as well by some engines.
  verdict.check(
    groups <= plan.user.groups.length + 1,
    `${groups} supplementary groups`,
    `${groups} supplementary groups`,
  );
}

function judgeSupervisor({ facts }: Observation, verdict: Verdict): void {
  const parent = facts.find('value', 'parent')?.[0];
  verdict.check(
    parent === '1',
    'the supervisor is PID 1',
    `the program’s parent is process ${parent}, not the supervisor`,
  );
  const inside = facts.of('read').filter(([path = '']) => path.startsWith('/proc/1/'));
  verdict.none(
    inside.flatMap(([path, errno]) => (errno === '0' ? [`${path} can be read`] : [])),
    `${inside.length} files of the supervisor’s own cannot be read`,
  );
  const others = facts.of('process').filter(([pid]) => pid !== '1');
  verdict.none(
    others.map(([pid]) => `process ${pid} is visible`),
    'no other process is visible',
  );
}

const asUnsigned = (text: string) => BigInt.asUintN(64, BigInt(text));
