import { fromLabels, MARK, NAME_PREFIX, removable } from '../reaper/labels.js';
import { type Owner, ownerState } from '../reaper/owner.js';
import type { EngineClient } from './client.js';
import { listContainers, removeContainer } from './containers.js';
import { listNetworks, removeNetwork } from './network.js';

/** Who sweeps. */
export interface Sweeper {
  owner: Owner;
  instance: string;
  /** Whether this instance still needs what has this name. */
  needs(name: string): boolean;
}

/**
 * Removes containers and networks whose owner is gone or, where that cannot be told, whose deadline has passed, and what
 * this instance itself could not remove at its time. Those of other live owners are never touched.
 * @returns how many containers were removed
 * @throws the first failure, once everything has been tried
 */
export async function sweepEngine(client: EngineClient, sweeper: Sweeper): Promise<number> {
  const containers = (await listContainers(client, [MARK]))
    .filter(({ names, labels }) => names.some(name => isLeft(name, labels, sweeper)))
    .map(({ id }) => removeContainer(client, id));
  const removals = await Promise.allSettled(containers);
  // A network goes when nothing hangs on it any more.
  const networks = (await listNetworks(client, [MARK]))
    .filter(({ name, labels }) => isLeft(name, labels, sweeper))
    .map(({ name }) => removeNetwork(client, name));
  const all = [...removals, ...(await Promise.allSettled(networks))];
  const failed = all.find(removal => removal.status === 'rejected');
  if (failed) throw failed.reason;
  return removals.length;
}

function isLeft(name: string, labels: Record<string, string>, { owner, instance, needs }: Sweeper): boolean {
  const claim = fromLabels(labels);
  // An image can carry labels, too; only what we create has such a name.
  if (!claim || !name.startsWith(`${NAME_PREFIX}${claim.instance}-`)) return false;
  if (claim.instance === instance) return !needs(name);
  return removable(claim, ownerState(claim.owner, owner), Date.now());
}
