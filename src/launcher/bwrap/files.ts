import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { baseEntries, type Entry } from '../../policy/baseimage.js';
import type { Plan } from '../../policy/plan.js';
import { memo } from '../../sandbox/memo.js';
import { RESOLVER } from '../oci/network.js';

/** What lies below a host root, and the folder with the files of it. */
interface Made {
  entries: Entry[];
  filesDir: string;
}

/** The generated files of /etc. They name the user that code runs as, so each user has its own. */
export class EtcFiles {
  readonly #folder: string;
  readonly #made = new Map<string, Promise<Made>>();

  /** @param folder of this process's own */
  constructor(folder: string) {
    this.#folder = folder;
  }

  for({ user, root, network }: Plan): Promise<Made> {
    const filesDir = join(this.#folder, `${user.uid}-${user.gid}-${network}`);
    return memo(this.#made, filesDir, () => {
      const entries = baseEntries(root.entries ?? [], [user]).map(entry => {
        return entry.path === 'etc/resolv.conf' && network === 'allow' ? { ...entry, content: RESOLVER } : entry;
      });
      return writeFiles(entries, filesDir);
    });
  }
}

async function writeFiles(entries: Entry[], folder: string): Promise<Made> {
  for (const entry of entries) {
    if (entry.kind !== 'file') continue;
    const path = join(folder, entry.path);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, entry.content ?? '');
    // Whatever the service's umask: code may run as another user.
    await chmod(path, 0o644);
  }
  return { entries, filesDir: folder };
}
