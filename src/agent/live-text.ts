import { StringDecoder } from 'node:string_decoder';

/** One stream of a run while it goes on: all of it so far, up to a number of bytes, for any number of readers. */
export class LiveText implements AsyncIterable<string> {
  readonly #decoder = new StringDecoder('utf8');
  #room: number;
  #text = '';
  #over = false;
  #news = Promise.withResolvers<void>();

  /** @param cap bytes that are kept */
  constructor(cap: number) {
    this.#room = cap;
  }

  get text(): string {
    return this.#text;
  }

  push(chunk: Buffer): void {
    if (this.#room === 0) return;
    const part = chunk.subarray(0, this.#room);
    this.#room -= part.length;
    this.#add(this.#decoder.write(part));
  }

  /** Nothing more will come. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#add(this.#room > 0 ? this.#decoder.end() : '');
  }

  #add(text: string): void {
    this.#text += text;
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  /** Everything from the beginning, in pieces as they come, until the run is over. */
  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (let at = 0; ; ) {
      const news = this.#news.promise;
      if (at < this.#text.length) {
        const piece = this.#text.slice(at);
        at = this.#text.length;
        yield piece;
      } else if (this.#over) {
        return;
      } else {
        await news;
      }
    }
  }
}
