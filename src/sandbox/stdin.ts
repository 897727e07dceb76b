import type { Readable } from 'node:stream';
import { type Joined, joined } from './joined.js';

/** Streams whose program is over: that they close is no news. */
const done = new WeakSet<NodeJS.ReadableStream>();

/** To be called when the program is over: nobody reads the rest. */
export function letGoOf(stdin: NodeJS.ReadableStream | undefined): void {
  if (!stdin) return;
  done.add(stdin);
  (stdin as Partial<Readable>).destroy?.();
}

/**
 * Watches a stream that was handed over as a program's stdin, from the moment that it was: it may break off before there
 * is a program.
 * @param broken called when it ends in any way but by its end
 */
export function watchStdin(stdin: NodeJS.ReadableStream | undefined, broken: () => void): Disposable {
  if (!stdin) return { [Symbol.dispose]: () => {} };
  const { errored, destroyed } = stdin as Readable;
  const ended = () => (stdin as Readable).readableEnded;
  const onClose = () => ended() || done.has(stdin) || broken();
  if (errored || (destroyed && !ended())) broken();
  stdin.on('error', broken);
  stdin.on('close', onClose);
  // Whatever becomes of the run: a stream that fails later must not end this process.
  stdin.on('error', () => {});
  return {
    [Symbol.dispose]: () => {
      stdin.off('error', broken);
      stdin.off('close', onClose);
    },
  };
}

/** What ends a run from outside: one of several signals, or a stdin that breaks off. */
export function endingOf(stdin: NodeJS.ReadableStream | undefined, ...signals: Array<AbortSignal | undefined>): Joined {
  const ending = joined(...signals);
  const watch = watchStdin(stdin, () => ending.abort());
  return {
    ...ending,
    [Symbol.dispose]: () => {
      watch[Symbol.dispose]();
      ending[Symbol.dispose]();
    },
  };
}
