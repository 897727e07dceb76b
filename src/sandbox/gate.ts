/** Lets a stream be held back, until a run is ended from outside: then nothing may hold up its end. */
export class Gate {
  readonly #waiting = new Set<() => void>();
  #open = false;

  /** Settles with `taken`, or when the gate is opened; undefined where there is nothing to wait for. Never rejects. */
  hold(taken: unknown): Promise<void> | undefined {
    if (this.#open || !(taken instanceof Promise)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const pass = () => {
      this.#waiting.delete(pass);
      resolve();
    };
    this.#waiting.add(pass);
    taken.then(pass, pass);
    return promise;
  }

  /** For good. */
  open(): void {
    this.#open = true;
    for (const pass of this.#waiting) pass();
  }
}
