import { randomBytes } from 'node:crypto';
import { rmdir } from 'node:fs/promises';
import { HeldFolder } from './held.js';

/** Files that are removed at once. */
const BATCH = 128;

/**
 * Removes a folder that code has filled: in flat memory however many files there are, and however deep they lie. Folders
 * are moved to the top before they are emptied, so that no path grows beyond what the kernel takes, and no level holds a
 * descriptor. One that is not there is fine.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await using top = await HeldFolder.open(path);
    const lifted = lifter(top);
    while (await emptyOnce(top, lifted));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  await rmdir(path);
}

/** Moves folders to the top, under names that the code could not have given away before. */
function lifter(top: HeldFolder) {
  const prefix = `.removed-${randomBytes(8).toString('hex')}`;
  let count = 0;
  return async (from: HeldFolder, name: Buffer) => {
    // Moving a folder changes its `..`, which takes the right to write it.
    await using folder = await from.folder(name);
    await folder.unlock();
    await from.move(name, top, `${prefix}-${count++}`);
  };
}

/** Takes one level off everything. @returns whether there was anything */
async function emptyOnce(top: HeldFolder, lift: ReturnType<typeof lifter>): Promise<boolean> {
  return forEach(top, async (name, isFolder) => {
    if (!isFolder) return top.unlink(name);
    {
      await using folder = await top.folder(name);
      await forEach(folder, (inner, isFolder) => (isFolder ? lift(folder, inner) : folder.unlink(inner)));
    }
    await top.rmdir(name);
  });
}

async function forEach(folder: HeldFolder, work: (name: Buffer, isFolder: boolean) => Promise<void>): Promise<boolean> {
  await folder.unlock();
  let any = false;
  let batch: Array<Promise<void>> = [];
  for await (const { name, isFolder } of folder.entries()) {
    any = true;
    batch.push(work(name, isFolder));
    if (batch.length < BATCH) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
  return any;
}
