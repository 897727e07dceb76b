import type { Dirent } from 'node:fs';
import { constants } from 'node:fs';
import { chmod, type FileHandle, open, opendir, rename, rmdir, unlink } from 'node:fs/promises';

const LINUX = process.platform === 'linux';
/** Never through a link, and never waiting for the other end of a FIFO. */
const FLAGS = constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** O_PATH of Linux, which Node does not name: holds a folder whatever its mode. */
const O_PATH = LINUX ? 0o10000000 : constants.O_RDONLY;

/**
 * A folder that is held open, and what is done with entries of it, whatever becomes of its path meanwhile. Names are
 * bytes: one need not be UTF-8. Everything rejects with the system's error, for a link in place of a folder as well.
 */
export class HeldFolder implements AsyncDisposable {
  readonly #handle: FileHandle;
  readonly #path: Buffer;

  private constructor(handle: FileHandle, path: Buffer) {
    this.#handle = handle;
    // The one way that Node has to name an entry of a folder that is held.
    this.#path = LINUX ? Buffer.from(`/proc/self/fd/${handle.fd}`) : path;
  }

  static async open(path: string | Buffer): Promise<HeldFolder> {
    const bytes = Buffer.from(path);
    return new HeldFolder(await open(bytes, O_PATH | FLAGS | constants.O_DIRECTORY), bytes);
  }

  /** A folder in this one. */
  folder(name: Buffer): Promise<HeldFolder> {
    return HeldFolder.open(this.#at(name));
  }

  /** Anything in this one that can be read; what it is has to be asked of the handle. */
  file(name: Buffer): Promise<FileHandle> {
    return open(this.#at(name), constants.O_RDONLY | FLAGS);
  }

  async device(): Promise<bigint> {
    return (await this.#handle.stat({ bigint: true })).dev;
  }

  async *entries(): AsyncGenerator<{ name: Buffer; isFolder: boolean }> {
    const encoding = 'buffer' as BufferEncoding;
    const entries = (await opendir(this.#path as unknown as string, { encoding })) as AsyncIterable<Dirent<Buffer>>;
    for await (const entry of entries) yield { name: entry.name, isFolder: entry.isDirectory() };
  }

  /** Lets this process list it and change what is in it. */
  async unlock(): Promise<void> {
    await chmod(this.#path, 0o700);
  }

  async unlink(name: Buffer): Promise<void> {
    await unlink(this.#at(name));
  }

  async rmdir(name: Buffer): Promise<void> {
    await rmdir(this.#at(name));
  }

  async move(name: Buffer, to: HeldFolder, newName: string): Promise<void> {
    await rename(this.#at(name), to.#at(Buffer.from(newName)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  #at(name: Buffer): Buffer {
    return Buffer.concat([this.#path, Buffer.from('/'), name]);
  }
}
