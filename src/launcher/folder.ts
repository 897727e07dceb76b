import { tmpdir } from 'node:os';
import { z } from 'zod';
import { deadFolders } from '../reaper/folders.js';
import type { Owner } from '../reaper/owner.js';
import { makeOwned, ownerSchema } from '../reaper/owner-file.js';
import { messageOf } from '../sandbox/errors.js';

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

/** Those of this process. */
export function ownPlaces(): string[] {
  return runtimePlaces(process.getuid?.() ?? 0, process.env);
}

/**
 * Makes the folder of one instance for what launchers need as files: below the runtime folder, where no code can write,
 * and closed to other users.
 * @returns its path
 */
export async function makeFolder(claim: FolderClaim, places: readonly string[]): Promise<string> {
  const reasons: string[] = [];
  for (const place of places) {
    try {
      return await makeOwned(place, PREFIX, claim);
    } catch (error) {
      reasons.push(`${place} (${(error as NodeJS.ErrnoException).code ?? messageOf(error)})`);
    }
  }
  throw new Error(
    `no folder for the launcher's files can be made in ${reasons.join(', ')}; make room in one of them, or make it writable for uid ${process.getuid?.()}`,
  );
}

/** Folders of instances whose owner is dead. */
export function deadInstances(self: Owner, places: readonly string[]): Promise<Array<FolderClaim & { path: string }>> {
  return deadFolders(places, PREFIX, claimSchema, self);
}
