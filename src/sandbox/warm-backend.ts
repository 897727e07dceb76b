import type { Plan, Root } from '../policy/plan.js';
import type { Backend, Sandbox } from './backend.js';
import { HeadStart } from './head-start.js';
import { WarmPool, type WarmStats } from './warm.js';

/** A backend that keeps a few sandboxes started ahead of the runs that are likely to come. */
export class WarmBackend implements Backend {
  readonly #backend: Backend;
  readonly #pool: WarmPool;

  /** @param settings `max` sandboxes wait, each for `idleSeconds` */
  constructor(backend: Backend, settings: { max: number; idleSeconds: number }) {
    this.#backend = backend;
    this.#pool = new WarmPool(plan => backend.open(plan), settings.max, settings.idleSeconds * 1000);
  }

  get name() {
    return this.#backend.name;
  }

  get label(): string {
    return this.#backend.label;
  }

  get engine(): Backend['engine'] {
    return this.#backend.engine;
  }

  get places(): Backend['places'] {
    return this.#backend.places;
  }

  get runtimes(): readonly string[] {
    return this.#backend.runtimes;
  }

  get networkFlaw(): string | undefined {
    return this.#backend.networkFlaw;
  }

  get warm(): WarmStats {
    return this.#pool.stats;
  }

  async open(plan: Plan, signal?: AbortSignal): Promise<Sandbox> {
    // Docker takes its isolation rule out for milliseconds while it makes a network: none is made but for a run.
    if (plan.network === 'allow') return this.#backend.open(plan, signal);
    const sandbox = (await this.#pool.take(plan)) ?? (await this.#backend.open(plan, signal));
    // Making the next one keeps the processors and the engine busy, which this run would wait for.
    return new HeadStart(sandbox, () => this.#pool.expect(plan));
  }

  expectedMounts(plan: Plan) {
    return this.#backend.expectedMounts(plan);
  }

  imageRoot(reference: string): Promise<Root> {
    return this.#backend.imageRoot(reference);
  }

  alive(): Promise<boolean> {
    return this.#backend.alive();
  }

  async sweep(): Promise<number> {
    return (await this.#backend.sweep?.()) ?? 0;
  }

  quiesce(): void {
    this.#pool.stop();
  }

  async close(lost?: 'lost'): Promise<void> {
    this.#pool.stop();
    // Those that wait are taken leave of through the backend, unless it is what does not answer.
    if (!lost) await this.#pool.close();
    try {
      await this.#backend.close(lost);
    } finally {
      await this.#pool.close();
    }
  }
}
