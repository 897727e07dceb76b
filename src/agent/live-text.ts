import { StringDecoder } from 'node:string_decoder';
import { CappedBytes } from '../sandbox/capped-bytes.js';

/**
 * One stream of a run while it goes on: all of it so far, up to a number of bytes, for any number of readers. Kept as bytes,
 * since a piece of a growing string keeps a copy of all that came before it alive.
 */
export class LiveText implements AsyncIterable<string> {
  readonly #bytes: CappedBytes;
  #over = false;
  #news = Promise.withResolvers<void>();

  /** @param cap bytes that are kept */
  constructor(cap: number) {
    this.#bytes = new CappedBytes(cap);
  }

  get text(): string {
    const decoder = new StringDecoder('utf8');
    return decoder.write(this.#bytes.kept) + this.#rest(decoder);
  }

  push(chunk: Buffer): void {
    if (this.#bytes.push(chunk) > 0) this.#tell();
  }

  /** Nothing more will come. */
  end(): void {
    this.#over = true;
    this.#tell();
  }

  /** Everything from the beginning, in pieces as they come, until the run is over. */
  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    const decoder = new StringDecoder('utf8');
    for (let at = 0; ; ) {
      const { promise: news } = this.#news;
      const over = this.#over;
      const { kept } = this.#bytes;
      const piece = decoder.write(kept.subarray(at)) + this.#rest(decoder);
      at = kept.length;
      if (piece !== '') yield piece;
      if (over) return;
      await news;
    }
  }

  /** A character that the stream broke off in; one that the cap cuts is left out. */
  #rest(decoder: StringDecoder): string {
    return this.#over && !this.#bytes.full ? decoder.end() : '';
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}
