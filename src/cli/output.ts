import { StringDecoder } from 'node:string_decoder';
import { printable } from '../policy/quote.js';
import type { Sink } from '../supervisor/session.js';

/** 128 and SIGPIPE: what a shell tells of a command whose reader went away. */
export const READER_GONE = 141;

const gone = new AbortController();
/** Aborts when whoever read this command's output has gone (`| head`). */
export const readerGone: globalThis.AbortSignal = gone.signal;

/** To be called before anything is printed: a broken pipe is no crash, and what is under way can still be cleaned up. */
export function watchReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      process.exitCode = READER_GONE;
      gone.abort();
    });
  }
}

/**
 * Where a program's output goes: as it is, but for a terminal, whose cursor, title and clipboard are not the program's to
 * drive. At the pace of its reader.
 */
export function writerTo(stream: NodeJS.WriteStream): Sink {
  if (!stream.isTTY) return chunk => written(stream, chunk);
  const decoder = new StringDecoder('utf8');
  return chunk => written(stream, printable(decoder.write(chunk)));
}

function written(stream: NodeJS.WriteStream, chunk: Buffer | string): Promise<void> | undefined {
  if (readerGone.aborted || stream.write(chunk)) return undefined;
  return new Promise(resolve => {
    const done = () => {
      for (const event of ['drain', 'close', 'error']) stream.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) stream.on(event, done);
  });
}
