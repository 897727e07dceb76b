import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '../policy/plan.js';

/** A fast disk takes some 100 MiB in this time; the floor has to be well above that. */
const POLL_MS = 100;

/**
 * Watches the free space of the file systems that a run may write to. What counts is what an ordinary user could still
 * take (`bavail`), so that a full disk is noticed before root's reserve is.
 * @param full called once when a file system falls below the plan's floor
 */
export function watchDisk(plan: Plan, full: (path: string) => void): { stop(): void } {
  const writable = plan.mounts.filter(({ mode }) => mode === 'rw');
  // One of each file system: the first, which is the one that the request named.
  const byDevice = writable.toReversed().map(({ source, identity }) => [identity?.device ?? source, source] as const);
  const paths = [...new Map(byDevice).values()];
  const floor = plan.limits.diskFloorBytes;
  const watch = new AbortController();
  if (floor > 0 && paths.length > 0) void poll(paths, floor, full, watch.signal);
  return { stop: () => watch.abort() };
}

/** One look after the other, since a file system that hangs must not gather them. */
async function poll(paths: string[], floor: number, full: (path: string) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const short = await firstBelow(paths, floor);
    if (signal.aborted) return;
    if (short !== undefined) return full(short);
    await sleep(POLL_MS, undefined, { ref: false, signal }).catch(() => {});
  }
}

async function firstBelow(paths: string[], floor: number): Promise<string | undefined> {
  for (const path of paths) {
    const space = await statfs(path).catch(() => undefined);
    if (space && space.bavail * space.bsize < floor) return path;
  }
  return undefined;
}
