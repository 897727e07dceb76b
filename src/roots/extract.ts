import { constants } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
import { pathInside } from './paths.js';
import { Tree } from './tree.js';
import { UnsafeArchive } from './unsafe.js';

/** How much an archive may bring. */
export interface Bounds {
  bytes: number;
  entries: number;
}

/** More than any image that people use; less than what fills a disk by accident. */
const BOUNDS: Bounds = { bytes: 32 * 2 ** 30, entries: 2_000_000 };

/** Every sandbox mounts its own over these, and nothing can be made in a shared root later. */
const MOUNTED_OVER = ['etc/hosts', 'etc/hostname', 'etc/resolv.conf'];

/**
 * Unpacks a file system into an empty folder that nobody else can write. No entry gets out of it: not by `..`, not through
 * a link. Devices, pipes, owners and the setuid and setgid bits are left out. All of it becomes readable, since whoever
 * runs in the root may see it.
 * @throws UnsafeArchive; the system's error for a full disk
 */
export async function extractRoot(archive: Readable, folder: string, bounds: Bounds = BOUNDS): Promise<void> {
  const tree = new Tree(folder);
  const unpacker = extract();
  const fed = pipeline(archive, unpacker).then(
    () => undefined,
    (error: Error) => error,
  );
  try {
    await placeAll(tree, unpacker, bounds);
  } catch (error) {
    // All that the unpacker knows of an archive that breaks off is that it was destroyed.
    throw isTelling(error) ? error : ((await fed) ?? error);
  }
  const broken = await fed;
  if (broken) throw broken;
  for (const name of MOUNTED_OVER) await tree.file(name, Readable.from([]), false, new Date(0));
}

function isTelling(error: unknown): boolean {
  return error instanceof UnsafeArchive || (error as NodeJS.ErrnoException).syscall !== undefined;
}

async function placeAll(tree: Tree, unpacker: ReturnType<typeof extract>, bounds: Bounds): Promise<void> {
  let entries = 0;
  let bytes = 0;
  for await (const entry of unpacker) {
    entries += 1;
    bytes += entry.header.size ?? 0;
    if (entries > bounds.entries) throw new UnsafeArchive(`it has more than ${bounds.entries} entries`);
    if (bytes > bounds.bytes) throw new UnsafeArchive(`it holds more than ${bounds.bytes} bytes`);
    // Its own types name no iterator, which streamx has all the same.
    await place(tree, entry.header, entry as unknown as AsyncIterable<Buffer>);
    entry.resume();
  }
}

async function place(tree: Tree, header: Header, content: AsyncIterable<Buffer>): Promise<void> {
  const path = pathInside(header.name);
  if (path === '') return;
  switch (header.type) {
    case 'directory':
      return tree.folder(path);
    case 'symlink':
      return tree.link(path, header.linkname ?? '');
    case 'link':
      return tree.hardLink(path, pathInside(header.linkname ?? ''));
    case 'file':
    case 'contiguous-file':
      return tree.file(path, content, isExecutable(header), header.mtime ?? new Date(0));
    default:
    // Devices and pipes: a sandbox has its own, and none comes out of an image.
  }
}

function isExecutable({ mode = 0 }: Header): boolean {
  return (mode & (constants.S_IXUSR | constants.S_IXGRP | constants.S_IXOTH)) !== 0;
}
