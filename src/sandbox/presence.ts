import type { Logger } from '../aalis.js';
import type { Backend } from './backend.js';
import { BackendUnavailable } from './errors.js';
import { type Selection, whyNone } from './select.js';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const SWEEP_MS = 60_000;

/**
 * Which backend is there right now. One that is lost is let go of at once, and looked for again: with growing pauses in
 * the background, and when a run asks for it.
 */
export class Presence {
  readonly #select: () => Promise<Selection>;
  readonly #logger: Logger;
  readonly #onChange: () => void;
  #selection: Selection = { candidates: [] };
  #searching: Promise<Selection> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  #pause = FIRST_PAUSE_MS;
  #closed = false;

  /** @param onChange called whenever another backend, or none, is there */
  constructor(select: () => Promise<Selection>, logger: Logger, onChange: () => void = () => {}) {
    this.#select = select;
    this.#logger = logger;
    this.#onChange = onChange;
  }

  get current(): Selection {
    return this.#selection;
  }

  /** Looks for a backend; callers at the same time share one search. Never rejects. */
  search(): Promise<Selection> {
    this.#searching ??= this.#search().finally(() => {
      this.#searching = undefined;
    });
    return this.#searching;
  }

  /** @throws BackendUnavailable when there is none, after a look for one. */
  async require(): Promise<Selection & { backend: Backend }> {
    const selection = this.#selection.backend ? this.#selection : await this.search();
    const { backend } = selection;
    if (!backend)
      throw new BackendUnavailable(`No sandbox backend is available, so nothing runs: ${whyNone(selection)}.`);
    return { ...selection, backend };
  }

  /** A run found its backend gone. Whoever is still on it finds out the same way; the next run gets another. */
  lost(backend: Backend, reason: string): void {
    if (this.#selection.backend !== backend) return;
    this.#logger.warn(`the sandbox backend ${backend.label} is lost: ${reason}`);
    const candidates = this.#selection.candidates.map(candidate => {
      return candidate.outcome === 'taken' ? { ...candidate, outcome: 'declined' as const, reason } : candidate;
    });
    this.#take({ candidates });
    clearInterval(this.#sweeper);
    backend.close().catch(() => {});
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#sweeper);
    await this.#searching;
    const { backend } = this.#selection;
    this.#selection = { candidates: this.#selection.candidates };
    await backend?.close();
  }

  async #search(): Promise<Selection> {
    clearTimeout(this.#timer);
    const selection = await this.#select();
    if (this.#closed) {
      await selection.backend?.close();
      return { candidates: selection.candidates };
    }
    this.#take(selection);
    if (selection.backend) {
      this.#pause = FIRST_PAUSE_MS;
      this.#sweep(selection.backend);
    } else {
      this.#schedule();
    }
    return selection;
  }

  /** At once, and every minute: what a crashed owner left behind has nobody else. */
  #sweep(backend: Backend): void {
    clearInterval(this.#sweeper);
    const sweep = () => {
      backend.sweep().then(
        removed => removed > 0 && this.#logger.info(`${removed} containers of dead owners were removed`),
        error => this.#logger.debug(`the sweep failed: ${error.message}`),
      );
    };
    this.#sweeper = setInterval(sweep, SWEEP_MS);
    this.#sweeper.unref();
    sweep();
  }

  #take(selection: Selection): void {
    const changed = selection.backend?.label !== this.#selection.backend?.label;
    this.#selection = selection;
    if (changed) this.#onChange();
  }

  #schedule(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.search(), this.#pause);
    this.#timer.unref();
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
  }
}
