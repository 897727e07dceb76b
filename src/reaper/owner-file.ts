import { constants, type Stats } from 'node:fs';
import { lstat, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { removeTree } from './remove-tree.js';

const NAME = 'owner.json';
/** A claim takes some hundred. */
const MOST_BYTES = 65_536;
/** A note is written milliseconds after its folder was made. */
const CLAIM_MS = 60_000;
const OTHERS_WRITE = 0o022;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** An owner as it is read from a file. */
export const ownerSchema = z.object({
  pid: z.int().positive(),
  start: z.string(),
  boot: z.string(),
  namespace: z.string(),
  machine: z.string().optional(),
});

/**
 * Makes a folder that is closed to others and says whose it is.
 * @param claim for {@link readOwnerFile}
 * @returns its path
 */
export async function makeOwned(place: string, prefix: string, claim: object): Promise<string> {
  const folder = await mkdtemp(join(place, prefix));
  try {
    await writeFile(join(folder, NAME), JSON.stringify(claim), { mode: 0o600 });
    return folder;
  } catch (error) {
    await removeOwned(folder);
    throw error;
  }
}

/** Removes a folder with the note last, so that one half removed is known for whose it is. One that is not there is fine. */
export async function removeOwned(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) if (name !== NAME) await remove(join(folder, name));
  await remove(folder);
}

/** With retries, since something may still get a file; and with more than Node has for what code has filled. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5 }).catch(() => removeTree(path));
}

/**
 * Whether this user's process was killed before it had noted whose a folder is: there is nothing in it but, at most, an
 * empty note, and it is old enough to have one.
 */
export async function isUnclaimed(folder: string): Promise<boolean> {
  const found = await lstat(folder);
  if (!found.isDirectory() || !isOwn(found) || Date.now() - found.mtimeMs < CLAIM_MS) return false;
  const names = await readdir(folder);
  if (names.length === 0) return true;
  return names.length === 1 && names[0] === NAME && (await lstat(join(folder, NAME))).size === 0;
}

/**
 * What a folder says about its owner. Others can make folders of the name where they may write, as in /tmp, with a file
 * that never lets go of its reader: the folder is opened when it is known to be this user's alone, and the file is read likewise.
 * @throws Error when it is anything else
 */
export async function readOwnerFile<T>(folder: string, schema: z.ZodType<T>): Promise<T> {
  const found = await lstat(folder);
  if (!found.isDirectory() || !isOwn(found)) throw new Error(`${folder} is no folder of this user alone`);
  const file = await open(join(folder, NAME), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile() || !isOwn(stats)) throw new Error(`${NAME} in ${folder} is no file of this user alone`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
    if (bytesRead === MOST_BYTES) throw new Error(`${NAME} in ${folder} is too long`);
    return schema.parse(JSON.parse(buffer.toString('utf8', 0, bytesRead)));
  } finally {
    await file.close();
  }
}

function isOwn({ uid, mode }: Stats): boolean {
  return uid === process.getuid?.() && (mode & OTHERS_WRITE) === 0;
}
