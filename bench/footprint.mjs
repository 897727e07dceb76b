import { readdirSync } from 'node:fs';

/** Memory and descriptors of this process. */
export function footprint() {
  globalThis.gc?.();
  return { rssMiB: process.memoryUsage().rss / 2 ** 20, descriptors: readdirSync('/proc/self/fd').length };
}
