import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BackendUnavailable } from '../sandbox/errors.js';

/** Names that Node, Docker and Podman, and `uname -m` give to the two architectures. */
const FOLDERS = new Map([
  ['x64', 'x64'],
  ['amd64', 'x64'],
  ['x86_64', 'x64'],
  ['arm64', 'arm64'],
  ['aarch64', 'arm64'],
]);

/** File name of the supervisor in its folder. */
export const SUPERVISOR_NAME = 'supervisor';

/**
 * Folder of the host that holds the programs for an architecture that go into a sandbox: supervisor and probe.
 * @throws BackendUnavailable when there is none for it.
 */
export function supervisorDir(architecture: string): string {
  const folder = FOLDERS.get(architecture);
  if (folder === undefined)
    throw new BackendUnavailable(
      `there is no supervisor for the architecture ${architecture}, only for x86-64 and arm64`,
    );
  return join(packageFolder(), 'init/bin', folder);
}

/** Folder of the host that this package is installed in. */
export function packageFolder(): string {
  // The same way up from src/supervisor/ as from dist/supervisor/.
  return resolve(fileURLToPath(new URL('../..', import.meta.url)));
}
