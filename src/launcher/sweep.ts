import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Owner } from '../reaper/owner.js';
import { deadFolders } from './folder.js';
import { removeCgroup } from './limits/cgroup.js';

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

/** Ends what is in a cgroup and those below it, and removes them. */
async function endCgroup(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await endCgroup(join(folder, entry.name));
  const pids = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
  for (const pid of pids.split('\n').filter(Boolean)) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
  await removeCgroup(folder);
}
