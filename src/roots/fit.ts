import type { Dirent } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Entry } from '../policy/baseimage.js';
import type { Mount, Root } from '../policy/plan.js';
import { isWithin } from '../policy/walk.js';

/** Folders that every sandbox has of its own, whatever an image puts there. */
const OWN = ['/dev', '/proc', '/sys', '/tmp'];

/**
 * The mounts, links and mount points that show a folder of the host as a root, read-only.
 * @param folder holds a whole file system, as an image has it
 */
export async function rootMounts(folder: string): Promise<Required<Pick<Root, 'mounts' | 'entries'>>> {
  return childrenOf(folder, '/');
}

/**
 * Makes room in an image's root for mount points that it lacks: the folder in which one is missing is shown entry by
 * entry instead, so that the shared root itself stays as it is.
 * @param targets of the policy's mounts
 */
export async function fitRoot(root: Root, targets: readonly string[]): Promise<Root> {
  if (root.kind !== 'image') return root;
  let { mounts, entries = [] } = root;
  for (const target of targets) {
    for (let around = mountAround(mounts, target); around; around = mountAround(mounts, target)) {
      if (await holdsFolder(around, target)) break;
      const { mounts: inner, entries: links } = await childrenOf(around.source, around.target);
      mounts = [...mounts.filter(mount => mount !== around), ...inner];
      entries = [...entries, { path: around.target.slice(1), kind: 'folder' }, ...links];
    }
  }
  // A link on the way to a mount point gives way.
  const kept = entries.filter(
    ({ path, kind }) => kind !== 'link' || !targets.some(target => isWithin(target, `/${path}`)),
  );
  return { ...root, mounts, entries: kept };
}

function mountAround(mounts: readonly Mount[], target: string): Mount | undefined {
  return mounts.find(mount => isWithin(target, mount.target));
}

/** Links count for nothing: what they mean inside is not what they mean here. */
async function holdsFolder({ source, target }: Mount, path: string): Promise<boolean> {
  let at = source;
  for (const name of posix.relative(target, path).split('/').filter(Boolean)) {
    at = join(at, name);
    const facts = await lstat(at).catch(() => undefined);
    if (!facts?.isDirectory()) return false;
  }
  return true;
}

async function childrenOf(folder: string, target: string): Promise<{ mounts: Mount[]; entries: Entry[] }> {
  // A file where a folder is needed gives way like a link.
  const children = await readdir(folder, { withFileTypes: true }).catch(error => {
    if (error.code === 'ENOTDIR') return [];
    throw error;
  });
  const shown = children.filter(({ name }) => !OWN.includes(posix.join(target, name)));
  const links = shown.filter(child => child.isSymbolicLink());
  const toLink = async ({ name }: Dirent): Promise<Entry> => {
    return { path: posix.join(target, name).slice(1), kind: 'link', to: await readlink(join(folder, name)) };
  };
  return {
    mounts: shown
      .filter(child => child.isDirectory() || child.isFile())
      .map(({ name }) => ({ source: join(folder, name), target: posix.join(target, name), mode: 'ro' })),
    entries: await Promise.all(links.map(toLink)),
  };
}
