import type { EngineClient } from './client.js';
import type { EngineFacts } from './facts.js';

/** What gives a container of Podman's a user-mode network stack of its own. Podman 6 does without it. */
export const STACK = 'slirp4netns';
const LAST_PODMAN_WITH_STACKS = 5;

/**
 * Whether an engine has to make a network for each run that is allowed one. Podman gives each container a user-mode stack of its
 * own where it can, and does so for root as well, for the sake of {@link networkFlaw}.
 * @param tool where {@link STACK} is on this host
 */
export function makesNetworks(facts: EngineFacts, tool: string | undefined): boolean {
  const { kind, rootless, sameKernel, version } = facts;
  if (kind === 'docker') return true;
  const hasStacks = sameKernel && tool !== undefined && Number.parseInt(version, 10) <= LAST_PODMAN_WITH_STACKS;
  return !rootless && !hasStacks;
}

/**
 * What is known to be weak about the networks that an engine makes. netavark (measured on 1.4) takes the rule that keeps all its
 * networks apart away with any of them, until the next one is made: runs met in 65 of 138 attempts.
 */
export function networkFlaw(facts: EngineFacts, tool: string | undefined): string | undefined {
  if (facts.kind === 'docker' || !makesNetworks(facts, tool)) return undefined;
  return `runs may reach each other while others end, since netavark lifts its rules then: install ${STACK} (Podman 4 and 5), or use rootless Podman`;
}

/** Makes a network of one run's own, so that runs do not meet. */
export async function createNetwork(client: EngineClient, name: string, labels: Record<string, string>): Promise<void> {
  if (client.facts.kind === 'podman') {
    const body = { name, driver: 'bridge', labels, options: { isolate: 'true' } };
    await client.request({ method: 'POST', path: '/libpod/networks/create', body });
    return;
  }
  const Options = { 'com.docker.network.bridge.enable_icc': 'false' };
  const body = { Name: name, Driver: 'bridge', CheckDuplicate: true, Labels: labels, Options };
  await client.request({ method: 'POST', path: '/networks/create', body });
}

/** A network as a list shows it. */
export interface NetworkSummary {
  name: string;
  labels: Record<string, string>;
}

/** Networks that carry every one of the labels (`name` or `name=value`). */
export async function listNetworks(client: EngineClient, labels: string[]): Promise<NetworkSummary[]> {
  // Podman's native list names its fields in small letters.
  type Row = { Name?: string; name?: string; Labels?: Record<string, string>; labels?: Record<string, string> };
  const path = client.facts.kind === 'podman' ? '/libpod/networks/json' : '/networks';
  const { body } = await client.request<Row[] | null>({ path, query: { filters: { label: labels } } });
  return (body ?? []).map(row => ({ name: row.Name ?? row.name ?? '', labels: row.Labels ?? row.labels ?? {} }));
}

/** Removes a run's network; one that is gone already is fine. */
export async function removeNetwork(client: EngineClient, name: string): Promise<void> {
  const path = client.facts.kind === 'podman' ? `/libpod/networks/${name}` : `/networks/${name}`;
  await client.request({ method: 'DELETE', path, statusCodes: [200, 204, 404] });
}
