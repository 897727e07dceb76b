import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Where PATH leads for a command, as long as it can be executed there. */
export function commandPath(command: string, path = ''): string | undefined {
  return path
    .split(':')
    .filter(folder => folder.startsWith('/'))
    .map(folder => join(folder, command))
    .find(isExecutable);
}

/** Whether this process may execute a file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
