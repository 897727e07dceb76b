import { posix } from 'node:path';
import type { Mount, Root } from './plan.js';
import { isWithin } from './walk.js';

/** What a sandbox shows at a path: `unknown` in an image, which nobody has looked into. */
export type Sight = 'policy' | 'private' | 'root' | 'unknown' | 'hidden';

/** What there is to see in a sandbox. */
export interface Inside {
  mounts: Mount[];
  root: Root;
}

/** Folders of a host root that are links into /usr on most systems, and folders on the others. */
export const MERGED_FOLDERS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'] as const;
/** Writable and empty at the start of every run. */
const PRIVATE_FOLDERS = ['/tmp', '/dev/shm'];

/** What an absolute path, taken literally, shows inside. */
export function sightOf(path: string, { mounts, root }: Inside): Sight {
  const plain = posix.resolve(path);
  if (mounts.some(mount => isWithin(plain, mount.target))) return 'policy';
  if (PRIVATE_FOLDERS.some(folder => isWithin(plain, folder))) return 'private';
  if (root.path.includes(plain) || Object.values(root.commands ?? {}).includes(plain)) return 'root';
  if (root.kind === 'image') return 'unknown';
  const shown = [...root.mounts.map(mount => mount.target), ...MERGED_FOLDERS];
  return shown.some(target => isWithin(plain, target)) ? 'root' : 'hidden';
}

/** Whether a canonical path of the host lies in what a policy mount, or a mount of a host root, shows. */
export function isShown(path: string, { mounts, root }: Inside): boolean {
  return [...mounts, ...root.mounts].some(mount => isWithin(path, mount.source));
}
