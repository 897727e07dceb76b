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
  return (await sweepHost()) + ((await backend.sweep?.()) ?? 0);
}

/** Of this host alone: no backend is needed for it. */
export async function sweepHost(): Promise<number> {
  const self = currentOwner();
  return (await sweepLaunchers(self, ownPlaces())) + (await sweepTempFolders(self));
}
