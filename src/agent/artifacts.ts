import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { quote } from '../policy/quote.js';
import { HeldFolder } from './held.js';
import { mediaTypeOf } from './media.js';
import { freeName, safeName } from './names.js';

/** A file that a run left, as it was kept. */
export interface Artifact {
  /** Below the artifacts folder, with names made safe. */
  path: string;
  /** Absolute path of the copy. */
  file: string;
  /** Bytes. */
  size: number;
  /** In hex. */
  sha256: string;
  /** By the name, which the code chose. */
  mediaType: string;
}

/** Something that a run left and that was not kept. */
export interface Omission {
  /** As the run named it, quoted and escaped. */
  path: string;
  reason: string;
}

/** What is kept at most. */
export interface Bounds {
  maxFiles: number;
  maxBytes: number;
}

/** How much is looked at, whatever is there. */
const MOST_ENTRIES = 10_000;
const MOST_LEVELS = 16;
/** Omissions that are listed one by one. */
const MOST_OMISSIONS = 100;
const CHUNK = 256 * 1024;

/**
 * Copies what a run left in a folder. Goes by descriptors: nothing is followed, nothing waits, only plain files with one
 * name are read, in pieces, and none beyond the bounds.
 * @param from the run's folder; one that is not there holds nothing
 * @param to made when there is something to keep; must not exist
 */
export async function collect(
  from: string,
  to: string,
  bounds: Bounds,
): Promise<{ artifacts: Artifact[]; omitted: Omission[] }> {
  const collection = new Collection(to, bounds);
  try {
    await using folder = await HeldFolder.open(from);
    await collection.take(folder, [], '', await folder.device());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') collection.omit([], WHY[code ?? ''] ?? `cannot be read (${error})`);
  }
  return collection;
}

class Collection {
  readonly artifacts: Artifact[] = [];
  readonly omitted: Omission[] = [];
  readonly #to: string;
  readonly #bounds: Bounds;
  readonly #taken = new Map<string, Set<string>>();
  #bytes = 0;
  #entries = MOST_ENTRIES;

  constructor(to: string, bounds: Bounds) {
    this.#to = to;
    this.#bounds = bounds;
  }

  omit(names: Buffer[], reason: string): void {
    const path = names.length === 0 ? 'artifacts' : quote(names.map(String).join('/'));
    if (this.omitted.length < MOST_OMISSIONS) this.omitted.push({ path, reason });
    else this.omitted[MOST_OMISSIONS] = { path: '…', reason: 'more was left out' };
  }

  /** @param below safe path of the folder, `` or with a slash at its end */
  async take(folder: HeldFolder, names: Buffer[], below: string, device: bigint): Promise<void> {
    const found: Buffer[] = [];
    let more = false;
    for await (const name of folder.names()) {
      more = this.#entries === 0;
      if (more) break;
      this.#entries -= 1;
      found.push(name);
    }
    for (const name of found.sort(Buffer.compare)) {
      const path = [...names, name];
      try {
        await this.#takeOne(folder, path, below, device);
      } catch (error) {
        this.omit(path, WHY[(error as NodeJS.ErrnoException).code ?? ''] ?? `cannot be kept (${error})`);
      }
    }
    if (more) this.omit(names, `only ${MOST_ENTRIES} entries are looked at, and there are more`);
  }

  async #takeOne(folder: HeldFolder, names: Buffer[], below: string, device: bigint): Promise<void> {
    const name = names.at(-1)!;
    await using file = await folder.file(name);
    const facts = await file.stat({ bigint: true });
    if (facts.isDirectory() && facts.dev === device) {
      if (names.length > MOST_LEVELS) return this.omit(names, `lies more than ${MOST_LEVELS} levels deep`);
      await using inner = await folder.folder(name);
      return await this.take(inner, names, `${below}${this.#name(below, name)}/`, device);
    }
    const why = this.#objection(facts, device);
    if (why) return this.omit(names, why);
    const path = `${below}${this.#name(below, name)}`;
    const artifact = await this.#copy(file, path, Number(facts.size));
    if (artifact) this.artifacts.push(artifact);
    else this.omit(names, 'changed while it was read');
  }

  #objection(facts: BigIntStats, device: bigint): string | undefined {
    if (facts.dev !== device) return 'lies on another file system';
    if (!facts.isFile()) return 'is not a plain file';
    // A name of the same file may lie anywhere: what is read here must be the run's own.
    if (facts.nlink > 1n) return 'has several names (hard links)';
    const { maxFiles, maxBytes } = this.#bounds;
    if (this.artifacts.length >= maxFiles) return `is beyond the ${maxFiles} files that are kept`;
    if (facts.size > maxBytes - this.#bytes)
      return `has ${facts.size} bytes; of ${maxBytes}, ${maxBytes - this.#bytes} were left`;
    return undefined;
  }

  #name(below: string, name: Buffer): string {
    const taken = this.#taken.get(below) ?? new Set();
    this.#taken.set(below, taken);
    return freeName(safeName(name.toString()), taken);
  }

  /** @returns undefined when the file had not the size that it was said to have */
  async #copy(file: FileHandle, path: string, size: number): Promise<Artifact | undefined> {
    const target = join(this.#to, path);
    await mkdir(join(target, '..'), { recursive: true, mode: 0o700 });
    const hash = createHash('sha256');
    let done = 0;
    await using copy = await open(target, 'wx', 0o600);
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size + 1));
    for (let got = 1; got > 0 && done <= size; done += got) {
      got = (await file.read(chunk, 0, chunk.length, null)).bytesRead;
      hash.update(chunk.subarray(0, got));
      await copy.writeFile(chunk.subarray(0, got));
    }
    if (done !== size) {
      await rm(target);
      return undefined;
    }
    this.#bytes += size;
    return { path, file: target, size, sha256: hash.digest('hex'), mediaType: mediaTypeOf(path) };
  }
}

const WHY: Readonly<Record<string, string>> = {
  ELOOP: 'is a symbolic link',
  ENXIO: 'is a socket, or a FIFO or device that nobody serves',
  EACCES: 'may not be read',
  ENOENT: 'was gone',
};
