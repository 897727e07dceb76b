import { posix } from 'node:path';
import type { PolicyFolder } from './folders.js';
import type { Mount } from './plan.js';
import { isWithin } from './walk.js';

/**
 * The fewest mounts that show every policy folder under its canonical path and under the path that the request gave it.
 *
 * The most specific entry decides, as with mounts: a writable folder in a read-only one is writable, a read-only one in
 * a writable one is read-only, and one that is named in both lists is writable. What its nearest parent already shows in
 * the same mode gets no mount of its own.
 * @param isTaken paths inside that belong to the root, where no second name of a folder may be put.
 */
export function mergeFolders(folders: PolicyFolder[], isTaken: (target: string) => boolean): Mount[] {
  const own = fewest(folders.map(({ target, path, mode, facts }) => mountAt(target ?? path, path, mode, facts)));
  const modeOf = (path: string) => own.findLast(mount => isWithin(path, mount.target))!.mode;
  // A second name below a mount is a link in it, and leads to the right place by itself.
  const others = folders
    .filter(
      ({ target, path, requested }) =>
        !target && path !== requested && !requested.includes('/..') && !isTaken(requested),
    )
    .filter(({ requested }) => !own.some(mount => isWithin(requested, mount.target)))
    .map(({ path, requested, facts }) => mountAt(requested, path, modeOf(path), facts));
  return [...own, ...fewest(others)];
}

function mountAt(target: string, source: string, mode: Mount['mode'], { identity }: PolicyFolder['facts']): Mount {
  return { source, target, mode, identity };
}

/** Parents first, so that a mount never hides one that was made before it; of two at one target the writable one. */
function fewest(mounts: Mount[]): Mount[] {
  const kept: Mount[] = [];
  const byName = (a: Mount, b: Mount) => (a.target < b.target ? -1 : Number(a.target > b.target));
  const ordered = mounts.toSorted(
    (a, b) => a.target.length - b.target.length || byName(a, b) || Number(b.mode === 'rw') - Number(a.mode === 'rw'),
  );
  for (const mount of ordered) {
    const parent = kept.findLast(each => isWithin(mount.target, each.target));
    const shown = parent && posix.join(parent.source, posix.relative(parent.target, mount.target)) === mount.source;
    if (!parent || (parent.target !== mount.target && shown && parent.mode !== mount.mode)) kept.push(mount);
  }
  return kept;
}
