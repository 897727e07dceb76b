import { readdirSync } from 'node:fs';

/** What this process has open, and the timers that would keep it alive. */
export function handles(): { descriptors: number; timers: number } {
  const timers = process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length;
  return { descriptors: readdirSync('/proc/self/fd').length, timers };
}
