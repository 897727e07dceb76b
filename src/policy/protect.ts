import { posix } from 'node:path';
import type { FileFacts, HostView } from './host.js';
import type { Mount } from './plan.js';
import { isGuarded, PARTS } from './protected-names.js';
import { isWithin } from './walk.js';

/** Folders below a workspace that are looked through, and names in all of them: what lies deeper is not found. */
const DEPTH = 5;
const MOST_NAMES = 10_000;
/** Each costs a mount, and so does each folder above it. */
const MOST_PATHS = 128;

/** What tools of the host would run or obey in the writable folders, as it was before a run. */
export interface Protection {
  /** The writable folders. */
  folders: string[];
  /** Over what was found, and over the folders above it. */
  mounts: Mount[];
  warnings: string[];
  /** What was found: by its path, where a link leads. */
  seen: ReadonlyMap<string, string | undefined>;
}

interface Finding {
  path: string;
  facts: FileFacts;
  /** Where a link leads: nothing can be mounted over a link. */
  to?: string;
}

/**
 * Makes what the host would run later read-only inside the writable mounts. The folders above it become mount points of
 * their own, still writable: without that one of them could be moved away and made anew.
 */
export async function protect(host: HostView, mounts: readonly Mount[]): Promise<Protection> {
  const writable = mounts.filter(mount => mount.mode === 'rw');
  const folders = writable.map(mount => mount.source);
  const found = await findAll(host, folders);
  const solid = found.filter(({ to }) => to === undefined);
  const made = new Map<string, Mount>();
  for (const finding of solid.slice(0, MOST_PATHS)) {
    const top = writable.findLast(mount => isWithin(finding.path, mount.source))!;
    for (const mount of await chain(host, top, finding)) if (!made.has(mount.target)) made.set(mount.target, mount);
  }
  for (const { target } of mounts) made.delete(target);
  const left = solid.length - MOST_PATHS;
  return {
    folders,
    mounts: [...made.values()],
    warnings: left > 0 ? [`${left} of ${solid.length} files that the host would run are too many to protect.`] : [],
    seen: new Map(found.map(({ path, to }) => [path, to])),
  };
}

/** Paths that the host would run or obey and that were not there before, or are links that lead elsewhere now. */
export async function plantedSince({ folders, seen }: Protection, host: HostView): Promise<string[]> {
  const now = await findAll(host, folders);
  return now.filter(({ path, to }) => !seen.has(path) || seen.get(path) !== to).map(({ path }) => path);
}

async function findAll(host: HostView, folders: string[]): Promise<Finding[]> {
  return (await Promise.all(folders.map(folder => findings(host, folder)))).flat();
}

/** The mounts that one protected path takes, from the top down. */
async function chain(host: HostView, top: Mount, finding: Finding): Promise<Mount[]> {
  const names = posix.relative(top.source, finding.path).split('/');
  const mounts: Mount[] = [];
  for (let depth = 1; depth <= names.length; depth++) {
    const part = names.slice(0, depth).join('/');
    const source = posix.join(top.source, part);
    const last = depth === names.length;
    const facts = last ? finding.facts : await host.lstat(source);
    if (facts?.kind !== 'folder' && !last) return [];
    mounts.push({
      source,
      target: posix.join(top.target, part),
      mode: last ? 'ro' : 'rw',
      identity: facts!.identity,
    });
  }
  return mounts;
}

/** Breadth first, so that what lies on top is found however much there is. */
async function findings(host: HostView, root: string): Promise<Finding[]> {
  const found: Finding[] = [];
  let names = MOST_NAMES;
  let folders = [root];
  for (let depth = 0; depth < DEPTH && folders.length > 0 && names > 0; depth++) {
    const next: string[] = [];
    for (const folder of folders) {
      const entries = await host.entries(folder, names);
      names -= entries.length;
      for (const { name, kind } of entries) {
        const path = posix.join(folder, name);
        const parts = kind === 'folder' ? PARTS[name] : undefined;
        if (parts) for (const part of parts) await note(host, posix.join(path, part), found);
        else if (isGuarded(name)) await note(host, path, found);
        else if (kind === 'folder') next.push(path);
      }
      if (names <= 0) break;
    }
    folders = next;
  }
  return found;
}

async function note(host: HostView, path: string, found: Finding[]): Promise<void> {
  const facts = await host.lstat(path).catch(() => undefined);
  if (!facts) return;
  const to = facts.kind === 'link' ? await host.readlink(path).catch(() => '') : undefined;
  if (facts.kind === 'file' || facts.kind === 'folder') found.push({ path, facts });
  else found.push({ path, facts, to: to ?? facts.kind });
}
