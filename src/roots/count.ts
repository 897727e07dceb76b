import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** How much a folder holds. */
export interface Contents {
  entries: number;
  /** Sum of the sizes of all files, under each of their names. */
  bytes: number;
}

/** Counts what a folder holds, without following links. */
export async function countTree(folder: string): Promise<Contents> {
  const total = { entries: 0, bytes: 0 };
  for (const child of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, child.name);
    total.entries += 1;
    if (child.isDirectory()) {
      const inner = await countTree(path);
      total.entries += inner.entries;
      total.bytes += inner.bytes;
    } else if (child.isFile()) {
      total.bytes += (await lstat(path)).size;
    }
  }
  return total;
}
