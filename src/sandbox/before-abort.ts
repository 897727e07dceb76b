/**
 * The work's own outcome, or the signal's reason as soon as that is aborted.
 * @param late Gets what the work yields after that, to put it away.
 */
export function beforeAbort<T>(work: Promise<T>, signal?: AbortSignal, late?: (value: T) => void): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason);
      if (late) work.then(late, () => {});
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    // At once: what was handed on is not put away as well.
    const settle =
      <V>(how: (value: V) => void) =>
      (value: V) => {
        signal.removeEventListener('abort', abort);
        how(value);
      };
    work.then(settle(resolve), settle(reject));
  });
}
