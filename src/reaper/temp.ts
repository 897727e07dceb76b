import { tmpdir } from 'node:os';
import { sweepFolders } from './folders.js';
import { currentOwner, type Owner } from './owner.js';
import { makeOwned } from './owner-file.js';

/** What the folders are for. */
const USES = ['probe', 'run'] as const;

const prefixOf = (use: (typeof USES)[number]) => `code-sandbox-${use}-`;

/** Makes a folder for one piece of work, closed to others, that is swept if this process is killed. @returns its path */
export function makeTempFolder(use: (typeof USES)[number], place = tmpdir()): Promise<string> {
  return makeOwned(place, prefixOf(use), currentOwner());
}

/** Removes those whose owner is dead from the temp folder. @returns how many that were */
export async function sweepTempFolders(self: Owner, place = tmpdir()): Promise<number> {
  const swept = await Promise.all(USES.map(use => sweepFolders(place, prefixOf(use), self)));
  return swept.reduce((sum, count) => sum + count, 0);
}
