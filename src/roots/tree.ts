import { chmod, link, mkdir, open, symlink, unlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { UnsafeArchive } from './unsafe.js';

type Kind = 'folder' | 'file' | 'link';

/**
 * A file system under construction. What stands at each path is remembered, so that nothing is ever made through a link:
 * the folder is this process's own, and holds nothing but what was made here.
 */
export class Tree {
  readonly #folder: string;
  readonly #kinds = new Map<string, Kind>();

  /** @param folder empty */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async folder(path: string): Promise<void> {
    if (this.#kinds.get(path) === 'folder') return;
    await this.#makeWay(path);
    await mkdir(this.#at(path));
    // Whatever this process's umask is.
    await chmod(this.#at(path), 0o755);
    this.#kinds.set(path, 'folder');
  }

  async file(path: string, content: AsyncIterable<Buffer>, executable: boolean, modified: Date): Promise<void> {
    await this.#makeWay(path);
    // `wx` fails where anything is, a link among it.
    const file = await open(this.#at(path), 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.chmod(executable ? 0o555 : 0o444);
      // Python compares it with what its compiled files say.
      await file.utimes(modified, modified);
    } finally {
      await file.close();
    }
    this.#kinds.set(path, 'file');
  }

  /** Where a link leads is no matter here: it is followed in sandboxes only. */
  async link(path: string, to: string): Promise<void> {
    await this.#makeWay(path);
    await symlink(to, this.#at(path));
    this.#kinds.set(path, 'link');
  }

  async hardLink(path: string, to: string): Promise<void> {
    const kind = this.#kinds.get(to);
    if (kind !== 'file' && kind !== 'link') {
      throw new UnsafeArchive(
        `its entry ${JSON.stringify(path)} is a hard link to ${JSON.stringify(to)}, which it does not hold`,
      );
    }
    await this.#makeWay(path);
    await link(this.#at(to), this.#at(path));
    this.#kinds.set(path, kind);
  }

  /** The parents, and nothing at the path itself: a later entry replaces an earlier one, but no folder. */
  async #makeWay(path: string): Promise<void> {
    const parent = posix.dirname(path);
    if (parent !== '.') {
      const kind = this.#kinds.get(parent);
      if (kind === 'file' || kind === 'link') {
        throw new UnsafeArchive(
          `its entry ${JSON.stringify(path)} lies behind ${JSON.stringify(parent)}, which is a ${kind}`,
        );
      }
      await this.folder(parent);
    }
    const kind = this.#kinds.get(path);
    if (kind === 'folder') throw new UnsafeArchive(`its entry ${JSON.stringify(path)} would replace a folder`);
    if (kind) await unlink(this.#at(path));
  }

  #at(path: string): string {
    return join(this.#folder, path);
  }
}
