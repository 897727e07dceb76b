import { existsSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than any program here pauses between two beats. */
const PAUSE_MS = 700;
const LONGEST_MS = 60_000;

/** Bytes of a file; none where it has not come to be. */
export function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

/** Waits until a file grows no more. @returns the milliseconds that it took to see that */
export async function stillness(path: string): Promise<number> {
  const started = performance.now();
  for (let before = -1; before !== sizeOf(path); await sleep(PAUSE_MS)) {
    before = sizeOf(path);
    if (performance.now() - started > LONGEST_MS) throw new Error(`${path} goes on growing for ever`);
  }
  return performance.now() - started;
}
