import { posix } from 'node:path';
import { InvalidRequest } from '../sandbox/errors.js';
import type { HostView } from './host.js';
import type { Mount } from './plan.js';
import { quote } from './quote.js';
import { isWithin } from './walk.js';

/** Each takes the engine and the kernel some time. */
const MOST_MOUNTS = 1024;

/**
 * All mounts that it takes for each folder to be shown as it is meant to, parents first: under every name of a folder that it
 * lies in, and with those between what is read-only and the writable folder around it as mounts of their own. The kernel lets
 * nobody move or remove a mount point, but whoever may write can move a folder above one, and put another in its place.
 * @param named by the request
 * @param guarded read-only besides; what has vanished of them by now needs no guard
 * @throws InvalidRequest when a folder was replaced since the paths were followed, or when there are too many
 */
export async function layOut(
  host: Pick<HostView, 'lstat'>,
  named: readonly Mount[],
  guarded: readonly Mount[] = [],
): Promise<Mount[]> {
  const meant = underAllNames([...named, ...guarded]);
  const all = new Map(meant.map(mount => [mount.target, mount]));
  for (const mount of meant) {
    const between = await foldersAbove(host, meant, mount);
    if (between) for (const pin of between) all.set(pin.target, all.get(pin.target) ?? pin);
    else if (named.some(({ source }) => source === mount.source)) throw replaced(mount);
    else all.delete(mount.target);
  }
  if (all.size > MOST_MOUNTS) {
    throw new InvalidRequest(
      `The policy takes ${all.size} mounts, with the folders between read-only and writable ones; the limit is ${MOST_MOUNTS}. Name fewer folders, or ones that lie less deep.`,
    );
  }
  return [...all.values()].sort((a, b) => a.target.length - b.target.length);
}

/** What lies in a folder lies in it under its other names too. */
function underAllNames(mounts: readonly Mount[]): Mount[] {
  const all = new Map(mounts.map(mount => [mount.target, mount]));
  for (const around of mounts) {
    for (const mount of mounts) {
      if (mount.source === around.source || !isWithin(mount.source, around.source)) continue;
      const target = posix.join(around.target, posix.relative(around.source, mount.source));
      if (!all.has(target)) all.set(target, { ...mount, target });
    }
  }
  return [...all.values()];
}

/** Mounts over the folders between a read-only mount and the writable one around it; undefined where one is no folder any more. */
async function foldersAbove(
  host: Pick<HostView, 'lstat'>,
  mounts: readonly Mount[],
  { mode, target }: Mount,
): Promise<Mount[] | undefined> {
  const top = nearest(mounts, target);
  if (mode === 'rw' || top?.mode !== 'rw') return [];
  const names = posix.relative(top.target, target).split('/').slice(0, -1);
  const pins: Mount[] = [];
  for (const depth of names.keys()) {
    const part = names.slice(0, depth + 1).join('/');
    const source = posix.join(top.source, part);
    const facts = await host.lstat(source);
    if (facts?.kind !== 'folder') return undefined;
    pins.push({ source, target: posix.join(top.target, part), mode: 'rw', identity: facts.identity });
  }
  return pins;
}

/** The mount that shows a path's parent. */
function nearest(mounts: readonly Mount[], path: string): Mount | undefined {
  const above = mounts.filter(({ target }) => target !== path && isWithin(path, target));
  return above.reduce<Mount | undefined>((a, b) => (a && a.target.length > b.target.length ? a : b), undefined);
}

function replaced({ source }: Mount): InvalidRequest {
  return new InvalidRequest(
    `A folder above ${quote(source)} was replaced while the request was checked; nothing ran. Try again.`,
    'refused',
  );
}
