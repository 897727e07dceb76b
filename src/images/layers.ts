import { posix } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import type { EngineClient } from '../engine/client.js';
import { saveImages } from '../engine/imagetransfer.js';

/** A file as a layer holds it; `path` has no slash in front. */
export interface LayerFile {
  path: string;
  mode: number;
  bytes: number;
}

/** What is looked at while an image goes by. */
export interface Visitor {
  /** Whether a file's content is wanted. */
  wants(file: LayerFile): boolean;
  content(file: LayerFile, content: Buffer): void;
}

/** An image taken apart. */
export interface ImageContents {
  /** Files as a container sees them: those of upper layers over those of lower ones. */
  files: Map<string, LayerFile>;
  /** The image's config, as JSON. */
  config: string;
}

interface Layer {
  files: LayerFile[];
  /** Paths that are gone from the layers below. */
  removed: string[];
}

const BLOCK = 512;

/**
 * Has the engine save an image and reads it as it comes, layer by layer; nothing is written to disk.
 * Source: Docker's image specification 1.2 (manifest.json, whiteouts).
 */
export async function readImage(client: EngineClient, reference: string, visitor: Visitor): Promise<ImageContents> {
  const archive = new PassThrough();
  const [parts] = await Promise.all([readArchive(archive, visitor), saveImages(client, [reference], archive)]);
  const { layers, documents, aliases } = parts;
  const [manifest] = JSON.parse(documents.get('manifest.json') ?? '[]') as Array<{ Config: string; Layers: string[] }>;
  if (!manifest) throw new Error(`${client.label} saved ${reference} without its manifest.json`);
  const ordered = manifest.Layers.map(name => layers.get(aliases.get(name) ?? name));
  if (ordered.includes(undefined)) throw new Error(`${client.label} saved ${reference} without one of its layers`);
  return { files: overlay(ordered as Layer[]), config: documents.get(manifest.Config) ?? '' };
}

async function readArchive(archive: Readable, visitor: Visitor) {
  const layers = new Map<string, Layer>();
  const documents = new Map<string, string>();
  const aliases = new Map<string, string>();
  for await (const entry of archive.pipe(extract())) {
    const { name, type, linkname } = entry.header;
    if (type === 'symlink') aliases.set(name, posix.join(posix.dirname(name), linkname ?? ''));
    else if (type === 'file') {
      const { head, whole } = await peek(entry as unknown as Readable);
      const zipped = head[0] === 0x1f && head[1] === 0x8b;
      if (zipped) layers.set(name, await readLayer(whole.pipe(createGunzip()), visitor));
      else if (head.subarray(257, 262).toString() === 'ustar') layers.set(name, await readLayer(whole, visitor));
      else documents.set(name, (await buffer(whole)).toString());
    }
    entry.resume();
  }
  return { layers, documents, aliases };
}

/** The first block of a stream, and the stream as if nothing had been read. */
async function peek(stream: Readable): Promise<{ head: Buffer; whole: Readable }> {
  const chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < BLOCK) {
    const { value, done } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  const rest = { [Symbol.asyncIterator]: () => chunks };
  async function* whole() {
    yield head;
    yield* rest;
  }
  return { head, whole: Readable.from(whole(), { objectMode: false }) };
}

async function readLayer(tar: Readable, visitor: Visitor): Promise<Layer> {
  const layer: Layer = { files: [], removed: [] };
  for await (const entry of tar.pipe(extract())) {
    const { name, type, mode = 0, size = 0 } = entry.header;
    const path = posix.normalize(name).replace(/^\.?\//, '');
    const base = posix.basename(path);
    if (base.startsWith('.wh.')) layer.removed.push(posix.join(posix.dirname(path), base.slice('.wh.'.length)));
    else if (type === 'file' || type === 'link') {
      const file = { path, mode, bytes: size };
      layer.files.push(file);
      if (type === 'file' && visitor.wants(file)) visitor.content(file, await buffer(entry));
    }
    entry.resume();
  }
  return layer;
}

function overlay(layers: Layer[]): Map<string, LayerFile> {
  const files = new Map<string, LayerFile>();
  for (const layer of layers) {
    for (const gone of layer.removed) {
      for (const path of files.keys()) if (path === gone || path.startsWith(`${gone}/`)) files.delete(path);
    }
    for (const file of layer.files) files.set(file.path, file);
  }
  return files;
}
