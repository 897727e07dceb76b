import { basename } from 'node:path';
import type { Config } from '../config/schema.js';
import { type Catalog, type CatalogImage, commandsOf, environmentIn } from '../images/catalog.js';
import type { Preparation } from '../images/preparation.js';
import { equivalents } from '../policy/interpreter.js';
import type { Root } from '../policy/plan.js';
import { quote } from '../policy/quote.js';
import type { Backend, BackendName } from './backend.js';
import { BackendUnavailable } from './errors.js';

/** How long it is taken for true that an image is there, or is not. */
const FRESH_MS = 10_000;
/** What an image is made for ahead of the first request. */
const USUAL = ['python3', 'node'];

/** What choosing a root takes. */
export interface RootsOptions {
  config: Config;
  catalog: Catalog;
  /** The host's own system folders. */
  hostRoot(): Promise<Root>;
  /** Told once about every choice that a caller may not expect. */
  onChoice(message: string): void;
  /** Makes images in the background. */
  preparation?: Preparation;
}

/** Which root a request gets: the image that is configured, one of the catalog that has its command, or the host's own. */
export class Roots {
  readonly #options: RootsOptions;
  readonly #known = new WeakMap<Backend, Map<string, { root: Promise<Root | undefined>; until: number }>>();

  constructor(options: RootsOptions) {
    this.#options = options;
  }

  /**
   * @param command as the request names it; empty: any will do
   * @throws BackendUnavailable, with the command that makes the image, when it is not there
   */
  async rootFor(backend: Backend, command: string): Promise<Root> {
    const { config, hostRoot, onChoice } = this.#options;
    const configured = this.#configured(command);
    if (configured) return this.named(backend, configured);
    const { rootfs } = config.root;
    if (rootfs === 'host') return hostRoot();
    const candidates = this.#candidates(command, rootfs);
    for (const image of candidates) {
      const root = await this.#present(backend, image);
      if (!root) continue;
      onChoice(`${command ? nameOf(command) : 'the probe'} runs in ${image.reference}`);
      return root;
    }
    const [first] = candidates;
    if (first) this.#prepare(first, backend);
    if (rootfs === 'image') throw missing(command, first, backend);
    if (first) {
      onChoice(
        `no image with ${nameOf(command)} is there, so it runs over the host's own system folders; to make one: ${buildCommand(first, backend)}`,
      );
    }
    return hostRoot();
  }

  /** The root of an image by its name in the catalog, or by any reference or id of the backend's. */
  async named(backend: Backend, name: string): Promise<Root> {
    const image = this.#options.catalog.find(name);
    if (!image) return backend.imageRoot(name);
    const root = await this.#present(backend, image);
    if (root) return root;
    this.#prepare(image, backend);
    throw missing(name, image, backend);
  }

  /** Has the images made in the background that runs are likely to ask for. */
  async prepareAhead(backend: Backend): Promise<void> {
    const { config, catalog } = this.#options;
    const commands = [...config.interpreters.map(({ command }) => command), ...USUAL];
    const named = [config.root.image, ...config.interpreters.map(({ image }) => image)].map(name => catalog.find(name));
    const serving = config.root.rootfs === 'host' ? [] : commands.map(command => this.#candidates(command, 'auto')[0]);
    for (const image of new Set([...named, ...serving])) {
      if (image && !(await this.#present(backend, image))) this.#prepare(image, backend);
    }
  }

  /** Where programs come from, for people. */
  get label(): string {
    const { rootfs, image } = this.#options.config.root;
    if (image) return image;
    return { host: 'host root', image: 'interpreter images', auto: 'host root or interpreter images' }[rootfs];
  }

  /** Ends what is being made in the background. */
  async close(): Promise<void> {
    await this.#options.preparation?.close();
  }

  #configured(command: string): string | undefined {
    const { interpreters, root } = this.#options.config;
    const own = interpreters.find(entry => entry.command === command || entry.command === basename(command));
    return own?.image ?? (root.image || undefined);
  }

  /** Where only images count, a command that none is made for gets the one with the most interpreters. */
  #candidates(command: string, rootfs: 'auto' | 'image'): CatalogImage[] {
    const { catalog } = this.#options;
    const serving = command ? catalog.serving(equivalents(basename(command))) : [];
    if (serving.length > 0 || rootfs === 'auto') return serving;
    const breadth = (image: CatalogImage) => Object.keys(commandsOf(image)).length;
    return catalog.all.sort((a, b) => breadth(b) - breadth(a));
  }

  #prepare(image: CatalogImage, { name: kind, places }: Backend): void {
    if (isEngine(kind)) this.#options.preparation?.start(image, { kind, socket: places.sockets[0] });
  }

  #present(backend: Backend, image: CatalogImage): Promise<Root | undefined> {
    const ofBackend = this.#known.get(backend) ?? new Map();
    this.#known.set(backend, ofBackend);
    const known = ofBackend.get(image.reference);
    if (known && performance.now() < known.until) return known.root;
    const root = rootOf(backend, image);
    ofBackend.set(image.reference, { root, until: performance.now() + FRESH_MS });
    root.catch(() => ofBackend.delete(image.reference));
    return root;
  }
}

/** For messages: the path that it was asked for by is the caller's, and may be ever another. */
function nameOf(command: string): string {
  return quote(basename(command));
}

async function rootOf(backend: Backend, image: CatalogImage): Promise<Root | undefined> {
  try {
    const root = await backend.imageRoot(image.reference);
    return { ...root, env: { ...root.env, ...environmentIn(image) }, commands: commandsOf(image) };
  } catch (error) {
    if (error instanceof BackendUnavailable) return undefined;
    throw error;
  }
}

function missing(wanted: string, image: CatalogImage | undefined, backend: Backend): BackendUnavailable {
  const { label, name } = backend;
  // Without an engine an image is a folder, unpacked from an engine's image or an archive.
  const how = image
    ? `; make it with: ${isEngine(name) ? buildCommand(image, backend) : `code-sandbox images unpack ${image.manifest.name}`}`
    : ', and the catalog has none: add one with imageDirs, or set root.rootfs to auto';
  return new BackendUnavailable(
    `${label} has no image for ${wanted ? quote(wanted) : 'any command'}, and a run never builds one${how}`,
  );
}

function isEngine(name: BackendName): name is 'podman' | 'docker' {
  return name === 'podman' || name === 'docker';
}

/** With the socket: another engine may be the first that the command finds. */
function buildCommand({ manifest }: CatalogImage, { places }: Backend): string {
  const [socket] = places.sockets;
  return `code-sandbox images build ${manifest.name}${socket ? ` --socket ${socket}` : ''}`;
}
