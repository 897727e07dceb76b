import { ownPlaces } from '../launcher/folder.js';
import { sweepLaunchers } from '../launcher/sweep.js';
import { currentOwner } from '../reaper/owner.js';
import { sweepTempFolders } from '../reaper/temp.js';
import type { Backend } from './backend.js';

/**
 * Removes what dead owners left, and sandboxes past their deadlines: from the engine, where the backend has one, and from
 * this host, since an owner may have had another backend.
 * @returns how many that were
 */
export async function sweep(backend: Backend): Promise<number> {
  const self = currentOwner();
  const onHost = (await sweepLaunchers(self, ownPlaces())) + (await sweepTempFolders(self));
  return onHost + ((await backend.sweep?.()) ?? 0);
}
