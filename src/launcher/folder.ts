import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Owner, ownerState } from '../reaper/owner.js';

const PREFIX = 'code-sandbox-launcher-';
const OWNER_FILE = 'owner.json';

/** What a folder says about the instance that made it. */
export interface FolderClaim {
  owner: Owner;
  /** Folders of the cgroup tree that go with it. */
  cgroups: string[];
}

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
    await writeFile(join(made, OWNER_FILE), JSON.stringify(claim), { mode: 0o600 });
    return made;
  }
  throw new Error(`no folder for the launcher's files can be made in any of ${places.join(', ')}`);
}

/** Folders of instances whose owner is dead. Only those of this user count: others could forge them in /tmp. */
export async function deadFolders(
  self: Owner,
  places: readonly string[],
): Promise<Array<FolderClaim & { path: string }>> {
  const found = await Promise.all(places.map(place => claimsIn(place)));
  return found.flat().filter(({ owner }) => ownerState(owner, self) === 'dead');
}

async function claimsIn(place: string): Promise<Array<FolderClaim & { path: string }>> {
  const names = await readdir(place).catch(() => []);
  const claims = names
    .filter(name => name.startsWith(PREFIX))
    .map(async name => {
      const path = join(place, name);
      try {
        const claim = JSON.parse(await readFile(join(path, OWNER_FILE), 'utf8')) as FolderClaim;
        return (await stat(path)).uid === process.getuid?.() ? [{ ...claim, path }] : [];
      } catch {
        return [];
      }
    });
  return (await Promise.all(claims)).flat();
}
