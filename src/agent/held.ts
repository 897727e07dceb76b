import type { Dirent } from 'node:fs';
import { constants } from 'node:fs';
import { type FileHandle, open, opendir } from 'node:fs/promises';

/** Never through a link, and never waiting for the other end of a FIFO. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * A folder that is held open, with its entries, whatever becomes of its path meanwhile. Names are bytes: one need not be
 * UTF-8. Everything rejects with the system's error, for a link in place of a folder as well.
 */
export class HeldFolder implements AsyncDisposable {
  readonly #handle: FileHandle;
  readonly #path: Buffer;

  private constructor(handle: FileHandle, path: Buffer) {
    this.#handle = handle;
    // The one way that Node has to name an entry of a folder that is held. Other systems have none.
    this.#path = process.platform === 'linux' ? Buffer.from(`/proc/self/fd/${handle.fd}`) : path;
  }

  static async open(path: string | Buffer): Promise<HeldFolder> {
    const bytes = Buffer.from(path);
    return new HeldFolder(await open(bytes, FLAGS | constants.O_DIRECTORY), bytes);
  }

  /** A folder in this one. */
  folder(name: Buffer): Promise<HeldFolder> {
    return HeldFolder.open(this.#at(name));
  }

  /** Anything in this one that can be read; what it is has to be asked of the handle. */
  file(name: Buffer): Promise<FileHandle> {
    return open(this.#at(name), FLAGS);
  }

  async device(): Promise<bigint> {
    return (await this.#handle.stat({ bigint: true })).dev;
  }

  async *names(): AsyncGenerator<Buffer> {
    const encoding = 'buffer' as BufferEncoding;
    const entries = (await opendir(this.#path as unknown as string, { encoding })) as AsyncIterable<Dirent<Buffer>>;
    for await (const { name } of entries) yield name;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  #at(name: Buffer): Buffer {
    return Buffer.concat([this.#path, Buffer.from('/'), name]);
  }
}
