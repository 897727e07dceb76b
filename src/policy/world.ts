import { posix } from 'node:path';
import type { PolicyFolder } from './folders.js';
import type { HostView } from './host.js';
import { type HostMount, isPlaceWithin, parseMountinfo, placeOf, placesIn } from './mountinfo.js';
import { socketFiles } from './socket-files.js';
import { boundSockets } from './sockets.js';
import { isWithin, walk } from './walk.js';

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

/** Canonical paths of the sockets in the folders on which a program takes what others send. */
export async function socketsIn(host: HostView, folders: PolicyFolder[], tables: KernelTables): Promise<string[]> {
  const [bound, ...files] = await Promise.all([
    boundIn(host, folders, tables),
    ...folders.map(({ path }) => socketFiles(host, path)),
  ]);
  const others = [...new Set(files.flat())].filter(path => !bound.includes(path));
  const heard = await Promise.all(others.map(path => host.listens(path)));
  return [...bound, ...others.filter((_, index) => heard[index])];
}

/** Those that the kernel's table names, however deep they lie. */
async function boundIn(host: HostView, folders: PolicyFolder[], tables: KernelTables): Promise<string[]> {
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
  const stands = relative.length > 0 ? await currentFolders(host) : [];
  const starts = [...folders.map(({ path }) => path), ...stands];
  const guessed = starts
    .flatMap(start => relative.map(path => posix.join(start, path)))
    .filter(path => folders.some(folder => isWithin(path, folder.path)));
  const paths = [...new Set([...candidates, ...guessed])];
  const there = await Promise.all(paths.map(path => host.lstat(path).catch(() => undefined)));
  return paths.filter((_, index) => there[index]?.kind === 'socket');
}

/** Where programs stand, of those that may be looked at: a socket that was bound by a relative path lies there, as a rule. */
async function currentFolders(host: HostView): Promise<string[]> {
  const pids = (await host.readdir('/proc')).filter(name => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map(pid => host.readlink(`/proc/${pid}/cwd`).catch(() => undefined)));
  return [...new Set(folders.filter(folder => folder !== undefined))];
}

/** No policy folder may lie in these, and most sockets of a host do. */
function isOpen(folder: string): boolean {
  return !/^(\/var)?\/run(\/|$)/.test(folder);
}
