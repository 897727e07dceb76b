import { execa } from 'execa';

/**
 * Removes a folder that code has filled; one that is not there is fine. `rm` follows no link, holds few names at a time,
 * and takes trees that are deeper than any path may be long.
 * @throws Error with what `rm` said
 */
export async function removeTree(path: string): Promise<void> {
  const rm = () => execa('rm', ['-rf', '--', path], { stdin: 'ignore', reject: false });
  if ((await rm()).exitCode === 0) return;
  // Where this process is not root, folders that the code closed to its own user, which is this one.
  await execa('chmod', ['-R', 'u+rwX', '--', path], { stdin: 'ignore', reject: false });
  const last = await rm();
  if (last.exitCode !== 0) throw new Error(last.stderr.slice(0, 500) || `rm could not be run for ${path}`);
}
