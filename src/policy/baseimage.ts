import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import { HOSTNAME, SUPERVISOR_DIR } from '../hardening/container.js';
import type { Ids } from './user.js';

/** One thing in the base image; `path` has no slash in front. */
export type Entry =
  | { path: string; kind: 'folder'; mode?: number }
  | { path: string; kind: 'link'; to: string }
  | { path: string; kind: 'file'; content?: string };

/** Folders that a root needs whatever it is made of. /home, /root, /run and /var are not among them. */
const FOLDERS: Entry[] = [
  ...['dev', 'etc', 'proc', 'sys', 'usr', SUPERVISOR_DIR.slice(1)].map(path => ({ path, kind: 'folder' as const })),
  { path: 'tmp', kind: 'folder', mode: 0o1777 },
];

/**
 * All entries of the almost empty image over which a host root is mounted, parents first.
 * @param system links and mount points of the root; its own entries win over those of the same path.
 * @param users ids that code may run as inside, named `sandbox` in its passwd; root and nobody are always there.
 */
export function baseEntries(system: readonly Entry[], users: readonly Ids[]): Entry[] {
  const named = [{ uid: 0, gid: 0, name: 'root' }, ...users.map(user => ({ ...user, name: 'sandbox' }))];
  const all = [...named, { uid: 65534, gid: 65534, name: 'nobody' }];
  const once = all.filter((user, index) => all.findIndex(other => other.uid === user.uid) === index);
  const groups = all.filter((user, index) => all.findIndex(other => other.gid === user.gid) === index);
  const files: Record<string, string> = {
    'etc/passwd': once.map(({ name, uid, gid }) => `${name}:x:${uid}:${gid}::/tmp:/bin/sh\n`).join(''),
    'etc/group': groups.map(({ name, gid }) => `${name}:x:${gid}:\n`).join(''),
    'etc/hosts': '127.0.0.1 localhost\n::1 localhost\n',
    'etc/hostname': `${HOSTNAME}\n`,
    'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
    'etc/resolv.conf': '',
  };
  const made = Object.entries(files).map(([path, content]): Entry => ({ path, kind: 'file', content }));
  const own = [...FOLDERS, ...made];
  const rest = system.filter(({ path }) => !own.some(entry => entry.path === path));
  return [...own, ...rest].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The entries as a tar archive: the same bytes for the same entries, so that a digest tells whether it changed. */
export function baseImage(entries: readonly Entry[]): Readable {
  const archive = pack();
  const owned = { uid: 0, gid: 0, mtime: new Date(0) };
  for (const entry of entries) {
    if (entry.kind === 'folder') {
      archive.entry({ ...owned, name: `${entry.path}/`, type: 'directory', mode: entry.mode ?? 0o755 });
    } else if (entry.kind === 'link') {
      archive.entry({ ...owned, name: entry.path, type: 'symlink', linkname: entry.to, mode: 0o777 });
    } else {
      archive.entry({ ...owned, name: entry.path, mode: 0o644 }, entry.content ?? '');
    }
  }
  archive.finalize();
  return Readable.from(archive, { objectMode: false });
}
