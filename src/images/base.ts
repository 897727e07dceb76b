import { createReadStream } from 'node:fs';
import type { ProcessService } from '../aalis.js';
import type { EngineClient } from '../engine/client.js';
import { type ImageFacts, importImage, inspectImage } from '../engine/image.js';
import { pullImage } from '../engine/imagetransfer.js';
import { BackendUnavailable, InvalidImage } from '../sandbox/errors.js';
import { DEBIAN_RECIPE, debianRoot } from './debian.js';

/** Base of the images that extend no other, where nothing else is asked for. */
export const DEFAULT_BASE = 'debian:bookworm-slim';
/** Made on this machine out of Debian's packages: needs no registry. */
const LOCAL_BASE = 'local';

const LOCAL_REFERENCE = `localhost/code-sandbox/debian:${DEBIAN_RECIPE}`;

/** What a build begins with. */
export interface Base {
  /** What the image's digest goes by: the same on every engine. */
  identity: string;
  /** What FROM gets. */
  from(): Promise<string>;
}

/** What finding a base takes. */
export interface BaseOptions {
  client: EngineClient;
  process: ProcessService;
  cache: string;
  fresh: boolean;
  onLine(line: string): void;
}

/**
 * Finds a base by its name; one that the engine lacks is pulled, or made. A tag is pinned to the digest that it stands for.
 * @throws InvalidImage or BackendUnavailable when it cannot be had
 */
export async function findBase(name: string, options: BaseOptions): Promise<Base> {
  if (name === LOCAL_BASE) return { identity: `debian ${DEBIAN_RECIPE}`, from: () => localBase(options) };
  const { client } = options;
  const image = (options.fresh ? undefined : await inspectImage(client, name)) ?? (await pulled(name, options));
  checkArchitecture(name, image, client);
  const pinned = image.digests[0] ?? image.id;
  return { identity: pinned, from: async () => pinned };
}

/** @throws InvalidImage for an image that this engine's machine cannot run. */
export function checkArchitecture(name: string, image: ImageFacts, { facts, label }: EngineClient): void {
  if (image.architecture === facts.architecture) return;
  throw new InvalidImage(
    `Image ${name} is for ${image.architecture}, but ${label} runs on ${facts.architecture}; bring it for that.`,
  );
}

async function pulled(name: string, { client, onLine }: BaseOptions): Promise<ImageFacts> {
  onLine(`pulling ${name}`);
  try {
    await pullImage(client, name);
  } catch (cause) {
    throw new InvalidImage(
      `The base ${name} is not there and cannot be pulled: ${(cause as Error).message}. ` +
        'Where no registry is reachable, --base local makes one from Debian’s packages.',
      { cause },
    );
  }
  const image = await inspectImage(client, name);
  if (!image)
    throw new InvalidImage(`The base ${name} is not there after its pull; write it with its registry and tag.`);
  return image;
}

async function localBase({ client, process, cache, fresh, onLine }: BaseOptions): Promise<string> {
  if (!fresh) {
    const present = await inspectImage(client, LOCAL_REFERENCE);
    if (present) return present.id;
  }
  if (client.facts.architecture !== globalThis.process.arch) {
    throw new BackendUnavailable(
      `${client.label} runs on ${client.facts.architecture}, and --base local makes a root for ${globalThis.process.arch}; name a base of a registry.`,
    );
  }
  onLine('making a minimal Debian root (about a minute; once)');
  const archive = await debianRoot(cache, fresh, process);
  return importImage(client, createReadStream(archive), { reference: LOCAL_REFERENCE });
}
