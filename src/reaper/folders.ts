import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Owner, ownerState } from './owner.js';
import { ownerSchema, readOwnerFile } from './owner-file.js';

/** Removes the folders whose owner is dead. One that cannot be removed does not keep the others, and is for the next sweep. */
export async function sweepFolders(place: string, prefix: string, self: Owner): Promise<void> {
  const names = (await readdir(place)).filter(name => name.startsWith(prefix));
  await Promise.allSettled(
    names.map(async name => {
      const folder = join(place, name);
      const owner = await readOwnerFile(folder, ownerSchema);
      if (ownerState(owner, self) === 'dead') await rm(folder, { recursive: true, force: true });
    }),
  );
}
