import type { ProcessService } from '../../aalis.js';
import type { Mount, Plan } from '../../policy/plan.js';
import { BackendUnavailable } from '../../sandbox/errors.js';
import { hostFacts } from '../host-facts.js';
import type { Confinement, Limiter } from '../limits/limiter.js';
import { LaunchedSandbox } from '../sandbox.js';
import { hasState, type Places, removeBundle, writeBundle } from './bundle.js';
import type { RuntimeConfig } from './config.js';
import { explainRuntime } from './explain.js';
import { joinNetwork } from './network.js';
import { type Runtime, WITHHELD } from './runtime.js';

/** How long a runtime may take to remove what one that was killed has left. */
const REMOVE_MS = 10_000;

/** All that one container takes. */
export interface ContainerParts {
  id: string;
  plan: Plan;
  process: ProcessService;
  runtime: Runtime;
  places: Places;
  limiter: Limiter;
  /** @param cgroups the container's own part of the cgroup tree */
  config(cgroups: readonly Mount[]): RuntimeConfig;
  /** Called once, when all of it is gone. */
  onRemoved(): void;
}

/**
 * Starts a container whose supervisor waits.
 * @throws BackendUnavailable when the runtime makes none
 */
export async function startContainer(parts: ContainerParts, signal?: AbortSignal): Promise<LaunchedSandbox> {
  const { id, plan, process: service, runtime, places } = parts;
  const container = await confine(parts);
  let leaveNetwork = () => {};
  const launch = {
    id,
    image: plan.root.id ?? plan.root.name,
    process: service,
    command: container.command,
    env: WITHHELD,
    adopt: async (pid: number) => {
      await container.confinement.adopt(pid);
      if (plan.network === 'allow') leaveNetwork = await joinNetwork(service, pid);
    },
    explain: (complaint: string) => new BackendUnavailable(explainRuntime(runtime.name, complaint, hostFacts())),
    oomKilled: () => container.confinement.oomKilled(),
    remove: async () => {
      leaveNetwork();
      try {
        if (await hasState(places, id)) {
          const [name, ...args] = runtime.remove(places.state, id);
          await service.execFile(name, args, { timeout: REMOVE_MS });
        }
      } finally {
        await container.remove();
      }
    },
  };
  return LaunchedSandbox.start(launch, signal);
}

interface Confined {
  confinement: Confinement;
  command: [string, ...string[]];
  remove(): Promise<void>;
}

async function confine({ id, plan, limiter, places, runtime, config, onRemoved }: ContainerParts): Promise<Confined> {
  let confinement: Confinement | undefined;
  const remove = async () => {
    try {
      await Promise.all([removeBundle(places, id), confinement?.remove()]);
    } finally {
      onRemoved();
    }
  };
  try {
    confinement = await limiter.confine(id, plan.limits);
    const bundle = await writeBundle(places, id, config(confinement.mounts));
    return { confinement, command: [...confinement.prefix, ...runtime.run(places.state, bundle, id)] as never, remove };
  } catch (error) {
    await remove().catch(() => {});
    throw error;
  }
}
