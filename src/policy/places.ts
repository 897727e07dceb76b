import { posix } from 'node:path';
import type { Mount } from './plan.js';
import { isWithin } from './walk.js';

/** Where a canonical path of the host is shown inside: through the mount nearest to it, else under its own name. */
export function shownAt(path: string, mounts: readonly Mount[]): string {
  const mount = nearest(path, mounts, each => each.source);
  return mount ? posix.join(mount.target, posix.relative(mount.source, path)) : path;
}

/** The path of the host that a path inside means; `..` stays, since links decide what it means. */
export function meantBy(path: string, mounts: readonly Mount[]): string {
  const mount = nearest(path, mounts, each => each.target);
  return mount ? `${mount.source}${path.slice(mount.target.length)}` : path;
}

/** Of several mounts of one folder the one under its own name. */
function nearest(path: string, mounts: readonly Mount[], end: (mount: Mount) => string): Mount | undefined {
  return mounts
    .filter(mount => isWithin(path, end(mount)))
    .reduce<Mount | undefined>((best, mount) => {
      const closer = end(mount).length - (best ? end(best).length : -1);
      return closer > 0 || (closer === 0 && mount.source === mount.target) ? mount : best;
    }, undefined);
}
