import type { ExpectedMount } from '../expect.js';
import { type SeenMount, visibleMounts } from '../mountinfo.js';
import type { Observation } from '../observation.js';
import type { Verdict } from '../verdict.js';

const LOCAL = /^(127\.|::1$|fe00::|ff0\d::)/;

/** Guarantee 4: the mounts are exactly those asked for; the host's names are not visible. */
export function judgeReads(seen: Observation, verdict: Verdict): void {
  const { facts, mounts, plan } = seen;
  const visible = visibleMounts(facts.of('mount').map(([line = '']) => line));
  verdict.none(
    [...visible.flatMap(mount => faultOf(mount, mounts)), ...missing(visible, mounts)],
    `all ${visible.length} mounts are expected ones`,
    'look for volumes, mounts or a mounts file in the engine’s own configuration (containers.conf, mounts.conf)',
  );
  const secrets = facts.of('read').filter(([path = '']) => !path.startsWith('/proc/1/'));
  verdict.none(
    secrets.flatMap(([path, errno]) => (errno === '0' ? [`${path} can be read`] : [])),
    `${secrets.length} files of the kernel’s memory and log cannot be read`,
  );
  if (plan.network === 'allow') return;
  const hosts = facts.find('file', '/etc/hosts')?.[1] ?? '';
  const foreign = hosts
    .split('\n')
    .map(line => line.replace(/#.*/, '').trim())
    .filter(line => line !== '' && !LOCAL.test(line.split(/\s+/)[0]!));
  verdict.none(
    foreign.map(line => `/etc/hosts tells of ${line}`),
    '/etc/hosts names this machine only',
  );
}

function faultOf(mount: SeenMount, expected: ExpectedMount[]): string[] {
  const wanted =
    expected.find(({ target }) => target === mount.target) ??
    expected.find(({ target, under }) => under && mount.target.startsWith(`${target}/`));
  if (!wanted)
    return [`${mount.target} is mounted (${mount.type} ${mount.source} ${mount.root}) and was not asked for`];
  if (wanted.types && !wanted.types.includes(mount.type))
    return [`${mount.target} is a ${mount.type}, not a ${wanted.types.join(' or ')}`];
  if (wanted.mode === 'ro' && !mount.readOnly) return [`${mount.target} is mounted writable, not read-only`];
  if (wanted.mode === 'rw' && mount.readOnly) return [`${mount.target} is mounted read-only, not writable`];
  return [];
}

function missing(visible: SeenMount[], expected: ExpectedMount[]): string[] {
  const targets = new Set(visible.map(mount => mount.target));
  return expected
    .filter(({ target, optional }) => !optional && !targets.has(target))
    .map(({ target }) => `${target} is not mounted`);
}
