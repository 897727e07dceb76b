import { rm } from 'node:fs/promises';
import type { Owner } from '../reaper/owner.js';
import { deadFolders } from './folder.js';
import { endCgroup } from './limits/cgroup.js';

/**
 * Removes what instances of dead owners left: what still runs in their cgroups (nothing should, since sandboxes die with
 * their owner), those cgroups, and their folders.
 * @returns how many instances that were
 */
export async function sweepLaunchers(self: Owner, places: readonly string[]): Promise<number> {
  const dead = await deadFolders(self, places);
  for (const { path, cgroups } of dead) {
    for (const cgroup of cgroups) await endCgroup(cgroup);
    await rm(path, { recursive: true, force: true });
  }
  return dead.length;
}
