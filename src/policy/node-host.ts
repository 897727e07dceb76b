import type { BigIntStats, Dirent } from 'node:fs';
import { constants } from 'node:fs';
import { lstat, open, opendir, readdir, readFile, readlink } from 'node:fs/promises';
import type { FileFacts, HostView } from './host.js';

/** O_PATH of Linux, which Node does not name: holds a folder that its holder need not be able to list. */
const O_PATH = process.platform === 'linux' ? 0o10000000 : 0;

/** A process that is short of descriptors or memory has seen nothing: that is not to be taken for nothing being there. */
const SHORTAGES = ['EMFILE', 'ENFILE', 'ENOMEM'];

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
    const found: Awaited<ReturnType<HostView['entries']>> = [];
    try {
      for await (const entry of await opendir(path)) {
        if (found.length >= most) break;
        found.push({ name: entry.name, kind: kindOf(entry) });
      }
    } catch (error) {
      // Unreadable for the service: not looked through.
      return unseen(error, found);
    }
    return found;
  },
  readText: path => readFile(path, 'utf8').catch(error => unseen(error, '')),
  async hold(path) {
    const handle = await open(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
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
