import { posix } from 'node:path';
import { findGuarded } from './guarded.js';
import type { HostView } from './host.js';
import type { Mount } from './plan.js';
import { quote } from './quote.js';
import { isWithin } from './walk.js';

/** Each costs a mount, and so does each folder above it. */
const MOST_PATHS = 128;

/** What tools of the host would run or obey in the writable folders, as it was before a run. */
export interface Protection {
  /** The writable folders. */
  folders: string[];
  /** Over what was found. */
  mounts: Mount[];
  warnings: string[];
  /** What was found, without what could not be protected: by its path, where a link leads. */
  seen: ReadonlyMap<string, string | undefined>;
  /** Folders that could not be looked through to their end. */
  blind: ReadonlySet<string>;
}

/** Makes what the host would run later read-only inside the writable mounts. */
export async function protect(host: HostView, mounts: readonly Mount[]): Promise<Protection> {
  const writable = mounts.filter(mount => mount.mode === 'rw');
  const folders = writable.map(mount => mount.source);
  const { found, blind } = await findGuarded(host, folders);
  const solid = found.filter(({ to }) => to === undefined).sort((a, b) => a.rank - b.rank);
  const spare = new Set(solid.slice(MOST_PATHS));
  const made = new Map(
    solid.slice(0, MOST_PATHS).map(({ path, facts: { identity } }) => {
      const top = writable.findLast(mount => isWithin(path, mount.source))!;
      const target = posix.join(top.target, posix.relative(top.source, path));
      return [target, { source: path, target, mode: 'ro' as const, identity }];
    }),
  );
  for (const { target } of mounts) made.delete(target);
  return {
    folders,
    mounts: [...made.values()],
    warnings: [...tooMany(spare.size, solid.length), ...notAllSeen([...blind])],
    seen: new Map(found.filter(finding => !spare.has(finding)).map(({ path, to }) => [path, to])),
    blind,
  };
}

/**
 * Paths that the host would run or obey and that were not there before, could not be protected, or are links that lead
 * elsewhere now; and folders in which such paths can no longer be told.
 */
export async function plantedSince({ folders, seen, blind }: Protection, host: HostView): Promise<string[]> {
  const now = await findGuarded(host, folders);
  const changed = now.found.filter(({ path, to }) => !seen.has(path) || seen.get(path) !== to);
  return [...changed.map(({ path }) => path), ...[...now.blind].filter(folder => !blind.has(folder))];
}

function tooMany(spare: number, all: number): string[] {
  if (spare === 0) return [];
  return [
    `${spare} of ${all} files that the host would run are too many to protect, and are listed as planted by every run.`,
  ];
}

function notAllSeen([first, ...others]: string[]): string[] {
  if (first === undefined) return [];
  const more = others.length > 0 ? ` and ${others.length} other folders` : '';
  return [
    `Not all of ${quote(first)}${more} can be looked through: files in it that the host would run may be neither ` +
      'protected nor listed as planted.',
  ];
}
