import type { Sink } from '../supervisor/session.js';
import { messageOf } from './errors.js';

/**
 * Takes a program's output as it comes. A promise that it returns holds the output back until it settles: the program
 * waits where it writes more, and its time goes on.
 */
export type OutputCallback = (chunk: Buffer) => unknown;

/**
 * A callback that throws or rejects is the caller's own fault, and must not break the stream that it is called from.
 * @param tell takes the warning, once
 */
export function guarded(name: string, callback: OutputCallback | undefined, tell: (warning: string) => void): Sink {
  let broken = callback === undefined;
  const fail = (error: unknown) => {
    if (!broken) tell(`${name} threw and is not called any more: ${messageOf(error)}.`);
    broken = true;
  };
  return chunk => {
    if (broken) return;
    try {
      const taken = callback!(chunk);
      if (taken instanceof Promise) return taken.then(() => {}, fail);
    } catch (error) {
      fail(error);
    }
  };
}
