import { StringDecoder } from 'node:string_decoder';
import { CappedBytes } from './capped-bytes.js';

/** Keeps the first `cap` bytes of one stream and drops the rest, so that endless output costs no memory. */
export class Collector {
  readonly #bytes: CappedBytes;
  #truncated = false;

  /** @param cap bytes to keep */
  constructor(cap: number) {
    this.#bytes = new CappedBytes(cap);
  }

  push(chunk: Buffer): void {
    if (this.#bytes.push(chunk) < chunk.length) this.#truncated = true;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  /** The text so far; a byte that is no UTF-8 becomes U+FFFD, a character cut by the cap is left out. */
  text(): string {
    const { kept } = this.#bytes;
    return this.#truncated ? new StringDecoder('utf8').write(kept) : kept.toString('utf8');
  }
}
