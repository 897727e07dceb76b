import type { Backend } from './backend.js';

/** Who uses which backend, so that one that is replaced stays open until its last run is over. */
export class Leases {
  readonly #users = new Map<Backend, number>();
  readonly #retired = new Set<Backend>();
  readonly #failed: (backend: Backend, error: Error) => void;

  /** @param failed told when closing a backend fails */
  constructor(failed: (backend: Backend, error: Error) => void) {
    this.#failed = failed;
  }

  take(backend: Backend): void {
    this.#users.set(backend, (this.#users.get(backend) ?? 0) + 1);
  }

  giveBack(backend: Backend): void {
    const users = this.#users.get(backend)! - 1;
    if (users > 0) this.#users.set(backend, users);
    else this.#users.delete(backend);
    this.#closeUnused(backend);
  }

  /** Closes a backend when nobody uses it any more. */
  retire(backend: Backend): void {
    backend.quiesce?.();
    this.#retired.add(backend);
    this.#closeUnused(backend);
  }

  /** Closes the retired ones, whoever uses them. */
  async close(): Promise<void> {
    await Promise.all([...this.#retired].map(backend => backend.close()));
  }

  #closeUnused(backend: Backend): void {
    if (this.#users.has(backend) || !this.#retired.delete(backend)) return;
    backend.close().catch(error => this.#failed(backend, error));
  }
}
