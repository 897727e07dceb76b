import { lock } from 'proper-lockfile';
import { cacheFolder } from './cache.js';

/** How often a waiting build looks again; a lock whose holder died is free after ten seconds. */
const RETRY_MS = 500;
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Lets one process at a time build: two builds of one image would do the work twice, and one would clear away what the
 * other is at. `onWait` runs once when another is at it.
 */
export async function whileLocked<T>(cache: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  const folder = await cacheFolder(cache, 'builds');
  const release = await lock(folder).catch(async error => {
    if (error.code !== 'ELOCKED') throw error;
    onWait();
    const retries = LONGEST_WAIT_MS / RETRY_MS;
    return lock(folder, { retries: { retries, factor: 1, minTimeout: RETRY_MS, maxTimeout: RETRY_MS } });
  });
  try {
    return await work();
  } finally {
    await release();
  }
}
