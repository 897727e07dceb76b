import type { Logger } from '../aalis.js';
import { kindsOf } from '../config/order.js';
import { lineOf } from '../engine/discover/line.js';
import type { ProbeReport } from '../probe/report.js';
import type { Backend } from './backend.js';
import { type Kind, WAYS, type WayOptions } from './ways.js';

/** One thing that was tried, and what came of it: what `doctor` shows. */
export interface Candidate {
  /** How it was looked for, such as `DOCKER_HOST` or `rootless Podman`. */
  strategy: string;
  endpoint?: string;
  outcome: 'taken' | 'unsuitable' | 'declined' | 'not-applicable';
  reason: string;
  report?: ProbeReport;
}

/** The backend in use, or why there is none. */
export interface Selection {
  backend?: Backend;
  /** What kind it is of. */
  kind?: Kind;
  report?: ProbeReport;
  /** Says, where what was found is not of the kind that comes first in the order, what is missing, why, and what serves. */
  instead?: string;
  candidates: Candidate[];
}

/** What looking for a backend takes. */
export interface SelectOptions extends WayOptions {
  logger: Logger;
  probe(backend: Backend): Promise<ProbeReport>;
}

/**
 * Goes through the candidates in their order and takes the first whose probe passes.
 * @param before look only at kinds that are preferred to this one
 */
export async function select(options: SelectOptions, before?: Kind): Promise<Selection> {
  const candidates: Candidate[] = [];
  const [first] = kindsOf(options.config);
  for (const kind of preferredKinds(options.config, before)) {
    for await (const { backend, ...find } of WAYS[kind](options)) {
      if (!backend) {
        candidates.push({ ...find, outcome: find.outcome === 'found' ? 'declined' : find.outcome });
        continue;
      }
      const report = await options.probe(backend);
      if (report.ok) {
        candidates.push({ ...find, outcome: 'taken', report });
        const instead = kind === first ? {} : { instead: insteadOf(first!, backend, candidates) };
        return { backend, kind, report, candidates, ...instead };
      }
      candidates.push({ ...find, outcome: 'unsuitable', reason: report.reason ?? 'its probe failed', report });
      await backend
        .close()
        .catch(error => options.logger.debug(`closing ${backend.label} failed: ${(error as Error).message}`));
    }
  }
  return { candidates };
}

/** The kinds that may be used, in the configured order, down to but without `before`. */
function preferredKinds(config: Parameters<typeof kindsOf>[0], before?: Kind): Kind[] {
  const kinds = kindsOf(config);
  return before === undefined ? kinds : kinds.slice(0, kinds.indexOf(before));
}

/** One sentence for people: why there is no backend. */
export function whyNone(selection: Selection): string {
  return (
    reasonsIn(selection.candidates) ||
    'nothing was found that isolates code; install Podman or Docker, or on Linux crun or bubblewrap'
  );
}

function insteadOf(first: Kind, { label }: Backend, candidates: Candidate[]): string {
  return `nothing of the kind ${first} is usable (${reasonsIn(candidates) || 'none was found'}), so code runs in ${label}`;
}

/** Empty where nothing was there that could have been used. */
function reasonsIn(candidates: Candidate[]): string {
  const telling = candidates.filter(({ outcome }) => outcome === 'unsuitable' || outcome === 'declined');
  return telling.map(lineOf).join('; ');
}
