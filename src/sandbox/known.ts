import type { Root } from '../policy/plan.js';
import type { ProbeReport } from '../probe/report.js';

/** Commands that a root is known to have: those that it declares, or that the probe found, if it looked there. Pure. */
export function knownCommands(root: Root, report: ProbeReport | undefined): string[] {
  const declared = Object.keys(root.commands ?? {});
  if (declared.length > 0) return declared;
  return report?.root === rootName(root) ? report.interpreters : [];
}

/** What a report calls the root that was probed. */
export function rootName({ id, name }: Root): string {
  return id ?? name;
}
