import { readFile } from 'node:fs/promises';
import type { Owner } from '../reaper/owner.js';
import { removeOwned } from '../reaper/owner-file.js';
import { deadInstances } from './folder.js';
import { endCgroup } from './limits/cgroup.js';
import { isInstanceCgroup } from './limits/hierarchy.js';

/**
 * Removes what instances of dead owners left: what still runs in their cgroups (nothing should, since sandboxes die with
 * their owner), those cgroups, and their folders. One that fails does not keep the others; the next sweep tries it again.
 * @returns how many instances that were
 */
export async function sweepLaunchers(self: Owner, places: readonly string[]): Promise<number> {
  const mountinfo = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const dead = await deadInstances(self, places);
  const swept = await Promise.allSettled(
    dead.map(async ({ path, cgroups }) => {
      for (const cgroup of cgroups) if (isInstanceCgroup(cgroup, mountinfo)) await endCgroup(cgroup);
      await removeOwned(path);
    }),
  );
  return swept.filter(({ status }) => status === 'fulfilled').length;
}
