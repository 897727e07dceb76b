import type { BigIntStats, Dirent } from 'node:fs';
import { constants, readFileSync } from 'node:fs';
import { lstat, open, opendir, readdir, readFile, readlink } from 'node:fs/promises';
import type { FileFacts, HostView, Listing } from './host.js';
import { listens } from './listens.js';
import { O_PATH } from './open-path.js';

/** A process that is short of descriptors or memory has seen nothing: that is not to be taken for nothing being there. */
const SHORTAGES = ['EMFILE', 'ENFILE', 'ENOMEM'];

/** Of a folder, by one call to the system; Node's own default is 32. */
const NAMES_AT_ONCE = 256;

/** The host that this process runs on. */
export const nodeHost: HostView = {
  lstat: path =>
    lstat(path, { bigint: true }).then(factsOf, error => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw error;
    }),
  readlink: path => readlink(path),
  readdir: path =>
    readdir(path).then(
      names => names.sort(),
      error => unseen(error, []),
    ),
  async entries(path, most) {
    const entries: Listing['entries'] = [];
    try {
      for await (const entry of await opendir(path, { bufferSize: NAMES_AT_ONCE })) {
        if (entries.length >= most) return { entries, whole: false };
        entries.push({ name: entry.name, kind: kindOf(entry) });
      }
      return { entries, whole: true };
    } catch {
      // Unreadable for the service, gone, or this process is short of descriptors.
      return { entries, whole: false };
    }
  },
  readText: async path => {
    try {
      // Of the kernel’s own files one is read in less time than a thread would take to do it, and no disk is waited for.
      return path.startsWith('/proc/') ? readFileSync(path, 'utf8') : await readFile(path, 'utf8');
    } catch (error) {
      return unseen(error, '');
    }
  },
  listens,
  async hold(path) {
    // Where there is no O_PATH, a FIFO would otherwise be waited at for its writer.
    const handle = await open(path, O_PATH | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const facts = factsOf(await handle.stat({ bigint: true }));
      const at = O_PATH ? await readlink(`/proc/self/fd/${handle.fd}`) : undefined;
      return { facts, path: at, close: () => handle.close() };
    } catch (error) {
      await handle.close();
      throw error;
    }
  },
};

function unseen<T>(error: unknown, nothing: T): T {
  if (SHORTAGES.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  return nothing;
}

function factsOf(stats: BigIntStats): FileFacts {
  return {
    kind: kindOf(stats),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    mode: Number(stats.mode & 0o7777n),
    identity: { device: stats.dev, inode: stats.ino },
  };
}

function kindOf(stats: BigIntStats | Dirent): FileFacts['kind'] {
  if (stats.isDirectory()) return 'folder';
  if (stats.isFile()) return 'file';
  if (stats.isSymbolicLink()) return 'link';
  return stats.isSocket() ? 'socket' : 'other';
}
