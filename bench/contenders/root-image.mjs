import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { output } from '../command.mjs';

/** An almost empty image, so that command lines and APIs run the host's own programs, as everybody else does. */
export const ROOT_IMAGE = 'localhost/code-sandbox-bench:1';

/**
 * @param {readonly string[]} cli the engine's command
 * @param {NodeJS.ProcessEnv} env
 */
export async function bringRootImage(cli, env) {
  if (await output([...cli, 'image', 'inspect', ROOT_IMAGE], { env }).catch(() => '')) return;
  const folder = await mkdtemp(join(tmpdir(), 'bench-root-'));
  try {
    for (const name of ['dev', 'etc', 'proc', 'run', 'sys', 'tmp', 'usr']) await mkdir(join(folder, name));
    for (const name of ['bin', 'lib', 'lib64', 'sbin']) await symlink(`usr/${name}`, join(folder, name));
    await output([
      'tar',
      '-C',
      folder,
      '--owner=0',
      '--group=0',
      '-cf',
      `${folder}/root.tar`,
      'dev',
      'etc',
      'proc',
      'run',
      'sys',
      'tmp',
      'usr',
      'bin',
      'lib',
      'lib64',
      'sbin',
    ]);
    await output([...cli, 'import', `${folder}/root.tar`, ROOT_IMAGE], { env });
  } finally {
    await rm(folder, { recursive: true });
  }
}
