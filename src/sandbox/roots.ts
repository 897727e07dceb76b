import { basename } from 'node:path';
import type { Config } from '../config/schema.js';
import type { Root } from '../policy/plan.js';
import type { Backend } from './backend.js';

/** Which root a request gets: the image of its command, the configured image, or the host's own. */
export class Roots {
  readonly #config: Config;
  readonly #hostRoot: () => Promise<Root>;

  /** @param hostRoot the host's own system folders */
  constructor(config: Config, hostRoot: () => Promise<Root>) {
    this.#config = config;
    this.#hostRoot = hostRoot;
  }

  /** @throws BackendUnavailable when the image is not there */
  rootFor(backend: Backend, command: string): Promise<Root> {
    const image = this.imageFor(command);
    return image ? backend.imageRoot(image) : this.#hostRoot();
  }

  /** The image that is configured for a command, if any. */
  imageFor(command: string): string | undefined {
    const own = this.#config.interpreters.find(
      entry => entry.command === command || entry.command === basename(command),
    );
    return own?.image ?? (this.#config.root.image || undefined);
  }
}
