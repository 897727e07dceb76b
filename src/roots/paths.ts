import { UnsafeArchive } from './unsafe.js';

const LONGEST_NAME = 255;
/** PATH_MAX, less room for the folder that the root lies in. */
const LONGEST_PATH = 3072;

/**
 * The path of an archive's entry, relative to the root and without `.` parts; empty for the root itself.
 * @throws UnsafeArchive for one that leads out of the root, or that no file system takes
 */
export function pathInside(name: string): string {
  const parts = name.split('/').filter(part => part !== '' && part !== '.');
  if (parts.includes('..')) throw new UnsafeArchive(`its entry ${JSON.stringify(name)} leads out of the root by ".."`);
  if (name.includes('\0')) throw new UnsafeArchive(`its entry ${JSON.stringify(name)} contains a NUL`);
  const path = parts.join('/');
  const tooLong = Buffer.byteLength(path) > LONGEST_PATH || parts.some(part => Buffer.byteLength(part) > LONGEST_NAME);
  if (tooLong) throw new UnsafeArchive(`its entry ${JSON.stringify(name.slice(0, 80))}… has too long a path`);
  return path;
}
