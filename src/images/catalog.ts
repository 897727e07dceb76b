import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidImage } from '../sandbox/errors.js';
import { type Manifest, readManifest } from './manifest.js';

/** Folder of the images that this package brings. */
export const SHIPPED_IMAGES = fileURLToPath(new URL('../../images', import.meta.url));
export const MANIFEST = 'image.json';
/** Without a host in front, Docker and Podman would each put another one there, or ask a registry of strangers. */
const REPOSITORY = 'localhost/code-sandbox/';

/** One image of the catalog. */
export interface CatalogImage {
  manifest: Manifest;
  /** Folder with its manifest and Containerfile. */
  folder: string;
  /** Name and tag that its builds get. */
  reference: string;
  /** The image that it is built on. */
  parent?: CatalogImage;
}

/** All images that can be built, by name. */
export class Catalog {
  readonly #images: ReadonlyMap<string, CatalogImage>;

  private constructor(images: ReadonlyMap<string, CatalogImage>) {
    this.#images = images;
  }

  /**
   * Reads the shipped folder, then the operator's. An image with a fault is left out, and so is what extends it.
   * @param folders each holds a folder for every image
   * @param onFault gets what is wrong with an image, or with a folder
   */
  static async load(folders: readonly string[], onFault: (fault: InvalidImage) => void): Promise<Catalog> {
    const found = new Map<string, Omit<CatalogImage, 'parent'>>();
    for (const folder of [SHIPPED_IMAGES, ...folders]) {
      for (const place of await imageFolders(folder).catch(orFault(onFault, []))) {
        const image = await readImage(place).catch(orFault(onFault, undefined));
        const other = image && found.get(image.manifest.name);
        if (other)
          onFault(new InvalidImage(`Image ${image.manifest.name} is in ${other.folder} and in ${place}; rename one.`));
        else if (image) found.set(image.manifest.name, image);
      }
    }
    return new Catalog(link(found, onFault));
  }

  get all(): CatalogImage[] {
    return [...this.#images.values()];
  }

  /** By its name, or by its reference. */
  find(name: string): CatalogImage | undefined {
    const byReference = ({ reference }: CatalogImage) => reference === name || reference === `localhost/${name}`;
    return this.#images.get(name) ?? this.all.find(byReference);
  }

  /** @throws InvalidImage that names what there is. */
  get(name: string): CatalogImage {
    const image = this.find(name);
    if (!image)
      throw new InvalidImage(
        `There is no image ${name} in the catalog. It has: ${[...this.#images.keys()].join(', ')}.`,
      );
    return image;
  }

  /** The images that are made for a command, the preferred one first. */
  serving(commands: readonly string[]): CatalogImage[] {
    return this.all
      .filter(({ manifest }) => manifest.interpreters.some(({ command }) => commands.includes(command)))
      .sort((a, b) => b.manifest.preference - a.manifest.preference);
  }
}

/** An image and those that it is built on, itself last. */
export function lineage(image: CatalogImage): CatalogImage[] {
  return image.parent ? [...lineage(image.parent), image] : [image];
}

/** The commands that an image has, its own and those of what it extends, with their paths inside. */
export function commandsOf(image: CatalogImage): Record<string, string> {
  const interpreters = lineage(image).flatMap(({ manifest }) => manifest.interpreters);
  return Object.fromEntries(interpreters.map(({ command, path }) => [command, path]));
}

/** The variables that an image declares, its own over those of what it extends. */
export function environmentIn(image: CatalogImage): Record<string, string> {
  return Object.assign({}, ...lineage(image).map(({ manifest }) => manifest.environment));
}

async function imageFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: Error) => {
    throw new InvalidImage(`The folder of images ${folder} cannot be read: ${cause.message}.`, { cause });
  });
  const folders = entries.filter(entry => entry.isDirectory() && !entry.name.startsWith('.'));
  return folders.map(entry => join(folder, entry.name)).sort();
}

async function readImage(folder: string): Promise<Omit<CatalogImage, 'parent'>> {
  const manifest = await readManifest(join(folder, MANIFEST));
  return { manifest, folder, reference: `${REPOSITORY}${manifest.name}:${manifest.version}` };
}

function link(
  found: ReadonlyMap<string, Omit<CatalogImage, 'parent'>>,
  onFault: (fault: InvalidImage) => void,
): Map<string, CatalogImage> {
  const linked = new Map<string, CatalogImage>();
  const resolve = (name: string, below: string[]): CatalogImage => {
    const known = linked.get(name);
    const image = known ?? found.get(name);
    const from = below.at(-1);
    if (!image) throw new InvalidImage(`Image ${from} extends ${name}, which is not in the catalog.`);
    if (known) return known;
    if (below.includes(name)) throw new InvalidImage(`Image ${name} extends itself: ${[...below, name].join(' -> ')}.`);
    const { extends: parent } = image.manifest;
    const whole = parent === undefined ? image : { ...image, parent: resolve(parent, [...below, name]) };
    checkSmokeTests(whole);
    linked.set(name, whole);
    return whole;
  };
  for (const name of found.keys()) {
    try {
      resolve(name, []);
    } catch (fault) {
      onFault(fault as InvalidImage);
    }
  }
  return linked;
}

function checkSmokeTests(image: CatalogImage): void {
  const commands = Object.keys(commandsOf(image));
  for (const { name, command } of image.manifest.smoke) {
    if (commands.includes(command)) continue;
    const has = commands.join(', ') || 'none';
    throw new InvalidImage(
      `The smoke test ${JSON.stringify(name)} of image ${image.manifest.name} runs ${command}, which is no interpreter of it (it has: ${has}).`,
    );
  }
}

function orFault<T>(onFault: (fault: InvalidImage) => void, instead: T) {
  return (error: Error): T => {
    if (!(error instanceof InvalidImage)) throw error;
    onFault(error);
    return instead;
  };
}
