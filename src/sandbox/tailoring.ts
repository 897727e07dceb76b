import type { Limits } from '../policy/plan.js';
import type { PolicyFacts, PreparedRun } from '../policy/prepare.js';
import type { Backend } from './backend.js';
import type { Lease } from './presence.js';
import { requireRuntime } from './runtime.js';

/** What one run has otherwise than the contract and the configuration say; `agent/` builds on it. */
export interface Tailoring {
  limits?: Partial<Limits>;
  /** Image, by its name in the catalog, or by reference or id of the engine. */
  image?: string;
  /** OCI runtime of the engine, by name. */
  runtime?: string;
  /** See {@link PolicyFacts.places}. */
  places?(backend: Backend): Readonly<Record<string, string>>;
  protect?: boolean;
  /**
   * Called when everything is checked and a slot is free, and before anything exists: makes what the run needs on the
   * host, and adds it. The lease is the run's own, whatever becomes of the backend later.
   */
  furnish?(prepared: PreparedRun, lease: Pick<Lease, 'backend' | 'report'>): Promise<PreparedRun>;
}

/**
 * What the policy goes by for one run. Pure.
 * @throws BackendUnavailable when the backend lacks the runtime
 */
export function tailor(facts: PolicyFacts, backend: Backend, tailoring: Tailoring): PolicyFacts {
  if (tailoring.runtime !== undefined) requireRuntime(backend, tailoring.runtime);
  const { limits, runtime, protect = facts.config.protect, places } = tailoring;
  const config = {
    ...facts.config,
    limits: { ...facts.config.limits, ...limits },
    ...(runtime === undefined ? {} : { runtime }),
    protect,
  };
  return { ...facts, config, ...(places ? { places: places(backend) } : {}) };
}
