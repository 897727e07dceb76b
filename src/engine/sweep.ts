import { fromLabels, MARK, NAME_PREFIX, removable } from '../reaper/labels.js';
import { type Owner, ownerState } from '../reaper/owner.js';
import type { EngineClient } from './client.js';
import { listContainers, removeContainer } from './containers.js';
import { removeNetwork } from './network.js';

/**
 * Removes containers whose owner is gone or, where that cannot be told, whose deadline has passed, and their networks.
 * Those of live owners are never touched.
 * @returns how many containers were removed
 */
export async function sweepEngine(client: EngineClient, self: Owner): Promise<number> {
  let removed = 0;
  for (const { id, names, labels } of await listContainers(client, [MARK])) {
    const claim = fromLabels(labels);
    const name = names.find(candidate => candidate.startsWith(NAME_PREFIX));
    // An image can carry labels, too; only what we create has such a name.
    if (!claim || !name?.startsWith(`${NAME_PREFIX}${claim.instance}-`)) continue;
    if (!removable(claim, ownerState(claim.owner, self), Date.now())) continue;
    await removeContainer(client, id);
    removed += 1;
  }
  await sweepNetworks(client, self);
  return removed;
}

async function sweepNetworks(client: EngineClient, self: Owner): Promise<void> {
  type Row = { Name?: string; name?: string; Labels?: Record<string, string>; labels?: Record<string, string> };
  const path = client.facts.kind === 'podman' ? '/libpod/networks/json' : '/networks';
  const { body } = await client.request<Row[] | null>({ path, query: { filters: { label: [MARK] } } });
  for (const row of body ?? []) {
    const claim = fromLabels(row.Labels ?? row.labels ?? {});
    const name = row.Name ?? row.name ?? '';
    if (!claim || !name.startsWith(`${NAME_PREFIX}${claim.instance}-`)) continue;
    if (removable(claim, ownerState(claim.owner, self), Date.now())) await removeNetwork(client, name);
  }
}
