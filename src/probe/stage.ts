import { randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeOwned } from '../reaper/owner-file.js';
import { makeTempFolder } from '../reaper/temp.js';

const SETUID_SETGID = 0o6000;

/** The probe's own folders on the host, below one that only the user can enter whose code is tried. */
export class Stage implements AsyncDisposable {
  /** What the host put into the folders. */
  readonly nonces = { ro: randomBytes(16).toString('hex'), rw: randomBytes(16).toString('hex') };
  readonly #owned: string;
  readonly folder: string;
  readonly ro: string;
  readonly rw: string;
  /** For the program that refuses to end. */
  readonly linger: string;

  private constructor(owned: string) {
    this.#owned = owned;
    this.folder = join(owned, 'stage');
    this.ro = join(this.folder, 'ro');
    this.rw = join(this.folder, 'rw');
    this.linger = join(this.folder, 'linger');
  }

  /** @param owner Who the folders shall belong to, where this process may give them away. */
  static async set(root = tmpdir(), owner?: { uid: number; gid: number }): Promise<Stage> {
    const owned = await makeTempFolder('probe', await realpath(root));
    const stage = new Stage(owned);
    const { folder } = stage;
    // That user has to get there, and sees nothing on the way.
    await chmod(owned, 0o711);
    await mkdir(folder, { mode: 0o700 });
    for (const path of [stage.ro, stage.rw, stage.linger]) await mkdir(path);
    await writeFile(join(stage.ro, 'from-host'), stage.nonces.ro);
    await writeFile(join(stage.rw, 'from-host'), stage.nonces.rw);
    // Whatever this process's umask is: the refusals shall come from the sandbox.
    await chmod(join(stage.ro, 'from-host'), 0o666);
    await chmod(join(stage.rw, 'from-host'), 0o644);
    for (const path of [stage.ro, stage.rw, stage.linger]) await chmod(path, 0o755);
    if (owner) for (const path of [folder, stage.ro, stage.rw, stage.linger]) await chown(path, owner.uid, owner.gid);
    return stage;
  }

  /** What the probe wrote into the writable folder. */
  async answer(): Promise<{ content: string; uid: number; gid: number } | undefined> {
    const path = join(this.rw, 'from-sandbox');
    try {
      const { uid, gid } = await lstat(path);
      return { content: await readFile(path, 'latin1'), uid, gid };
    } catch {
      return undefined;
    }
  }

  /** What the read-only folder holds, as `name mode content`. */
  async readOnly(): Promise<string[]> {
    return Promise.all(
      (await readdir(this.ro)).map(async name => {
        const path = join(this.ro, name);
        return `${name} ${((await lstat(path)).mode & 0o7777).toString(8)} ${await readFile(path, 'latin1')}`;
      }),
    );
  }

  /** Files with setuid or setgid bits in the writable folder. */
  async bits(): Promise<string[]> {
    const paths = (await readdir(this.rw)).map(name => join(this.rw, name));
    const found = await Promise.all(paths.map(async path => ((await lstat(path)).mode & SETUID_SETGID ? [path] : [])));
    return found.flat();
  }

  /** How often the stray grandchild has written. */
  async beats(): Promise<number> {
    return stat(join(this.linger, 'heartbeat')).then(
      ({ size }) => size,
      () => 0,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await removeOwned(this.#owned);
  }
}
