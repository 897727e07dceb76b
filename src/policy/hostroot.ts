import { posix } from 'node:path';
import type { Entry } from './baseimage.js';
import type { HostView } from './host.js';
import type { Mount, Root } from './plan.js';
import { prefixMounts } from './prefix.js';
import { MERGED_FOLDERS } from './visible.js';
import { isWithin, walk } from './walk.js';

/**
 * All of /etc that is shown, where it is there: what programs need to find libraries, alternatives, time zones, fonts
 * and certificates. A list of what is shown cannot forget a secret: shadow, ssl/private, pki/tls/private, ssh, pip.conf,
 * npmrc, gitconfig, environment and apt/auth.conf are not on it. passwd, group, hosts and nsswitch.conf are made.
 */
const ETC = [
  'alternatives',
  'fonts',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'os-release',
  'pki/ca-trust/extracted',
  'pki/tls/certs',
  'protocols',
  'services',
  'ssl/certs',
  'terminfo',
];
/** /usr/local belongs to the administrator; /usr/etc is where npm and OSTree keep settings (npmrc with its tokens). */
const NOT_OF_USR = ['local', 'etc', 'tmp'];
const ETC_PYTHON = /^python3(\.\d+)?$/;
const PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
/** Interpreters that are looked for, so that messages can tell what there is. */
const INTERPRETERS = ['python3', 'python', 'node', 'nodejs', 'bash', 'sh', 'perl', 'ruby', 'php', 'gcc', 'deno', 'bun'];

/** The host's own system folders as a root: mounts, and what the almost empty image below them must have. */
export interface HostRoot {
  root: Root;
  /** Links such as /bin, and mount points, for the base image. */
  entries: Entry[];
}

/** What of the host is shown beyond its system folders. */
export interface HostRootOptions {
  /** Prefixes of interpreters, canonical or not; their `bin` comes first in PATH. */
  prefixes?: readonly string[];
  /** Shows /usr/local as well. */
  usrLocal?: boolean;
}

/**
 * Describes the host's own system as a read-only root. /usr is shown entry by entry, so that /usr/local is left out by
 * not being mounted: a cover would be one more thing that could slip.
 */
export async function hostRoot(host: HostView, options: HostRootOptions = {}): Promise<HostRoot> {
  const prefixes = [...(options.prefixes ?? []), ...(options.usrLocal ? ['/usr/local'] : [])];
  const usr = (await host.readdir('/usr')).filter(name => !NOT_OF_USR.includes(name)).map(name => `/usr/${name}`);
  const python = (await host.readdir('/etc')).filter(name => ETC_PYTHON.test(name));
  const system = await Promise.all([...usr, ...MERGED_FOLDERS].map(path => systemEntry(host, path)));
  const etc = await Promise.all([...ETC, ...python].map(name => etcMount(host, `/etc/${name}`)));
  const extra = (await Promise.all(prefixes.map(prefix => prefixMounts(host, prefix)))).flat();
  const entries = system.flat();
  const mounts = [
    ...entries.filter(entry => entry.kind === 'folder').map(entry => readOnly(`/${entry.path}`)),
    ...etc.flat(),
    ...extra,
  ];
  const path = [...extra.map(mount => mount.target).filter(target => posix.basename(target) === 'bin'), ...PATH];
  const root: Root = { kind: 'host', name: 'host', mounts, path: [...new Set(path)], env: {} };
  return { root: { ...root, commands: await interpretersIn(host, root) }, entries };
}

/** The same root with the prefixes of one more interpreter. */
export async function withPrefixes(host: HostView, root: Root, prefixes: readonly string[]): Promise<Root> {
  const mounts = (await Promise.all(prefixes.map(prefix => prefixMounts(host, prefix)))).flat();
  const shown = new Set(root.mounts.map(mount => mount.target));
  return { ...root, mounts: [...root.mounts, ...mounts.filter(mount => !shown.has(mount.target))] };
}

async function systemEntry(host: HostView, path: string): Promise<Entry[]> {
  const facts = await host.lstat(path);
  const name = path.slice(1);
  if (facts?.kind === 'link') return [{ path: name, kind: 'link', to: await host.readlink(path) }];
  return facts?.kind === 'folder' ? [{ path: name, kind: 'folder' }] : [];
}

/** A link in /etc (localtime, os-release) is mounted as what it leads to, as long as that is the system's. */
async function etcMount(host: HostView, path: string): Promise<Mount[]> {
  const place = await walk(host, path);
  if (!place.found || !['folder', 'file'].includes(place.facts.kind)) return [];
  const isSystem = place.path === path || isWithin(place.path, '/usr');
  return isSystem ? [{ source: place.path, target: path, mode: 'ro' }] : [];
}

function readOnly(path: string): Mount {
  return { source: path, target: path, mode: 'ro' };
}

/** First match in PATH, as a shell would find it, where it leads to something that is shown. */
async function interpretersIn(host: HostView, root: Root): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const folder of root.path.toReversed()) {
    const versions = (await host.readdir(folder)).filter(name => /^python3\.\d+$/.test(name));
    for (const name of [...INTERPRETERS, ...versions]) {
      const place = await walk(host, posix.join(folder, name));
      const shown = place.found && place.facts.kind === 'file' && isShownBy(root, place.path);
      if (shown) found[name] = posix.join(folder, name);
    }
  }
  return found;
}

function isShownBy(root: Root, path: string): boolean {
  return root.mounts.some(mount => isWithin(path, mount.source));
}
