import type { Logger } from '../aalis.js';
import { Attendance } from './attendance.js';
import type { Backend } from './backend.js';
import { BackendUnavailable, messageOf } from './errors.js';
import { Leases } from './leases.js';
import { once } from './once.js';
import { type Selection, whyNone } from './select.js';
import type { Kind } from './ways.js';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** A search that is over so soon found nothing that takes time; a run may then ask for another. */
const QUICK_SEARCH_MS = 500;

const SEARCH = 'the search for a backend';

/** A backend in use by one run. It stays open until the run lets go of it. */
export interface Lease extends Selection, Disposable {
  backend: Backend;
}

/** What looks for a backend. @param before look only for a kind that is preferred to this one */
export type Search = (before?: Kind) => Promise<Selection>;

/**
 * Which backend is there right now. One that is lost is let go of at once. As long as there is none, or only one that is
 * less than what the configuration prefers, a better one is looked for: with growing pauses, and when a run comes.
 */
export class Presence {
  readonly #select: Search;
  readonly #logger: Logger;
  readonly #onChange: () => void;
  readonly #leases: Leases;
  readonly #warnOnce: (line: string) => void;
  readonly #infoOnce: (line: string) => void;
  #selection: Selection = { candidates: [] };
  #searching: { before: Kind | undefined; found: Promise<Selection> } | undefined;
  #searched = { at: Number.NEGATIVE_INFINITY, ms: 0 };
  #timer: NodeJS.Timeout | undefined;
  #attendance: Attendance | undefined;
  #pause = FIRST_PAUSE_MS;
  #closed = false;
  /** There was a backend before. */
  #served = false;

  /** @param onChange called whenever another backend, or none, is there */
  constructor(select: Search, logger: Logger, onChange: () => void = () => {}) {
    this.#select = select;
    this.#logger = logger;
    this.#warnOnce = once(line => logger.warn(line));
    this.#infoOnce = once(line => logger.info(line));
    this.#onChange = onChange;
    this.#leases = new Leases((backend, error) => logger.warn(`closing ${backend.label} failed: ${error.message}`));
  }

  get current(): Selection {
    return this.#selection;
  }

  /** Looks for a backend, or for a better one; callers at the same time share one search. Never rejects. */
  search(): Promise<Selection> {
    const { kind } = this.#selection;
    if (this.#searching && this.#searching.before === kind) return this.#searching.found;
    // One that looks for something better than what is lost by now finds too little.
    const found = this.#searching?.found.then(() => this.#search()) ?? this.#search();
    const searching = { before: kind, found };
    this.#searching = searching;
    const over = () => {
      if (this.#searching === searching) this.#searching = undefined;
    };
    found.then(over);
    return found;
  }

  /**
   * The backend for one run, to be disposed of when the run is over.
   * @param since when the run was asked for (performance.now()): what a search has found since then is not looked for again
   * @throws BackendUnavailable when there is none, after a look for one.
   */
  async require(since = performance.now()): Promise<Lease> {
    if (!this.#selection.backend && this.#searched.at <= since) await this.search();
    else if (this.#wantsBetter() && this.#mayAsk()) void this.search();
    const { backend } = this.#selection;
    if (!backend)
      throw new BackendUnavailable(`No sandbox backend is available, so nothing runs: ${whyNone(this.#selection)}.`);
    this.#leases.take(backend);
    return { ...this.#selection, backend, [Symbol.dispose]: () => this.#leases.giveBack(backend) };
  }

  /** A backend is gone. Whoever is still on it finds out as it is closed; the next run gets another. */
  lost(backend: Backend, reason: string): void {
    if (this.#selection.backend !== backend) return;
    this.#logger.warn(`the sandbox backend ${backend.label} is lost: ${reason}`);
    const candidates = this.#selection.candidates.map(candidate => {
      return candidate.outcome === 'taken' ? { ...candidate, outcome: 'declined' as const, reason } : candidate;
    });
    this.#take({ candidates });
    backend.close('lost').catch(() => {});
    this.#pause = FIRST_PAUSE_MS;
    void this.search();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#searching?.found;
    const { backend, candidates } = this.#selection;
    this.#attendance?.end();
    this.#selection = { candidates };
    await Promise.all([backend?.close(), this.#leases.close()]);
  }

  async #search(): Promise<Selection> {
    clearTimeout(this.#timer);
    const started = performance.now();
    try {
      const found = await this.#select(this.#selection.kind);
      if (this.#closed) await found.backend?.close();
      else this.#consider(found);
    } catch (error) {
      this.#failed(error);
    }
    this.#searched = { at: performance.now(), ms: performance.now() - started };
    if (this.#wantsBetter()) this.#schedule();
    return this.#selection;
  }

  #consider(found: Selection): void {
    this.#tell(found);
    if (found.backend || !this.#selection.backend) this.#take(found);
  }

  /** What is in use stays so. Where there is nothing, this is why. */
  #failed(error: unknown): void {
    const reason = `failed: ${messageOf(error)}`;
    this.#warnOnce(`${SEARCH} ${reason}`);
    if (this.#selection.backend) return;
    this.#selection = { candidates: [{ strategy: SEARCH, outcome: 'declined', reason: `it ${reason}` }] };
  }

  /** What cannot be used is told once, however often it is met. */
  #tell({ candidates }: Selection): void {
    for (const { strategy, outcome, reason } of candidates) {
      if (outcome === 'unsuitable') this.#warnOnce(`${strategy} is not used: ${reason}`);
      if (outcome === 'declined') this.#infoOnce(`${strategy} cannot be used: ${reason}`);
    }
  }

  #take(selection: Selection): void {
    const { backend: old } = this.#selection;
    const { backend, instead } = selection;
    this.#selection = selection;
    this.#attendance?.end();
    this.#attendance =
      backend && new Attendance(backend, this.#logger, () => this.lost(backend, 'it no longer answers'));
    if (old && backend) this.#leases.retire(old);
    if (backend) this.#pause = FIRST_PAUSE_MS;
    if (backend?.label === old?.label) return;
    if (instead !== undefined) {
      this.#logger.warn(instead);
    } else if (backend && this.#served) {
      this.#logger.info(`code runs in ${backend.label} from now on`);
    }
    this.#served ||= backend !== undefined;
    // Whoever listens is the caller's, and may fail at once or later; that is no reason to be without a backend.
    const told = async () => this.#onChange();
    told().catch(error => this.#logger.warn(`nobody could be told of another backend: ${messageOf(error)}`));
  }

  #wantsBetter(): boolean {
    return !this.#selection.backend || this.#selection.instead !== undefined;
  }

  #mayAsk(): boolean {
    return this.#searched.ms < QUICK_SEARCH_MS && performance.now() - this.#searched.at > FIRST_PAUSE_MS;
  }

  #schedule(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.search(), this.#pause);
    this.#timer.unref();
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
  }
}
