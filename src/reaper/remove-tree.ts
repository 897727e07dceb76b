import { createLocalProcess } from '../launcher/process.js';

const { execFile } = createLocalProcess();

/**
 * Removes a folder that code has filled; one that is not there is fine. `rm` follows no link, holds few names at a time,
 * and takes trees that are deeper than any path may be long.
 * @throws Error with what `rm` said
 */
export async function removeTree(path: string): Promise<void> {
  const rm = () => execFile('rm', ['-rf', '--', path]);
  try {
    await rm();
  } catch {
    // Where this process is not root, folders that the code closed to its own user, which is this one.
    await execFile('chmod', ['-R', 'u+rwX', '--', path]).catch(() => {});
    await rm();
  }
}
