import type { SandboxPolicy } from '../aalis.js';
import type { Config } from '../config/schema.js';
import { BOUNDS } from '../policy/bounds.js';
import type { Limits } from '../policy/plan.js';
import { type PolicyConfig, prepareRun } from '../policy/prepare.js';
import { type Ids, NOBODY } from '../policy/user.js';
import { type ProbeInput, probe } from '../probe/probe.js';
import type { ProbeReport } from '../probe/report.js';
import { worstOf } from '../probe/worst.js';
import type { Backend } from './backend.js';
import type { Basis, PolicyBasis } from './basis.js';
import { messageOf } from './errors.js';
import { rootName } from './known.js';
import type { Roots } from './roots.js';

/** Puts a backend to the proof, by runs with the network that is given: default `deny`. @param signal gives it up */
export type Prove = (
  backend: Backend,
  network?: SandboxPolicy['network'],
  signal?: AbortSignal,
) => Promise<ProbeReport>;

/** Requests of the probe go the way of every real run. */
export function prover(config: Config, basis: Basis, roots: Roots): Prove {
  return async (backend, network = 'deny', signal) => {
    try {
      const facts = await basis.facts(backend);
      const root = await roots.rootFor(backend, '');
      const prove = (input: ProbeInput) => backend.prove?.(input) ?? probe(input);
      const probeAs = (owner: Ids | undefined) =>
        prove({
          backend,
          prepare: (request, limits) => prepareRun(request, { ...facts, config: forProbe(facts.config, limits), root }),
          controlSockets: facts.hazards.hazards.filter(({ what }) => what.includes('socket')).map(({ path }) => path),
          network,
          allowDegraded: config.engine.allowDegraded,
          deadlineMs: config.limits.probeMs,
          ...(owner ? { owner } : {}),
          ...(signal ? { signal } : {}),
        });
      return { ...worstOf(await Promise.all(ownersOf(facts, network).map(probeAs))), root: rootName(root) };
    } catch (error) {
      const reason = messageOf(error);
      const nothing = { guarantees: [], interpreters: [], ok: false, degraded: false, durationMs: 0 };
      return { backend: backend.name, ...nothing, reason };
    }
  };
}

/**
 * The policy for the probe's own runs. What an operator has set narrowly binds requests: a shorter time limit than the
 * probe needs would leave no backend, and so would a hundredth of a processor, which one is tried with all the same. Pure.
 */
export function forProbe(config: PolicyConfig, limits: Partial<Limits>): PolicyConfig {
  const cpus = config.limits.cpus && Math.max(1, config.limits.cpus);
  return { ...config, maxTimeoutMs: BOUNDS.timeoutMs, limits: { ...config.limits, cpus, ...limits } };
}

/**
 * Whose the probe's folders must be, for code to run in them as it does in real runs; undefined is this process's user.
 * Where it depends on the folder, both kinds are tried: uid 0 owns what another cannot write, and escapes other checks.
 * With a network one is enough: it is the same for both, and the rest is proven for both without one.
 */
function ownersOf({ service, engine, config }: PolicyBasis, network: SandboxPolicy['network']): Array<Ids | undefined> {
  if (service.uid !== 0) return [undefined];
  const fixed = engine.user ?? config.runAs;
  if (fixed) return [fixed];
  if (config.rootFolders === 'refuse') return [NOBODY];
  return network === 'allow' ? [undefined] : [undefined, NOBODY];
}
