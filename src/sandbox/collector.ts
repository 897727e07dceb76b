import { StringDecoder } from 'node:string_decoder';

/** Keeps the first `cap` bytes of one stream and drops the rest, so that endless output costs no memory. */
export class Collector {
  readonly #cap: number;
  readonly #chunks: Buffer[] = [];
  #kept = 0;
  #truncated = false;

  /** @param cap bytes to keep */
  constructor(cap: number) {
    this.#cap = cap;
  }

  push(chunk: Buffer): void {
    const room = this.#cap - this.#kept;
    if (chunk.length > room) this.#truncated = true;
    if (room === 0) return;
    // Copied, because a slice would keep the whole buffer of the connection alive.
    const part = Buffer.from(chunk.subarray(0, room));
    this.#chunks.push(part);
    this.#kept += part.length;
    if (this.#chunks.length > 1024) this.#chunks.splice(0, this.#chunks.length, Buffer.concat(this.#chunks));
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  /** The text so far; a byte that is no UTF-8 becomes U+FFFD, a character cut by the cap is left out. */
  text(): string {
    const bytes = Buffer.concat(this.#chunks);
    if (!this.#truncated) return bytes.toString('utf8');
    return new StringDecoder('utf8').write(bytes);
  }
}
