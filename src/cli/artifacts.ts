import { cp, lstat, readdir } from 'node:fs/promises';
import { makeNamedFolder } from '../agent/make-folder.js';
import { InvalidRequest } from '../sandbox/errors.js';

/**
 * A folder of the caller's for what a run leaves. It may lie where the code can write, so it has to be the same and empty
 * when the run is over: nothing is written through what the code put there.
 */
export class ArtifactsTarget {
  readonly path: string;
  readonly #inode: bigint;

  private constructor(path: string, inode: bigint) {
    this.path = path;
    this.#inode = inode;
  }

  /** @throws InvalidRequest when it cannot be made, or there is something in it */
  static async prepare(path: string): Promise<ArtifactsTarget> {
    await makeNamedFolder(path, '--artifacts');
    if ((await readdir(path)).length > 0)
      throw new InvalidRequest(`The folder ${path} (--artifacts) is not empty: name a new or an empty one.`);
    return new ArtifactsTarget(path, await inodeOf(path));
  }

  /** Takes over everything in a folder. */
  async fill(from: string): Promise<void> {
    if ((await inodeOf(this.path)) !== this.#inode || (await readdir(this.path)).length > 0) {
      throw new InvalidRequest(
        `The folder ${this.path} (--artifacts) was changed by the run, so nothing was written to it. Name one outside of the workspace.`,
      );
    }
    await cp(from, this.path, { recursive: true, errorOnExist: true });
  }
}

async function inodeOf(path: string): Promise<bigint> {
  const facts = await lstat(path, { bigint: true });
  return facts.isDirectory() ? facts.ino : -1n;
}
