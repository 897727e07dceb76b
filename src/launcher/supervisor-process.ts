import { procNames, procText } from '../reaper/proc.js';
import { SUPERVISOR_NAME } from '../supervisor/binary.js';

/** A launcher, perhaps a process that it keeps around, and the supervisor. */
const DEEPEST = 4;

/** What of /proc the question needs; a seam for tests. */
export interface ProcessTree {
  /** The kernel's short name of a process. */
  nameOf(pid: number): string;
  childrenOf(pid: number): number[];
}

/** The real /proc. A process that is gone has no name and no children. */
export const realTree: ProcessTree = {
  nameOf: pid => procText(`/proc/${pid}/comm`).trim(),
  // The kernel lists children by the thread that forked them.
  childrenOf: pid =>
    procNames(`/proc/${pid}/task`).flatMap(thread => {
      const list = procText(`/proc/${pid}/task/${thread}/children`);
      return list.split(' ').filter(Boolean).map(Number);
    }),
};

/**
 * The supervisor that a launcher has started: a descendant that has become the supervisor's program.
 * @returns its pid on the host, or undefined while there is none
 */
export function supervisorBelow(pid: number, tree: ProcessTree = realTree, depth = DEEPEST): number | undefined {
  if (depth === 0) return undefined;
  for (const child of tree.childrenOf(pid)) {
    const found = tree.nameOf(child) === SUPERVISOR_NAME ? child : supervisorBelow(child, tree, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
