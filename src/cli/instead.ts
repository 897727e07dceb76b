import { marked } from '../sandbox/result.js';
import type { Selection } from '../sandbox/select.js';

/** Says on stderr that code runs in something else than what comes first in the order. With -v the log says it already. */
export function tellInstead({ instead }: Pick<Selection, 'instead'>, verbose = false): void {
  if (instead !== undefined && !verbose) console.error(marked(instead));
}
