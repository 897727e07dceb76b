import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { quote } from '../policy/quote.js';
import { InvalidRequest, ifMissing, messageOf } from '../sandbox/errors.js';

/**
 * Makes a folder and those above it that are missing, one after the other: below /proc Node's recursive mkdir never ends.
 * @param path absolute
 * @param mode of each that is made
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  if (await isFolder(path)) return;
  await makeFolder(dirname(path), mode);
  await mkdir(path, { mode }).catch(async error => {
    // Somebody else was first. A link that leads nowhere is there, too, and is no folder.
    if (error.code !== 'EEXIST' || !(await isFolder(path))) throw error;
  });
}

/**
 * The same for a folder that somebody named.
 * @param setting by which it was named
 * @throws InvalidRequest that names the folder, the setting and what the kernel said
 */
export async function makeNamedFolder(path: string, setting: string, mode?: number): Promise<void> {
  await makeFolder(path, mode).catch(cause => {
    throw new InvalidRequest(
      `The folder ${quote(path)} (${setting}) cannot be made: ${messageOf(cause)}. Name one below a folder that uid ${process.getuid?.()} can write to.`,
      'invalid',
      { cause },
    );
  });
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(ifMissing);
  if (found && !found.isDirectory()) throw new Error(`ENOTDIR: ${quote(path)} is no folder`);
  return found !== undefined;
}
