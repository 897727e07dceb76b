import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type Owner, ownerState } from '../reaper/owner.js';
import { ownerSchema, readOwnerFile, writeOwnerFile } from '../reaper/owner-file.js';

const PREFIX = 'code-sandbox-launcher-';

const claimSchema = z.object({
  owner: ownerSchema,
  /** Folders of the cgroup tree that go with it. */
  cgroups: z.array(z.string()),
});

/** What a folder says about the instance that made it. */
export type FolderClaim = z.infer<typeof claimSchema>;

/** Places for such folders, best first; a root's never lies in the folder of a user, which XDG_RUNTIME_DIR is after su. */
export function runtimePlaces(uid: number, env: NodeJS.ProcessEnv): string[] {
  const own = uid === 0 ? ['/run'] : [env.XDG_RUNTIME_DIR, `/run/user/${uid}`];
  return [...own.filter(place => place !== undefined && place !== ''), tmpdir()] as string[];
}

/**
 * Makes the folder of one instance for what launchers need as files: below the runtime folder, where no code can write,
 * and closed to other users.
 * @returns its path
 */
export async function makeFolder(claim: FolderClaim, places: readonly string[]): Promise<string> {
  for (const place of places) {
    const made = await mkdtemp(join(place, PREFIX)).catch(() => undefined);
    if (made === undefined) continue;
    await writeOwnerFile(made, claim);
    return made;
  }
  throw new Error(`no folder for the launcher's files can be made in any of ${places.join(', ')}`);
}

/** Folders of instances whose owner is dead. Whatever else bears the name is passed over. */
export async function deadFolders(
  self: Owner,
  places: readonly string[],
): Promise<Array<FolderClaim & { path: string }>> {
  const names = await Promise.all(places.map(place => namesIn(place)));
  const claims = names.flat().map(async path => ({ ...(await readOwnerFile(path, claimSchema)), path }));
  const read = await Promise.allSettled(claims);
  return read.flatMap(result => {
    return result.status === 'fulfilled' && ownerState(result.value.owner, self) === 'dead' ? [result.value] : [];
  });
}

async function namesIn(place: string): Promise<string[]> {
  const names = await readdir(place).catch(() => []);
  return names.filter(name => name.startsWith(PREFIX)).map(name => join(place, name));
}
