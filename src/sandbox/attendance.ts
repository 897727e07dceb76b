import type { Logger } from '../aalis.js';
import type { Backend } from './backend.js';
import { sweep } from './sweep.js';

const SWEEP_MS = 60_000;
const WATCH_MS = 1000;
const PAUSE_MS = 100;

/**
 * Looks after a backend as long as it is in use: whether it is still there, every second, and at once and every minute
 * for what a crashed owner left, which has nobody else.
 */
export class Attendance {
  readonly #backend: Backend;
  readonly #logger: Logger;
  readonly #timers: NodeJS.Timeout[];

  /** @param lost called once it is found gone */
  constructor(backend: Backend, logger: Logger, lost: () => void) {
    this.#backend = backend;
    this.#logger = logger;
    this.#timers = [
      setInterval(() => this.#sweep(), SWEEP_MS).unref(),
      setTimeout(() => this.#watch(lost), WATCH_MS).unref(),
    ];
    this.#sweep();
  }

  end(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
  }

  #sweep(): void {
    sweep(this.#backend).then(
      removed => removed > 0 && this.#logger.info(`${removed} sandboxes of dead owners were removed`),
      error => this.#logger.debug(`the sweep failed: ${error.message}`),
    );
  }

  async #watch(lost: () => void): Promise<void> {
    const alive = () => this.#backend.alive().catch(() => false);
    // Twice, since a process that was busy itself misses an answer that was there in time.
    const again = async () => {
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS).unref());
      return alive();
    };
    if (!(await alive()) && !(await again())) lost();
    else if (this.#timers.length > 0) this.#timers[1] = setTimeout(() => this.#watch(lost), WATCH_MS).unref();
  }
}
