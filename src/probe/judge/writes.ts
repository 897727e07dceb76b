import { errnoName } from '../errno.js';
import { expectedAt } from '../expect.js';
import type { Observation } from '../observation.js';
import type { Verdict } from '../verdict.js';

const PAGE = 4096;

/** Guarantee 1: only fsWrite and the private tmpfs take writes, and the latter are bounded. */
export function judgeWrites(seen: Observation, verdict: Verdict): void {
  const { facts, mounts } = seen;
  const tried = new Map(facts.of('write').map(([folder = '', errno]) => [folder, Number(errno)]));
  const writable = (path: string) => expectedAt(mounts, path)?.mode === 'rw';
  const taken = [...tried].filter(([, errno]) => errno === 0).map(([folder]) => folder);
  verdict.none(
    taken.filter(folder => !writable(folder)).map(folder => `${folder} took a new file`),
    `${tried.size - taken.length} folders took no new file; these did: ${taken.join(', ')}`,
  );

  for (const { target, maxBytes } of mounts.filter(mount => mount.mode === 'rw')) {
    const errno = tried.get(target);
    if (errno) verdict.fail(`${target} should take files and did not (${errnoName(errno)})`);
    if (maxBytes === undefined) continue;
    const size = Number(facts.find('size', target)?.[0] ?? 0);
    const bound = Math.ceil(maxBytes / PAGE) * PAGE;
    verdict.check(
      size > 0 && size <= bound,
      `${target} holds ${size} bytes`,
      `${target} holds ${size} bytes, not ${bound}`,
    );
  }
  for (const [folder, errno] of facts.of('fill'))
    verdict.check(errno !== '0', `${folder} is full at its size`, `${folder} took more bytes than its size`);

  const altered = ['time', 'mode', 'size'].flatMap(what =>
    facts
      .of(`alter:${what}`)
      .filter(
        ([path = '', errno]) => errno === '0' && mounts.some(({ target, mode }) => target === path && mode === 'ro'),
      )
      .map(([path]) => `the ${what} of ${path} could be changed`),
  );
  verdict.none(altered, 'no read-only mount let its time, mode or size be changed');
  const spoiled = facts.of('spoil').filter(([, errno]) => errno === '0');
  verdict.none(
    spoiled.map(([how]) => `a file of the ro folder could be changed: ${how}`),
    'a file of the ro folder let itself not be truncated, touched, renamed or removed, nor its mode changed',
  );
  verdict.none(
    facts.of('open').flatMap(([path, errno]) => (errno === '0' ? [`${path} could be opened for writing`] : [])),
    `${facts.of('open').length} files of the system could not be opened for writing`,
  );
}
