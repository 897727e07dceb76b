import type { Config } from '../config/schema.js';
import { prepareRun } from '../policy/prepare.js';
import { NOBODY } from '../policy/user.js';
import { probe } from '../probe/probe.js';
import type { ProbeReport } from '../probe/report.js';
import type { Backend } from './backend.js';
import type { Basis, PolicyBasis } from './basis.js';
import type { Roots } from './roots.js';

/** Puts a backend to the proof, with requests that go the way of every real run. */
export function prover(config: Config, basis: Basis, roots: Roots): (backend: Backend) => Promise<ProbeReport> {
  return async backend => {
    try {
      const facts = await basis.facts(backend);
      const root = await roots.rootFor(backend, '');
      const owner = probeOwner(facts);
      return await probe({
        backend,
        prepare: (request, limits) => {
          const policy = { ...facts.config, limits: { ...facts.config.limits, ...limits } };
          return prepareRun(request, { ...facts, config: policy, root });
        },
        controlSockets: facts.hazards.hazards.filter(({ what }) => what.includes('socket')).map(({ path }) => path),
        allowDegraded: config.engine.allowDegraded,
        ...(owner ? { owner } : {}),
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return {
        backend: backend.name,
        guarantees: [],
        interpreters: [],
        ok: false,
        degraded: false,
        durationMs: 0,
        reason,
      };
    }
  };
}

/** Whose the probe's folders must be, for code to run in them as it does in real runs. */
function probeOwner({ service, engine, config }: PolicyBasis): { uid: number; gid: number } | undefined {
  if (service.uid !== 0) return undefined;
  return engine.user ?? config.runAs ?? (config.rootFolders === 'refuse' ? NOBODY : undefined);
}
