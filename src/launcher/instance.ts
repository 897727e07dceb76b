import { randomBytes } from 'node:crypto';
import type { ProcessService } from '../aalis.js';
import type { Owner } from '../reaper/owner.js';
import { removeOwned } from '../reaper/owner-file.js';
import { makeFolder, ownPlaces } from './folder.js';
import { chooseLimiter, findHierarchy } from './limits/choose.js';
import { cgroupsOf } from './limits/hierarchy.js';
import type { Limiter } from './limits/limiter.js';

/** What all sandboxes of one backend share on the host. */
export interface Instance {
  /** For files; closed to other users. */
  folder: string;
  limiter: Limiter;
  /** Removes both, when nothing runs there any more. */
  close(): Promise<void>;
}

/**
 * Makes them. The folder says whose the cgroups are before there are any: this process may be killed at any moment.
 * @param kind begins the name of its cgroups. One that is closed may still be there when the next one of a kind is opened.
 */
export async function openInstance(process: ProcessService, owner: Owner, kind: 'oci' | 'bwrap'): Promise<Instance> {
  const name = `${kind}-${randomBytes(6).toString('hex')}`;
  const hierarchy = await findHierarchy();
  const folder = await makeFolder({ owner, cgroups: hierarchy ? cgroupsOf(hierarchy, name) : [] }, ownPlaces());
  const limiter = await chooseLimiter(process, hierarchy, name);
  const close = async () => {
    await limiter.close();
    await removeOwned(folder);
  };
  return { folder, limiter, close };
}
