import type { Logger, ProcessService } from '../aalis.js';
import type { Config } from '../config/schema.js';
import { EngineBackend, type EngineBackendOptions } from '../engine/backend.js';
import { discover } from '../engine/discover/discover.js';
import type { ProbeReport } from '../probe/report.js';
import type { Backend } from './backend.js';

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
  report?: ProbeReport;
  candidates: Candidate[];
}

/** What looking for a backend takes. */
export interface SelectOptions {
  config: Config;
  process: ProcessService;
  logger: Logger;
  engine: EngineBackendOptions;
  probe(backend: Backend): Promise<ProbeReport>;
}

/** Goes through the candidates in their order and takes the first whose probe passes. */
export async function select(options: SelectOptions): Promise<Selection> {
  const candidates: Candidate[] = [];
  const { engine, socket } = options.config.engine;
  const search = { engine, process: options.process, ...(socket ? { endpoint: socket } : {}) };
  for await (const { client, outcome, ...attempt } of discover(search)) {
    if (!client) {
      candidates.push({ ...attempt, outcome: outcome === 'connected' ? 'declined' : outcome });
      continue;
    }
    const backend = await EngineBackend.over(client, options.engine);
    const report = await options.probe(backend);
    if (report.ok) {
      candidates.push({ ...attempt, outcome: 'taken', report });
      return { backend, report, candidates };
    }
    candidates.push({ ...attempt, outcome: 'unsuitable', reason: report.reason ?? 'its probe failed', report });
    options.logger.warn(`${backend.label} is not used: ${report.reason}`);
    await backend.close();
  }
  return { candidates };
}

/** One sentence for people: why there is no backend. */
export function whyNone(selection: Selection): string {
  const telling = selection.candidates.filter(({ outcome }) => outcome === 'unsuitable' || outcome === 'declined');
  if (telling.length === 0) return 'no container engine was found; install Podman or Docker';
  return telling
    .map(({ strategy, endpoint, reason }) => `${strategy}${endpoint ? ` at ${endpoint}` : ''}: ${reason}`)
    .join('; ');
}
