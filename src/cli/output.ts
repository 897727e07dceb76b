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
  const decoder = new StringDecoder('utf8');
  // One for all chunks that come before it is noticed that none is taken any more.
  let drained: Promise<void> | undefined;
  return chunk => {
    if (readerGone.aborted || stream.write(stream.isTTY ? printable(decoder.write(chunk)) : chunk)) return;
    drained ??= free(stream).finally(() => {
      drained = undefined;
    });
    return drained;
  };
}

/** Settles when a stream takes more, or never will. */
function free(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise(resolve => {
    const events = ['drain', 'close', 'error'];
    const done = () => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.on(event, done);
  });
}
