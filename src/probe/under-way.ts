/** What the probe is waiting for, so that one which comes to no end can say where it stopped. */
export class UnderWay {
  readonly #begun = new Map<string, number>();

  /** Settles as `work` does, which is told as `what` until then. */
  async during<T>(what: string, work: Promise<T>): Promise<T> {
    this.#begun.set(what, performance.now());
    try {
      return await work;
    } finally {
      this.#begun.delete(what);
    }
  }

  /** What began first comes first. */
  toString(): string {
    const now = performance.now();
    return [...this.#begun].map(([what, begun]) => `${what} (for ${Math.round(now - begun)} ms)`).join(', ');
  }
}
