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
export function guarded<T>(
  name: string,
  callback: ((value: T) => unknown) | undefined,
  tell: (warning: string) => void,
): (value: T) => Promise<void> | void {
  let broken = callback === undefined;
  const fail = (error: unknown) => {
    if (!broken) tell(`${name} threw and is not called any more: ${messageOf(error)}.`);
    broken = true;
  };
  return value => {
    if (broken) return;
    try {
      const taken = callback!(value);
      if (taken instanceof Promise) return taken.then(() => {}, fail);
    } catch (error) {
      fail(error);
    }
  };
}
