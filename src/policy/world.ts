import { posix } from 'node:path';
import type { PolicyFolder } from './folders.js';
import type { HostView } from './host.js';
import { type HostMount, isPlaceWithin, parseMountinfo, placeOf, placesIn } from './mountinfo.js';
import { boundSockets } from './sockets.js';
import { walk } from './walk.js';

/** What the kernel tells of a host at one moment. */
export interface KernelTables {
  mounts: HostMount[];
  /** As they were bound. */
  sockets: string[];
}

/** Reads what changes between two runs: what is mounted, and which sockets are bound. */
export async function readTables(host: HostView): Promise<KernelTables> {
  const [mounts, sockets] = await Promise.all(['/proc/self/mountinfo', '/proc/net/unix'].map(host.readText));
  return { mounts: parseMountinfo(mounts!), sockets: boundSockets(sockets!) };
}

/**
 * Canonical paths of the sockets that are bound in one of the folders and still there. A socket bound by a relative path
 * is looked for from each folder: where its program stood, nobody tells.
 */
export async function socketsIn(host: HostView, folders: PolicyFolder[], tables: KernelTables): Promise<string[]> {
  const { mounts, sockets: bound } = tables;
  const absolute = bound.filter(path => path.startsWith('/'));
  const parents = [...new Set(absolute.map(path => posix.dirname(path)))].filter(isOpen);
  const places = new Map(await Promise.all(parents.map(async path => [path, await walk(host, path)] as const)));
  const shown = folders.flatMap(folder => placesIn(mounts, folder.path));
  const candidates = absolute.flatMap(path => {
    const parent = places.get(posix.dirname(path));
    if (!parent?.found) return [];
    const canonical = posix.join(parent.path, posix.basename(path));
    const place = placeOf(mounts, canonical);
    return shown.some(each => isPlaceWithin(place, each)) ? [canonical] : [];
  });
  const relative = bound.filter(path => !path.startsWith('/'));
  const guessed = folders.flatMap(folder => relative.map(path => posix.join(folder.path, path)));
  const there = await Promise.all([...candidates, ...guessed].map(path => host.lstat(path).catch(() => undefined)));
  return [...candidates, ...guessed].filter((_, index) => there[index]?.kind === 'socket');
}

/** No policy folder may lie in these, and most sockets of a host do. */
function isOpen(folder: string): boolean {
  return !/^(\/var)?\/run(\/|$)/.test(folder);
}
