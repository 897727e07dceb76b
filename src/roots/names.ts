import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const nameSchema = z.object({ name: z.string(), id: z.string().regex(/^[0-9a-f]{64}$/) });

/** A name and the root that it stands for. */
export type Name = z.output<typeof nameSchema>;

/** The names of a store's roots: one small file each, so that processes do not get in each other's way. */
export class Names {
  readonly #folder: string;

  constructor(store: string) {
    this.#folder = join(store, 'names');
  }

  async set(entry: Name): Promise<void> {
    const path = this.#file(entry.name);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.${process.pid}`, JSON.stringify(entry));
    await rename(`${path}.${process.pid}`, path);
  }

  /** The id behind a name; undefined for a name that is unknown, or whose file is broken. */
  async get(name: string): Promise<string | undefined> {
    return (await read(this.#file(name)))?.id;
  }

  async all(): Promise<Name[]> {
    const files = await readdir(this.#folder).catch(() => []);
    return (await Promise.all(files.map(file => read(join(this.#folder, file))))).filter(name => name !== undefined);
  }

  async remove(name: string): Promise<void> {
    await rm(this.#file(name), { force: true });
  }

  /** A name may hold any character; its digest names the file. */
  #file(name: string): string {
    return join(this.#folder, createHash('sha256').update(name).digest('hex'));
  }
}

async function read(file: string): Promise<Name | undefined> {
  try {
    return nameSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}
