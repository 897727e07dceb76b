import { posix } from 'node:path';
import type { FileFacts, HostView, Listing } from './host.js';
import { FIXED_NAMES, isGuarded, PARTS } from './protected-names.js';

/** Levels of folders that are looked through: what lies deeper is not found. */
const DEPTH = 5;
/** Names that are listed in one writable folder and all below it. */
const MOST_LISTED = 10_000;
/** Names that are asked for one by one, where a folder cannot be listed to its end. */
const MOST_ASKED = 10_000;

/** A path that tools of the host would run or obey. */
export interface Finding {
  path: string;
  facts: FileFacts;
  /** Low ones are to be protected first: what lies on top, and of all levels what code can make only one of. */
  rank: number;
  /** Where a link leads: nothing can be mounted over a link. */
  to?: string;
}

/** What there is, as far as can be seen. */
export interface Guarded {
  found: Finding[];
  /** Folders that could not be looked through to their end. */
  blind: Set<string>;
}

/** Looks through writable folders. */
export async function findGuarded(host: HostView, folders: string[]): Promise<Guarded> {
  const searches = await Promise.all(folders.map(folder => search(host, folder)));
  return {
    found: searches.flatMap(({ found }) => found),
    blind: new Set(searches.flatMap(({ blind }) => [...blind])),
  };
}

/**
 * Breadth first, so that what lies on top is found however much there is. Code may fill a folder with names or make it
 * unreadable, which hides nothing that has a fixed name there: that is asked for.
 */
async function search(host: HostView, root: string): Promise<Guarded> {
  const found: Finding[] = [];
  const blind = new Set<string>();
  let left = MOST_LISTED + MOST_ASKED;
  let folders = [root];
  for (let depth = 0; depth < DEPTH; depth++) {
    const next: string[] = [];
    for (const folder of folders) {
      if (left <= 0) return { found, blind: blind.add(root) };
      const most = Math.max(0, left - MOST_ASKED);
      const { entries, whole } = await host.entries(folder, most);
      left -= entries.length;
      if (!whole) {
        blind.add(entries.length < most ? folder : root);
        entries.push(...(await ask(host, folder, entries)));
        left -= FIXED_NAMES.size;
      }
      for (const { name, kind } of entries) {
        const path = posix.join(folder, name);
        const parts = kind === 'folder' ? PARTS[name] : undefined;
        if (parts) for (const part of parts) found.push(...(await note(host, posix.join(path, part), depth)));
        else if (isGuarded(name)) found.push(...(await note(host, path, FIXED_NAMES.has(name) ? depth : DEPTH)));
        else if (kind === 'folder') next.push(path);
      }
    }
    folders = next;
  }
  return { found, blind };
}

/** What of the fixed names is in a folder and was not listed. */
async function ask(host: HostView, folder: string, listed: Listing['entries']): Promise<Listing['entries']> {
  const known = new Set(listed.map(({ name }) => name));
  const asked = await Promise.all(
    [...FIXED_NAMES]
      .filter(name => !known.has(name))
      .map(async name => {
        const facts = await host.lstat(posix.join(folder, name)).catch(() => undefined);
        return facts ? [{ name, kind: facts.kind }] : [];
      }),
  );
  return asked.flat();
}

async function note(host: HostView, path: string, rank: number): Promise<Finding[]> {
  const facts = await host.lstat(path).catch(() => undefined);
  if (!facts) return [];
  if (facts.kind === 'file' || facts.kind === 'folder') return [{ path, facts, rank }];
  const to = facts.kind === 'link' ? await host.readlink(path).catch(() => '') : facts.kind;
  return [{ path, facts, rank, to }];
}
