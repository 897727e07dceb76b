import { readdirSync, readFileSync } from 'node:fs';

// In place: the kernel's own files are read in less time than a thread would take to do it, and no disk is waited for.

/** A file of /proc. @returns nothing where its process is gone, or another user's */
export function procText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Names in a folder of /proc; none where its process is gone. */
export function procNames(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
