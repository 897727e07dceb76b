import type { EngineClient } from './client.js';

/**
 * Makes a network of one run's own, so that runs do not meet. Rootless Podman needs none: each of its containers has a
 * user-mode network stack of its own.
 */
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
