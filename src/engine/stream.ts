/**
 * Takes apart the stream that an engine's attach delivers for a container without a terminal: frames of an eight-byte
 * header (stream number, three zero bytes, length in big endian) and a payload. Payload goes on as it arrives, never
 * copied, so memory is flat and neither the size nor the split of the chunks matters.
 * Source: the Docker Engine API's "Stream format" of ContainerAttach; Podman speaks the same.
 */
export class Demultiplexer {
  readonly #header = Buffer.alloc(8);
  #headerBytes = 0;
  #payloadLeft = 0;
  readonly #stdout: (chunk: Buffer) => void;
  readonly #stderr: (chunk: Buffer) => void;

  constructor(stdout: (chunk: Buffer) => void, stderr: (chunk: Buffer) => void) {
    this.#stdout = stdout;
    this.#stderr = stderr;
  }

  /** @throws Error when the bytes are no such stream (another protocol, or a broken connection). */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#payloadLeft === 0) {
        at += this.#readHeader(chunk, at);
        continue;
      }
      const end = Math.min(chunk.length, at + this.#payloadLeft);
      const payload = chunk.subarray(at, end);
      this.#payloadLeft -= payload.length;
      at = end;
      if (this.#header[0] === 2) this.#stderr(payload);
      else this.#stdout(payload);
    }
  }

  #readHeader(chunk: Buffer, at: number): number {
    const copied = chunk.copy(this.#header, this.#headerBytes, at, at + 8 - this.#headerBytes);
    this.#headerBytes += copied;
    if (this.#headerBytes < 8) return copied;
    const stream = this.#header[0]!;
    if (stream > 2 || this.#header.readUIntBE(1, 3) !== 0) {
      throw new Error(`the engine's attach stream is broken: frame header ${this.#header.toString('hex')}`);
    }
    this.#headerBytes = 0;
    this.#payloadLeft = this.#header.readUInt32BE(4);
    return copied;
  }
}
