import type { Mount } from './plan.js';
import { isWithin } from './walk.js';

/** The writable mounts that lie in no other one: all that code can write is in them. */
export function writableTops(mounts: readonly Mount[]): Mount[] {
  const writable = mounts.filter(({ mode }) => mode === 'rw');
  return writable.filter(
    ({ source }, at) =>
      !writable.some((other, index) => isWithin(source, other.source) && (source !== other.source || index < at)),
  );
}
