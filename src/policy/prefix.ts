import { posix } from 'node:path';
import type { HostView } from './host.js';
import type { Mount } from './plan.js';
import { isWithin, walk } from './walk.js';

/**
 * What of an interpreter's prefix is shown: what it needs to run, and never pip.conf, etc/npmrc, .condarc, share or
 * caches, which may hold credentials and lie beside these.
 */
const SHOWN = ['bin', 'include', 'lib', 'lib32', 'lib64', 'libexec', 'pyvenv.cfg', 'sbin', 'ssl'];
/** What stays hidden of it, by its path in the prefix: npm's own settings may hold a registry's token, OpenSSL keeps keys there. */
const HIDDEN = ['lib/node_modules/npm/npmrc', 'ssl/private'];

/** Read-only mounts of what an interpreter needs of its prefix (pyenv or nvm version, venv, conda, /usr/local). */
export async function prefixMounts(host: HostView, prefix: string): Promise<Mount[]> {
  const place = await walk(host, prefix);
  if (!place.found) return [];
  const names = await host.readdir(place.path);
  const shown = names.filter(name => SHOWN.includes(name));
  return (await Promise.all(shown.map(name => showWithout(host, place.path, name, HIDDEN)))).flat();
}

/** Mounts one entry of a folder, or in its place the entries of it that are not hidden. */
async function showWithout(host: HostView, prefix: string, name: string, hidden: string[]): Promise<Mount[]> {
  const path = posix.join(prefix, name);
  const facts = await host.lstat(path);
  if (hidden.includes(name) || !facts) return [];
  if (facts.kind === 'link') return name.includes('/') ? linked(host, prefix, path) : [];
  const inside = hidden.filter(each => each.startsWith(`${name}/`));
  const present = await Promise.all(inside.map(each => host.lstat(posix.join(prefix, each))));
  if (!present.some(Boolean)) return [{ source: path, target: path, mode: 'ro' }];
  const names = await host.readdir(path);
  return (await Promise.all(names.map(each => showWithout(host, prefix, `${name}/${each}`, inside)))).flat();
}

/** What a link in a folder that is shown entry by entry leads to, where that is shown as well. */
async function linked(host: HostView, prefix: string, path: string): Promise<Mount[]> {
  const place = await walk(host, path);
  if (!place.found || HIDDEN.some(each => isWithin(place.path, posix.join(prefix, each)))) return [];
  const shown = SHOWN.some(each => isWithin(place.path, posix.join(prefix, each)));
  return shown ? [{ source: place.path, target: path, mode: 'ro' }] : [];
}

/**
 * The prefixes that an interpreter of the host needs beyond /usr: its own, told by what it looks like, and a venv in
 * front of it. None where the path is no interpreter's.
 */
export async function prefixesOf(host: HostView, interpreter: string): Promise<string[]> {
  const place = await walk(host, interpreter);
  if (!place.found || place.facts.kind !== 'file') return [];
  const above = (path: string) => posix.dirname(posix.dirname(path));
  const venv = above(posix.resolve(interpreter));
  const base = above(place.path);
  const isVenv = (await host.lstat(posix.join(venv, 'pyvenv.cfg'))) !== undefined;
  return [...new Set([...(isVenv ? [venv] : []), ...((await isPrefix(host, base)) ? [base] : [])])];
}

async function isPrefix(host: HostView, path: string): Promise<boolean> {
  if (path === '/' || path === '/usr') return false;
  const marks = ['include/node', 'lib/node_modules', 'conda-meta'].map(name => host.lstat(posix.join(path, name)));
  if ((await Promise.all(marks)).some(Boolean)) return true;
  return (await host.readdir(posix.join(path, 'lib'))).some(name => /^python\d/.test(name));
}
