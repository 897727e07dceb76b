import type { Readable, Writable } from 'node:stream';
import { encodeFrame, type Program } from './frame.js';
import { newNonce, type Trailer, TrailerSplitter } from './trailer.js';

/** Takes chunks of one stream. As long as a promise that it gave is pending (it never rejects), no more are read. */
export type Sink = (chunk: Buffer) => Promise<void> | void;

/** Hands what a stream delivers to a sink, at the sink's pace. */
export function pump(stream: Readable, sink: Sink): void {
  stream.on('data', (chunk: Buffer) => {
    const taken = sink(chunk);
    if (!taken) return;
    stream.pause();
    taken.then(() => stream.resume());
  });
}

/** The connection to a supervisor that waits for its frame, whatever it goes through. */
export interface Channel {
  /** Leads to the supervisor's stdin. */
  input: Writable;
  /**
   * Hands on what the supervisor's stdout and stderr deliver, and settles at the end of both, or when the connection
   * breaks; never rejects.
   */
  read(stdout: Sink, stderr: Sink): Promise<void>;
}

/**
 * Hands a program to a supervisor and follows it to its end.
 * @returns the supervisor's closing word, or undefined where it could not give one
 */
export async function converse(
  channel: Channel,
  program: Program,
  sinks: { stdout: Sink; stderr: Sink; began?(): void },
  stdin?: NodeJS.ReadableStream,
): Promise<Trailer | undefined> {
  const nonce = newNonce();
  let taken: Promise<void> | void;
  const splitter = (sink: Sink) =>
    new TrailerSplitter(nonce, chunk => {
      taken = sink(chunk);
    });
  const [stdout, stderr] = [splitter(sinks.stdout), splitter(sinks.stderr)];
  const over = new Promise<void>((resolve, reject) => {
    const feed = (splitter: TrailerSplitter) => (chunk: Buffer) => {
      taken = undefined;
      try {
        splitter.push(chunk);
      } catch (error) {
        reject(error);
      }
      // The trailers are the end: nothing is alive any more, however long the connection stays.
      if (stdout.trailer && stderr.trailer) resolve();
      return taken;
    };
    channel.read(feed(stdout), feed(stderr)).then(resolve);
  });
  channel.input.write(encodeFrame({ ...program, nonce }));
  sinks.began?.();
  // A program may leave its stdin unread: EPIPE and ECONNRESET are no failures.
  channel.input.on('error', () => {});
  // Not a pipeline: where the source breaks off, that would close the input, and the program take it for the end.
  stdin?.pipe(channel.input);
  await over;
  stdin?.unpipe(channel.input);
  stdout.end();
  stderr.end();
  return stdout.trailer ?? stderr.trailer;
}
