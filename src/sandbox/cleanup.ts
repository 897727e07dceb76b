import type { Logger } from '../aalis.js';
import { beforeAbort } from './before-abort.js';
import { messageOf } from './errors.js';

/** Removals that may be under way at once; beyond, new runs wait for one to end. */
const MOST_PENDING = 32;

/** Work that goes on behind a result. What fails is logged; the sweep takes up what is left. */
export class Cleanup {
  readonly #logger: Logger;
  readonly #pending = new Set<Promise<void>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** @param what for the log, when it fails */
  add(what: string, work: Promise<void>): void {
    const done = work
      .catch(error => this.#logger.warn(`${what} failed: ${messageOf(error)}`))
      .finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }

  /** Settles when so little is under way that more may be added. @param signal ends the wait; its reason is thrown */
  async room(signal?: AbortSignal): Promise<void> {
    while (this.#pending.size >= MOST_PENDING) {
      await beforeAbort(Promise.race(this.#pending), signal);
    }
  }

  /** Settles when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }
}
