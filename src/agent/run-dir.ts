import { chmod, chown, lstat, mkdir, readdir, readFile, realpath, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mount, User } from '../policy/plan.js';
import { quote } from '../policy/quote.js';
import { currentOwner, type Owner, ownerState } from '../reaper/owner.js';
import { removeTree } from '../reaper/remove-tree.js';
import { BackendUnavailable, messageOf } from '../sandbox/errors.js';
import { makeFolder, makeNamedFolder } from './make-folder.js';

/** Where a run finds its scratch folder, on every backend that can give paths of its own. */
export const SCRATCH = '/scratch';
/** Likewise the workspace. */
export const WORKSPACE = '/workspace';
const OWNER = 'owner.json';

/** The host's side of one run: `<dataDir>/sandbox/<id>` with `scratch` and `artifacts`. */
export class RunDir {
  readonly path: string;
  readonly scratch: string;
  readonly artifacts: string;

  /** @param dataDir canonical */
  constructor(dataDir: string, id: string) {
    this.path = join(dataDir, 'sandbox', id);
    this.scratch = join(this.path, 'scratch');
    this.artifacts = join(this.path, 'artifacts');
  }

  /** Makes the scratch folder, for the user that the code runs as. @throws BackendUnavailable that blames dataDir */
  async open(user: Pick<User, 'uid' | 'gid'>): Promise<void> {
    await this.#make(user).catch(cause => {
      throw new BackendUnavailable(
        `The folder ${quote(this.path)} for what the run leaves cannot be made: ${messageOf(cause)}. Make room in the sandbox's dataDir, make it writable, or name another one; nothing ran.`,
        { cause },
      );
    });
  }

  async #make(user: Pick<User, 'uid' | 'gid'>): Promise<void> {
    // May be passed by others and not listed: an engine can be another user's. What lies inside is closed to them.
    await makeFolder(this.path, 0o711);
    await writeFile(join(this.path, OWNER), JSON.stringify(currentOwner()), { mode: 0o600 });
    for (const folder of [this.scratch, join(this.scratch, 'tmp'), join(this.scratch, 'artifacts')]) {
      await mkdir(folder, { mode: 0o700 });
      await chmod(folder, 0o700);
      if (process.getuid?.() === 0) await chown(folder, user.uid, user.gid);
    }
  }

  /** The scratch folder as a mount. */
  async mount(target: string): Promise<Mount> {
    const { dev, ino } = await lstat(this.scratch, { bigint: true });
    return { source: this.scratch, target, mode: 'rw', identity: { device: dev, inode: ino } };
  }

  /** Removes the scratch folder; with no artifacts, everything. */
  async close(): Promise<void> {
    await removeTree(this.scratch);
    await rm(join(this.path, OWNER), { force: true });
    await rmdir(this.path).catch(() => {});
  }
}

/** Makes the folder for what runs leave. @returns its canonical path @throws InvalidRequest when that cannot be made */
export async function openDataDir(path: string): Promise<string> {
  await makeNamedFolder(path, 'dataDir', 0o711);
  return realpath(path);
}

/** Removes the scratch folders that dead owners left behind. What they collected stays. */
export async function sweepRunDirs(dataDir: string): Promise<void> {
  const self = currentOwner();
  for (const id of await readdir(join(dataDir, 'sandbox')).catch(() => [])) {
    const dir = new RunDir(dataDir, id);
    const text = await readFile(join(dir.path, OWNER), 'utf8').catch(() => undefined);
    if (text !== undefined && ownerState(parseOwner(text, self), self) === 'dead') await dir.close();
  }
}

/** One that cannot be read was being written when its process died, or is being written now. */
function parseOwner(text: string, fallback: Owner): Owner {
  try {
    return JSON.parse(text) as Owner;
  } catch {
    return fallback;
  }
}
