import { access, chmod, mkdir, rmdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../sandbox/errors.js';
import type { RuntimeConfig } from './config.js';
import { RESOLVER } from './network.js';

/** The folders of one instance: bundles and the runtime's state are its own, the bases are entered by code's users. */
export interface Places {
  state: string;
  bundles: string;
  bases: string;
  /** File that names the resolver of sandboxes with a network. */
  resolver: string;
}

/** @param folder of this instance */
export async function makePlaces(folder: string): Promise<Places> {
  const places = {
    state: join(folder, 'state'),
    bundles: join(folder, 'bundles'),
    bases: join(folder, 'bases'),
    resolver: join(folder, 'resolv.conf'),
  };
  await mkdir(places.state, { mode: 0o700 });
  await mkdir(places.bundles, { mode: 0o700 });
  await mkdir(places.bases);
  // A root service's code is another user, who has to get through to its root; nobody can list what lies there.
  for (const way of [folder, places.bases]) await chmod(way, 0o711);
  await writeFile(places.resolver, RESOLVER);
  await chmod(places.resolver, 0o644);
  return places;
}

/** Its name in the specification. */
const CONFIG = 'config.json';

/** Writes a bundle. @returns its folder */
export async function writeBundle({ bundles }: Places, id: string, config: RuntimeConfig): Promise<string> {
  const folder = join(bundles, id);
  await mkdir(folder);
  await writeFile(join(folder, CONFIG), JSON.stringify(config));
  return folder;
}

/** What is not there is fine. */
export async function removeBundle({ bundles }: Places, id: string): Promise<void> {
  const folder = join(bundles, id);
  await unlink(join(folder, CONFIG)).catch(ifMissing);
  await rmdir(folder).catch(ifMissing);
}

/** Whether a runtime has left the state of a container, which it removes by itself unless it was killed. */
export async function hasState({ state }: Places, id: string): Promise<boolean> {
  return access(join(state, id)).then(
    () => true,
    () => false,
  );
}
