import { posix } from 'node:path';
import type { HostView } from './host.js';

/** Names that are looked at in one folder and all below it: each costs a run some microseconds. */
const MOST_NAMES = 1000;
const MOST_FOLDERS = 64;

/**
 * Sockets that lie in a folder, those on top first. The kernel's table does not tell of all of them: it has those of this
 * network namespace only, and names them as they were bound.
 */
export async function socketFiles(host: HostView, root: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [root];
  let left = MOST_NAMES;
  for (let n = 0; n < folders.length && n < MOST_FOLDERS && left > 0; n++) {
    const folder = folders[n]!;
    const { entries } = await host.entries(folder, left);
    left -= entries.length;
    for (const { name, kind } of entries) {
      const path = posix.join(folder, name);
      if (kind === 'folder') folders.push(path);
      if (kind === 'socket') found.push(path);
    }
  }
  return found;
}
