const LEAST_ROOM = 4096;

/** The first bytes of a stream, up to a cap, in one piece that grows as they come. */
export class CappedBytes {
  readonly #cap: number;
  #room = Buffer.alloc(0);
  #length = 0;

  /** @param cap bytes that are kept */
  constructor(cap: number) {
    this.#cap = cap;
  }

  /** Copies what there is room for: a slice would keep the whole buffer of a connection alive. @returns how much that was */
  push(chunk: Buffer): number {
    const part = chunk.subarray(0, this.#cap - this.#length);
    this.#grow(this.#length + part.length);
    part.copy(this.#room, this.#length);
    this.#length += part.length;
    return part.length;
  }

  /** All of it so far; valid until the next push. */
  get kept(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  get full(): boolean {
    return this.#length === this.#cap;
  }

  #grow(length: number): void {
    if (length <= this.#room.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#cap, Math.max(LEAST_ROOM, 2 * length)));
    this.kept.copy(larger);
    this.#room = larger;
  }
}
