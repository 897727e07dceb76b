import { readdirSync, readFileSync } from 'node:fs';

/** Processes of the whole machine in whose arguments a text stands, by pid. */
export function processesNaming(text: string): number[] {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  return pids.map(Number).filter(pid => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false; // gone in between
    }
  });
}
