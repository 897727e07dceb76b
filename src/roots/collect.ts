import { randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Names } from './names.js';

const DAY_MS = 24 * 3_600_000;
/** No run takes longer, so what was not used for this long is in nobody's use. */
const IN_USE_MS = DAY_MS + 3_600_000;

/** What of a store goes. */
export interface CollectOptions {
  /** Roots that have a name and were not used for so long; default 30 days. */
  unusedMs?: number;
  now?: number;
}

/**
 * Removes from a store what nobody needs: roots that were not used for long or have lost their names, and what processes
 * left half-made. Safe while others use the store.
 * @returns the ids of the roots that were removed
 */
export async function collectRoots(folder: string, options: CollectOptions = {}): Promise<string[]> {
  const { unusedMs = 30 * DAY_MS, now = Date.now() } = options;
  const names = new Names(folder);
  const named = new Set((await names.all()).map(({ id }) => id));
  const removed: string[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const isRoot = /^[0-9a-f]{64}$/.test(name);
    if (!isRoot && !/^\.(new|old)-/.test(name)) continue;
    const idle = now - (await lastUse(path));
    if (idle < Math.max(IN_USE_MS, isRoot && named.has(name) ? unusedMs : 0)) continue;
    // Out of sight first, so that nobody finds half of it.
    const aside = join(folder, `.old-${randomBytes(8).toString('hex')}`);
    await rename(path, aside);
    await rm(aside, { recursive: true, force: true });
    if (isRoot) removed.push(name);
  }
  for (const { name, id } of await names.all()) if (removed.includes(id)) await names.remove(name);
  return removed;
}

async function lastUse(path: string): Promise<number> {
  const facts =
    (await stat(join(path, 'note.json')).catch(() => undefined)) ?? (await stat(path).catch(() => undefined));
  return facts?.mtimeMs ?? Number.POSITIVE_INFINITY;
}
