import type { Stream } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long output may still come once a program has ended; what left its process group may hold the pipes for ever. */
const DRAIN_MS = 500;

/**
 * Takes in what still comes from a program that has ended, and lets go of its streams.
 * @param closed settles when all of them are at their end
 */
export async function drain(
  closed: Promise<unknown>,
  streams: ReadonlyArray<(Stream & { destroy(): unknown }) | null | undefined>,
): Promise<void> {
  await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
  for (const stream of streams) stream?.destroy();
}
