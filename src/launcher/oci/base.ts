import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { baseEntries, type Entry } from '../../policy/baseimage.js';
import type { Mount, Root } from '../../policy/plan.js';
import type { Ids } from '../../policy/user.js';
import { isWithin } from '../../policy/walk.js';
import { isInTmpfs } from './mounts.js';

/**
 * Makes the almost empty folder over which a root is mounted: its links and generated files, and a mount point for every
 * bind, so that no runtime has to make one.
 * @param folder does not exist yet
 * @param inside ids that its passwd file names
 */
export async function makeBase(folder: string, root: Root, binds: readonly Mount[], inside: Ids): Promise<void> {
  const made = new Set<string>();
  const folderAt = async (path: string, mode = 0o755): Promise<void> => {
    if (made.has(path)) return;
    if (path !== folder) await folderAt(dirname(path));
    made.add(path);
    await mkdir(path);
    // Whatever this process's umask is: code of another user has to get through.
    await chmod(path, mode);
  };
  const fileAt = async (path: string, content: string): Promise<void> => {
    await folderAt(dirname(path));
    // Never through a link: what an image brings must not choose where the host writes.
    await writeFile(path, content, { flag: 'wx' });
    await chmod(path, 0o644);
  };
  await folderAt(folder);
  const entries = baseEntries(root.entries ?? [], [inside]);
  const there = new Set(entries.map(({ path }) => `/${path}`));
  for (const entry of entries) await makeEntry(entry, join(folder, entry.path), { folderAt, fileAt });
  for (const { source, target } of binds.filter(bind => needsPoint(bind, binds) && !there.has(bind.target))) {
    const path = join(folder, target);
    if ((await stat(source)).isDirectory()) await folderAt(path);
    else await fileAt(path, '');
  }
}

interface Makers {
  folderAt(path: string, mode?: number): Promise<void>;
  fileAt(path: string, content: string): Promise<void>;
}

async function makeEntry(entry: Entry, path: string, { folderAt, fileAt }: Makers): Promise<void> {
  if (entry.kind === 'folder') return folderAt(path, entry.mode);
  if (entry.kind === 'file') return fileAt(path, entry.content ?? '');
  await folderAt(dirname(path));
  await symlink(entry.to, path);
}

/** What lies in another mount has its mount point there. */
function needsPoint({ target }: Mount, binds: readonly Mount[]): boolean {
  const plain = posix.resolve(target);
  return !isInTmpfs(plain) && !binds.some(other => other.target !== target && isWithin(plain, other.target));
}
