import { statfs } from 'node:fs/promises';
import type { Plan } from '../policy/plan.js';

const POLL_MS = 500;

/**
 * Watches the free space of the file systems that a run may write to. What counts is what an ordinary user could still
 * take (`bavail`), so that a full disk is noticed before root's reserve is.
 * @param full called once when a file system falls below the plan's floor
 */
export function watchDisk(plan: Plan, full: (path: string) => void): { stop(): void } {
  const paths = plan.mounts.filter(mount => mount.mode === 'rw').map(mount => mount.source);
  const floor = plan.limits.diskFloorBytes;
  if (floor === 0 || paths.length === 0) return { stop() {} };
  const timer = setInterval(async () => {
    const short = await firstBelow(paths, floor);
    if (short === undefined) return;
    clearInterval(timer);
    full(short);
  }, POLL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

async function firstBelow(paths: string[], floor: number): Promise<string | undefined> {
  for (const path of paths) {
    const space = await statfs(path).catch(() => undefined);
    if (space && space.bavail * space.bsize < floor) return path;
  }
  return undefined;
}
