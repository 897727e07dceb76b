import type { Logger, ProcessService } from '../aalis.js';
import { connectEngine } from '../engine/connect.js';
import { ImageBuilder } from './builder.js';
import type { CatalogImage } from './catalog.js';

/** What making images in the background takes. */
export interface PreparationOptions {
  process: ProcessService;
  logger: Logger;
  cache: string;
  /** Base of the images that extend no other. */
  base?: string;
  /** Address of the engine, where one is configured. */
  endpoint?: string;
}

/** The engine that is to have an image. */
export interface PreparedFor {
  kind: 'podman' | 'docker';
  /** There may be others of its kind. */
  socket?: string | undefined;
}

/** Builds images in the background, one after the other and each once, with its progress in the log. */
export class Preparation {
  readonly #options: PreparationOptions;
  readonly #started = new Set<string>();
  readonly #ending = new AbortController();
  #last: Promise<void> = Promise.resolve();

  constructor(options: PreparationOptions) {
    this.#options = options;
  }

  /** Returns at once; one that failed is not tried again. */
  start(image: CatalogImage, engine: PreparedFor): void {
    const { reference } = image;
    if (this.#started.has(reference)) return;
    this.#started.add(reference);
    this.#last = this.#last.then(() => this.#make(image, engine));
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#ending.abort(new Error('the sandbox was closed'));
    await this.#last;
  }

  async #make(image: CatalogImage, { kind, socket }: PreparedFor): Promise<void> {
    const { process, logger, cache, base, endpoint = socket } = this.#options;
    const { signal } = this.#ending;
    if (signal.aborted) return;
    logger.info(`preparing ${image.reference} in the background`);
    try {
      await using client = await connectEngine({ engine: kind, process, ...(endpoint ? { endpoint } : {}) });
      const onLine = (name: string, line: string) => logger.info(`[${name}] ${line}`);
      const builder = new ImageBuilder({ client, process, cache, onLine, signal, ...(base ? { base } : {}) });
      await builder.build(image);
      logger.info(`${image.reference} is ready`);
    } catch (error) {
      logger.warn(`${image.reference} could not be prepared: ${(error as Error).message}`);
    }
  }
}
