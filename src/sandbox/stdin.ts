import type { Readable } from 'node:stream';

/**
 * Watches a stream that was handed over as a program's stdin, from the moment that it was: it may break off before there
 * is a program.
 * @param broken called when it ends in any way but by its end
 */
export function watchStdin(stdin: NodeJS.ReadableStream | undefined, broken: () => void): Disposable {
  if (!stdin) return { [Symbol.dispose]: () => {} };
  const { errored, destroyed } = stdin as Readable;
  const ended = () => (stdin as Readable).readableEnded;
  const onClose = () => ended() || broken();
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
