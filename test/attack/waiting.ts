import { EngineClient } from '../../src/engine/client.js';
import { inspectContainer, killContainer, listContainers } from '../../src/engine/containers.js';
import { realTree, supervisorBelow } from '../../src/launcher/supervisor-process.js';
import { fromLabels, MARK } from '../../src/reaper/labels.js';
import { leftovers, type Target } from '../support/targets.js';

/** This process's sandboxes on a target, past the package: as somebody with rights on the engine sees them. */
export interface Onlooker {
  /** Ids of those that are up. */
  up(): Promise<string[]>;
  /** Kills one by hand. */
  kill(id: string): Promise<void>;
  /** What there is of them, in any state. */
  left(): Promise<unknown[]>;
  close(): Promise<void>;
}

export async function onlooker(target: Target): Promise<Onlooker> {
  return target.socket ? atEngine(await EngineClient.connect({ socketPath: target.socket })) : atHost(target);
}

function atEngine(client: EngineClient): Onlooker {
  const left = async () => {
    const all = await listContainers(client, [MARK]);
    return all.filter(({ labels }) => fromLabels(labels)?.owner.pid === process.pid);
  };
  return {
    left,
    up: async () => {
      const states = await Promise.all((await left()).map(({ id }) => inspectContainer(client, id)));
      return states.filter(state => state?.running).map(state => state!.id);
    },
    kill: id => killContainer(client, id),
    close: () => client.close(),
  };
}

function atHost(target: Target): Onlooker {
  return {
    left: async () => leftovers(target),
    up: async () =>
      realTree
        .childrenOf(process.pid)
        .flatMap(child => supervisorBelow(child) ?? [])
        .map(String),
    kill: async pid => {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch (error) {
        // The one before it was on its way out when it was seen.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    },
    close: async () => {},
  };
}
