import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { BackendUnavailable, ifMissing } from '../sandbox/errors.js';
import { countTree } from './count.js';
import { extractRoot } from './extract.js';
import { Names } from './names.js';

/** Of the store's own files. */
const VERSION = 1;

const noteSchema = z.object({
  version: z.literal(VERSION),
  id: z.string().regex(/^[0-9a-f]{64}$/),
  path: z.array(z.string()),
  contents: z.object({ entries: z.number(), bytes: z.number() }),
});

/** What is noted beside a root; written last, so that a root with a note is whole. */
type Note = z.output<typeof noteSchema>;

/** A root that is there and whole. */
export interface StoredRoot {
  /** Hexadecimal digest: the image's id, or that of the archive it came from. */
  id: string;
  /** Holds the whole file system. */
  folder: string;
  /** PATH inside. */
  path: string[];
}

/** Where the store of this user lies. */
function storeFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'code-sandbox', 'roots');
}

/**
 * File systems of images, unpacked once and shared read-only by every run. A root comes into being under another name and is
 * renamed when it is whole, so that several processes may work on one store.
 */
export class RootStore {
  readonly folder: string;
  readonly names: Names;
  /** Ids whose contents were counted; one check for each process. */
  readonly #checked = new Set<string>();

  constructor(folder: string = storeFolder()) {
    this.folder = folder;
    this.names = new Names(folder);
  }

  /**
   * Unpacks an archive, unless its root is there already, and gives it a name.
   * @param image `id` is the image's; without one the archive's own digest counts
   * @throws BackendUnavailable when the archive is unsafe or broken, or the disk is full
   */
  async add(archive: Readable, image: { name: string; path: string[]; id?: string }): Promise<StoredRoot> {
    const made = join(this.folder, `.new-${randomBytes(8).toString('hex')}`);
    try {
      await mkdir(join(made, 'root'), { recursive: true, mode: 0o700 });
      const digest = createHash('sha256');
      archive.on('data', (chunk: Buffer) => digest.update(chunk));
      await extractRoot(archive, join(made, 'root'));
      await requireSystem(join(made, 'root'));
      const id = image.id ?? digest.digest('hex');
      const note: Note = { version: VERSION, id, path: image.path, contents: await countTree(join(made, 'root')) };
      await writeFile(join(made, 'note.json'), JSON.stringify(note));
      await this.#moveIn(made, id);
      await this.names.set({ name: image.name, id });
      return this.#stored(note);
    } catch (error) {
      throw new BackendUnavailable(`The root ${image.name} cannot be unpacked: ${explain(error, this.folder)}.`, {
        cause: error,
      });
    } finally {
      await rm(made, { recursive: true, force: true });
    }
  }

  /**
   * @param name as it was added, or an id
   * @returns undefined when there is none of that name
   * @throws BackendUnavailable when it is there and broken
   */
  async find(name: string): Promise<StoredRoot | undefined> {
    const id = /^(sha256:)?([0-9a-f]{64})$/.exec(name)?.[2] ?? (await this.names.get(name));
    return id === undefined ? undefined : this.byId(id);
  }

  /** Likewise, by id. Marks it as used. */
  async byId(id: string): Promise<StoredRoot | undefined> {
    const text = await readFile(this.#noteFile(id), 'utf8').catch(ifMissing);
    if (text === undefined) return undefined;
    const note = parse(text);
    if (!note || note.id !== id || !(await this.#isWhole(note))) {
      throw new BackendUnavailable(
        `The root ${id.slice(0, 12)} in ${this.folder} is broken: it is not what was unpacked. Remove ${join(this.folder, id)} and unpack its image again.`,
      );
    }
    await utimes(this.#noteFile(id), new Date(), new Date()).catch(() => {});
    return this.#stored(note);
  }

  async #isWhole({ id, contents }: Note): Promise<boolean> {
    if (this.#checked.has(id)) return true;
    const now = await countTree(join(this.folder, id, 'root')).catch(() => undefined);
    if (now?.entries !== contents.entries || now.bytes !== contents.bytes) return false;
    this.#checked.add(id);
    return true;
  }

  /** Of two processes the first wins; what it left broken is put aside. */
  async #moveIn(made: string, id: string): Promise<void> {
    const target = join(this.folder, id);
    const present = await this.byId(id).catch(() => undefined);
    if (present) return;
    const aside = join(this.folder, `.old-${randomBytes(8).toString('hex')}`);
    await rename(target, aside).catch(ifMissing);
    await rename(made, target).catch(error => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    await rm(aside, { recursive: true, force: true });
  }

  #stored({ id, path }: Note): StoredRoot {
    return { id, path, folder: join(this.folder, id, 'root') };
  }

  #noteFile(id: string): string {
    return join(this.folder, id, 'note.json');
  }
}

/** An image as a file is an archive as well, of its layers: that would make a root without a program. */
async function requireSystem(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.includes('usr') || names.includes('bin')) return;
  throw new Error(
    'it has neither /usr nor /bin, so it is no root file system. An image as a file goes to an engine first: code-sandbox images load, then images unpack',
  );
}

function parse(text: string): Note | undefined {
  try {
    return noteSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function explain(error: unknown, folder: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return `the disk that holds ${folder} is full (${code}); make room, or set XDG_CACHE_HOME to a folder on another one`;
  }
  return message;
}
