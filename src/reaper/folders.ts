import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Owner, ownerState } from './owner.js';

const OWNER_FILE = 'owner.json';

/** Notes in a folder of this process's own whose it is. */
export async function claimFolder(folder: string, owner: Owner): Promise<void> {
  await writeFile(join(folder, OWNER_FILE), JSON.stringify(owner), { mode: 0o600 });
}

/** Removes the folders whose owner is dead. Only those of this user count: others could forge them. */
export async function sweepFolders(place: string, prefix: string, self: Owner): Promise<void> {
  for (const name of await readdir(place)) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(place, name);
    if (await isLeft(folder, self)) await rm(folder, { recursive: true, force: true });
  }
}

async function isLeft(folder: string, self: Owner): Promise<boolean> {
  try {
    const owner = JSON.parse(await readFile(join(folder, OWNER_FILE), 'utf8')) as Owner;
    return (await stat(folder)).uid === process.getuid?.() && ownerState(owner, self) === 'dead';
  } catch {
    return false;
  }
}
