import type { EngineClient } from './client.js';
import type { EngineFacts } from './facts.js';

/** Programs that give a container of Podman's a user-mode network stack of its own. */
export type Stack = 'slirp4netns' | 'pasta';

/**
 * Which of them a run that is allowed a network gets; undefined where a network has to be made for it. Podman 4 and 5 can have
 * slirp4netns, for root as well (see {@link networkFlaw}); pasta is there from 4.4 on, for rootless Podman only.
 * @param isThere whether this host has it; another host's programs cannot be looked for
 */
export function stackOf(facts: EngineFacts, isThere: (stack: Stack) => boolean): Stack | undefined {
  const { kind, rootless, sameKernel, version } = facts;
  if (kind === 'docker') return undefined;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (sameKernel && major < 6 && isThere('slirp4netns')) return 'slirp4netns';
  if (!rootless) return undefined;
  if (sameKernel && (major > 4 || minor >= 4) && isThere('pasta')) return 'pasta';
  // Its own default: where it is not there, Podman says so.
  return major > 4 ? 'pasta' : 'slirp4netns';
}

/**
 * What is known to be weak about the networks that an engine makes. netavark (measured on 1.4) takes the rule that keeps all its
 * networks apart away with any of them, until the next one is made: runs met in 65 of 138 attempts.
 */
export function networkFlaw(facts: EngineFacts, stack: Stack | undefined): string | undefined {
  if (facts.kind === 'docker' || stack) return undefined;
  return 'runs may reach each other while others end, since netavark lifts its rules then: install slirp4netns (Podman 4 and 5), or use rootless Podman';
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
