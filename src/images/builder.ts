import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ProcessService } from '../aalis.js';
import type { EngineClient } from '../engine/client.js';
import { EngineFailure } from '../engine/failure.js';
import { inspectImage } from '../engine/image.js';
import { buildImage } from '../engine/imagebuild.js';
import { pruneImages } from '../engine/imagelist.js';
import { BackendUnavailable, InvalidImage } from '../sandbox/errors.js';
import { type Base, checkArchitecture, DEFAULT_BASE, findBase } from './base.js';
import { BuildLog } from './buildlog.js';
import { type CatalogImage, lineage, MANIFEST } from './catalog.js';
import { type ContextEntry, digestContext, packContext, readContext } from './context.js';
import { BASE_LABEL, DIGEST_LABEL, labelsOf, STAGE_LABEL } from './labels.js';
import { whileLocked } from './lock.js';
import { npmEntries, npmPackages } from './npm.js';

const CONTAINERFILES = ['Containerfile', 'Dockerfile'];

/** What builds share. */
export interface BuilderOptions {
  client: EngineClient;
  process: ProcessService;
  /** Folder for what can be made again. */
  cache: string;
  /** Base of the images that extend no other; default: what the present image was built on, else {@link DEFAULT_BASE}. */
  base?: string;
  /** Network of the steps; default `host`. */
  network?: 'host' | 'none';
  /** Builds what is up to date as well, and takes nothing from earlier builds. */
  fresh?: boolean;
  /** Progress, line by line. */
  onLine(image: string, line: string): void;
  signal?: AbortSignal;
}

/** An image that is there now. */
export interface Built {
  image: CatalogImage;
  id: string;
  /** Of what it was made. */
  digest: string;
  /** False when it was there already, made of the same. */
  fresh: boolean;
}

/** Builds images of the catalog, what they extend first. */
export class ImageBuilder {
  readonly #options: BuilderOptions;
  readonly #done = new Map<string, Promise<Built>>();

  constructor(options: BuilderOptions) {
    this.#options = options;
  }

  /**
   * Makes sure that an image is there and made of what its folder holds now.
   * @throws InvalidImage when its maker has something to mend; BackendUnavailable when the engine fails. Nothing is tagged then.
   */
  build(image: CatalogImage): Promise<Built> {
    const { name } = image.manifest;
    const known = this.#done.get(name);
    if (known) return known;
    const built = this.#build(image);
    this.#done.set(name, built);
    return built;
  }

  async #build(image: CatalogImage): Promise<Built> {
    const { client, cache, fresh = false } = this.#options;
    const { name } = image.manifest;
    const onLine = (line: string) => this.#options.onLine(name, line);
    const parent = image.parent && (await this.build(image.parent));
    try {
      const choice = await this.#baseFor(image);
      const base = parent
        ? { identity: parent.digest, from: async () => parent.id }
        : await findBase(choice, { ...this.#options, fresh, onLine });
      // The manifest is for us: what follows from it is in the digest, and a new smoke test is no reason to build.
      const context = (await readContext(image.folder)).filter(({ path }) => path !== MANIFEST);
      const digest = digestOf(image, base, await digestContext(context), client.facts.architecture);
      const upToDate = async () => {
        const present = await inspectImage(client, image.reference);
        return present?.labels[DIGEST_LABEL] === digest ? { image, id: present.id, digest, fresh: false } : undefined;
      };
      const present = fresh ? undefined : await upToDate();
      if (present) return present;
      return await whileLocked(
        cache,
        () => onLine('waiting for another build'),
        async () => {
          const made = fresh ? undefined : await upToDate();
          return made ?? (await this.#make(image, base, context, labelsOf(image, digest, choice), onLine));
        },
      );
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      throw new BackendUnavailable(`Image ${name} was not built: ${error.message}`, { cause: error });
    }
  }

  async #make(
    image: CatalogImage,
    base: Base,
    context: ContextEntry[],
    labels: Record<string, string>,
    onLine: (line: string) => void,
  ): Promise<Built> {
    const { client, process, cache, network = 'host', fresh = false, signal } = this.#options;
    const { manifest, reference, folder } = image;
    const containerfile = CONTAINERFILES.find(name => context.some(({ path }) => path === name));
    if (!containerfile)
      throw new InvalidImage(`Image ${manifest.name} has no ${CONTAINERFILES.join(' or ')} in ${folder}.`);
    const archives = await npmEntries(npmPackages(manifest, client.facts.architecture), cache, process);
    const log = new BuildLog(onLine);
    try {
      await buildImage(client, {
        context: packContext([...context, ...archives]),
        containerfile,
        reference,
        args: declaredArgs(await readFile(`${folder}/${containerfile}`, 'utf8'), {
          BASE: await base.from(),
          DEBIAN_PACKAGES: manifest.packages.debian.join(' '),
          ALPINE_PACKAGES: manifest.packages.alpine.join(' '),
        }),
        labels,
        network,
        noCache: fresh,
        onEvent: log.push,
        ...(signal && { signal }),
      });
    } catch (error) {
      throw explain(error, image, log);
    } finally {
      await this.#tidy();
    }
    const made = await inspectImage(client, reference);
    if (!made) throw new BackendUnavailable(`${client.label} built ${reference} and has no such image; see its log.`);
    checkArchitecture(reference, made, client);
    return { image, id: made.id, digest: labels[DIGEST_LABEL]!, fresh: true };
  }

  /** The base is a choice for a whole family, so what was built on one keeps to it. */
  async #baseFor(image: CatalogImage): Promise<string> {
    if (this.#options.base) return this.#options.base;
    for (const { reference } of lineage(image).reverse()) {
      const present = await inspectImage(this.#options.client, reference);
      if (present?.labels[BASE_LABEL]) return present.labels[BASE_LABEL];
    }
    return DEFAULT_BASE;
  }

  /** Removes stages, and images whose name went to a newer build. What is left over is no reason to fail. */
  async #tidy(): Promise<void> {
    for (const label of [STAGE_LABEL, DIGEST_LABEL]) await pruneImages(this.#options.client, label).catch(() => {});
  }
}

/** Docker and Podman complain about arguments that a Containerfile does not declare. */
function declaredArgs(containerfile: string, args: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(args).filter(([name]) => new RegExp(`^\\s*ARG\\s+${name}\\b`, 'im').test(containerfile)),
  );
}

function digestOf({ manifest }: CatalogImage, base: Base, context: string, architecture: string): string {
  const { packages, labels, version, description } = manifest;
  const npm = npmPackages(manifest, architecture);
  const made = { base: base.identity, context, packages, npm, labels, version, description, architecture };
  return createHash('sha256').update(JSON.stringify(made)).digest('hex');
}

function explain(error: unknown, { manifest }: CatalogImage, log: BuildLog): unknown {
  if (!(error instanceof EngineFailure) || error.lost) return error;
  const { step, output } = log.failure();
  const at = step ? ` at its step "${step}"` : '';
  return new InvalidImage([`Image ${manifest.name} was not built${at}: ${error.message}`, ...output].join('\n  '), {
    cause: error,
  });
}
