import type { Attempt } from './discover.js';

/** Where something was looked for and what came of it, in a line. */
export function lineOf({ strategy, endpoint, reason }: Pick<Attempt, 'strategy' | 'endpoint' | 'reason'>): string {
  return `${strategy}${endpoint ? ` at ${endpoint}` : ''}: ${reason}`;
}
