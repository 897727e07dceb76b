import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { type Owner, ownerState } from './owner.js';
import { isUnclaimed, ownerSchema, readOwnerFile, removeOwned } from './owner-file.js';

/**
 * Folders of owners that are dead, with what they say. Those whose owner died before it could say so are empty, and are
 * removed; whatever else bears the name, and a place that cannot be read, is passed over.
 */
export async function deadFolders<T extends { owner: Owner }>(
  places: readonly string[],
  prefix: string,
  schema: z.ZodType<T>,
  self: Owner,
): Promise<Array<T & { path: string }>> {
  const names = await Promise.all(places.map(place => namesIn(place, prefix)));
  const claims = names.flat().map(async path => {
    const claim = await readOwnerFile(path, schema).catch(async error => {
      if (await isUnclaimed(path)) await removeOwned(path);
      throw error;
    });
    return { ...claim, path };
  });
  const read = await Promise.allSettled(claims);
  return read.flatMap(result => {
    return result.status === 'fulfilled' && ownerState(result.value.owner, self) === 'dead' ? [result.value] : [];
  });
}

/**
 * Removes the folders whose owner is dead. One that cannot be removed does not keep the others, and is for the next sweep.
 * @returns how many were removed
 */
export async function sweepFolders(place: string, prefix: string, self: Owner): Promise<number> {
  const dead = await deadFolders([place], prefix, plainClaim, self);
  const swept = await Promise.allSettled(dead.map(({ path }) => removeOwned(path)));
  return swept.filter(({ status }) => status === 'fulfilled').length;
}

/** The file holds nothing but the owner. */
const plainClaim = ownerSchema.transform(owner => ({ owner }));

async function namesIn(place: string, prefix: string): Promise<string[]> {
  const names = await readdir(place).catch(() => []);
  return names.filter(name => name.startsWith(prefix)).map(name => join(place, name));
}
