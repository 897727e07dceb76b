import type { Kind } from '../sandbox/ways.js';
import type { Config } from './schema.js';

/** The kinds of backends that may be used, in the order in which they are tried. */
export function kindsOf({ order, fallback }: Pick<Config, 'order' | 'fallback'>): Kind[] {
  const kinds = order.split(',').map(kind => kind.trim()) as Kind[];
  return fallback === 'none' ? kinds.filter(kind => kind !== 'os') : kinds;
}
