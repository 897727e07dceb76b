import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import dockerignore from '@balena/dockerignore';
import { type Pack, pack } from 'tar-stream';
import { InvalidImage } from '../sandbox/errors.js';

/** One thing of a build context; `path` has no slash in front. */
export type ContextEntry =
  | { path: string; kind: 'folder' }
  | { path: string; kind: 'link'; to: string }
  | { path: string; kind: 'file'; source: string; executable: boolean; bytes: number };

/** The one that is there decides; Podman's name goes first. */
const IGNORE_FILES = ['.containerignore', '.dockerignore'];

/**
 * What of a folder belongs to the build's context, parents first, in an order of its own.
 * @throws InvalidImage on a link out of the folder, and on what is neither file, folder nor link.
 */
export async function readContext(folder: string): Promise<ContextEntry[]> {
  const kept = dockerignore
    .default()
    .add(await ignoreRules(folder))
    .createFilter();
  // Without types, readdir follows links to folders, out of the context and round in circles.
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort();
  return Promise.all(paths.filter(path => kept(path)).map(path => readEntry(folder, path)));
}

async function ignoreRules(folder: string): Promise<string> {
  for (const name of IGNORE_FILES) {
    const rules = await readFile(join(folder, name), 'utf8').catch(() => undefined);
    if (rules !== undefined) return rules;
  }
  return '';
}

async function readEntry(folder: string, path: string): Promise<ContextEntry> {
  const source = join(folder, path);
  const facts = await lstat(source);
  if (facts.isDirectory()) return { path, kind: 'folder' };
  if (facts.isFile()) return { path, kind: 'file', source, executable: (facts.mode & 0o100) !== 0, bytes: facts.size };
  if (!facts.isSymbolicLink())
    throw new InvalidImage(`${source} is neither a file, a folder nor a link; take it out of the context.`);
  const to = await readlink(source);
  const target = posix.normalize(posix.join(posix.dirname(path), to));
  if (to.startsWith('/') || target === '..' || target.startsWith('../')) {
    throw new InvalidImage(
      `${source} is a link out of the build's context, to ${to}; copy what it leads to, or list it in ${IGNORE_FILES[0]}.`,
    );
  }
  return { path, kind: 'link', to };
}

/** A digest of all names, kinds, modes and contents: what an image's layers follow from. */
export async function digestContext(entries: readonly ContextEntry[]): Promise<string> {
  const digest = createHash('sha256');
  for (const entry of entries) {
    digest.update(JSON.stringify({ ...entry, source: undefined }));
    if (entry.kind === 'file') await pipeline(createReadStream(entry.source), digest, { end: false });
  }
  return digest.digest('hex');
}

/** The context as a tar archive that depends on nothing but the entries: no owner, no time. */
export function packContext(entries: readonly ContextEntry[]): Readable {
  const archive = pack();
  addAll(archive, entries).catch(error => archive.destroy(error));
  return Readable.from(archive, { objectMode: false });
}

async function addAll(archive: Pack, entries: readonly ContextEntry[]): Promise<void> {
  const plain = { uid: 0, gid: 0, mtime: new Date(0) };
  for (const entry of entries) {
    if (entry.kind === 'folder') {
      archive.entry({ ...plain, name: `${entry.path}/`, type: 'directory', mode: 0o755 });
    } else if (entry.kind === 'link') {
      archive.entry({ ...plain, name: entry.path, type: 'symlink', linkname: entry.to, mode: 0o777 });
    } else {
      const header = { ...plain, name: entry.path, size: entry.bytes, mode: entry.executable ? 0o755 : 0o644 };
      await pipeline(createReadStream(entry.source), archive.entry(header));
    }
  }
  archive.finalize();
}
