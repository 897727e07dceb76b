import { posix } from 'node:path';
import { InvalidRequest } from '../sandbox/errors.js';
import type { HostView } from './host.js';
import type { Mount } from './plan.js';
import { quote } from './quote.js';
import { isWithin } from './walk.js';

/**
 * Adds mounts over the folders between what is read-only and the writable mount that it lies in, and puts parents first.
 * The kernel lets nobody move or remove a mount point, but whoever may write can move a folder above one, and put another
 * in the place of what is read-only.
 * @throws InvalidRequest when such a folder was replaced since the paths were followed
 */
export async function pinned(host: Pick<HostView, 'lstat'>, mounts: readonly Mount[]): Promise<Mount[]> {
  const all = new Map(mounts.map(mount => [mount.target, mount]));
  for (const { target, mode } of mounts) {
    if (mode === 'rw') continue;
    const top = nearest(mounts, target);
    if (top?.mode !== 'rw') continue;
    for (const between of foldersBetween(top.target, target)) {
      if (!all.has(between)) all.set(between, await pin(host, top, between));
    }
  }
  return [...all.values()].sort((a, b) => a.target.length - b.target.length);
}

/** The mount that shows a path's parent. */
function nearest(mounts: readonly Mount[], path: string): Mount | undefined {
  const above = mounts.filter(({ target }) => target !== path && isWithin(path, target));
  return above.reduce<Mount | undefined>((a, b) => (a && a.target.length > b.target.length ? a : b), undefined);
}

function foldersBetween(top: string, path: string): string[] {
  const names = posix.relative(top, path).split('/').slice(0, -1);
  return names.map((_, at) => posix.join(top, ...names.slice(0, at + 1)));
}

async function pin(host: Pick<HostView, 'lstat'>, top: Mount, target: string): Promise<Mount> {
  const source = posix.join(top.source, posix.relative(top.target, target));
  const facts = await host.lstat(source);
  if (facts?.kind !== 'folder') {
    throw new InvalidRequest(
      `The folder ${quote(source)} was replaced while the request was checked; nothing ran. Try again.`,
      'refused',
    );
  }
  return { source, target, mode: 'rw', identity: facts.identity };
}
