import { dirname, join } from 'node:path';
import type { ProcessService, SpawnOptions } from '../aalis.js';
import { TOOL_FOLDERS } from '../hardening/paths.js';
import { isExecutable } from './executable.js';

/**
 * Where the programs of the host are looked up that this package starts for itself. Not in the caller's PATH: that may lead
 * to where code could write, as into a virtual environment in its workspace. Node's own folder is the last, for npm.
 */
const FOLDERS = [...TOOL_FOLDERS, dirname(process.execPath)];
const TOOL_PATH = FOLDERS.join(':');

/** For messages: where a program has to be. */
export const TOOL_PLACES = `the system’s folders (${TOOL_FOLDERS.slice(0, 4).join(', ')}, …)`;

/** Where a program of the host is, as long as it can be executed there. */
export function toolPath(name: string): string | undefined {
  return FOLDERS.map(folder => join(folder, name)).find(isExecutable);
}

/** The same service, whose programs come from there. */
export function withToolPath(service: ProcessService): ProcessService {
  const own = (options?: SpawnOptions) => ({ ...options, env: { PATH: TOOL_PATH, ...options?.env } });
  return {
    spawn: (cmd, args, options) => service.spawn(cmd, args, own(options)),
    execFile: (cmd, args, options) => service.execFile(cmd, args, own(options)),
  };
}
