import type { EngineClient } from './client.js';
import type { EngineFacts } from './facts.js';

/** A program that gives a container of Podman's a user-mode network stack of its own. */
export type StackName = 'slirp4netns' | 'pasta';

/** The same with its options. */
export interface Stack {
  name: StackName;
  /** Whatever containers.conf says, the host's loopback stays closed, and so do its other addresses where there is a way. */
  options: string[];
}

/** pasta refuses to start where containers.conf leads ports in or out. */
const PASTA = ['--no-map-gw', '-t', 'none', '-u', 'none', '-T', 'none', '-U', 'none'];
/** From Podman 5.3 on pasta would show the host's own address as 169.254.1.2, unless it is told not to. */
const NEWER_PASTA = [...PASTA, '--map-host-loopback', 'none', '--map-guest-addr', 'none'];

/**
 * Which of them a run that is allowed a network gets; undefined where a network has to be made for it. Podman 4 and 5 can have
 * slirp4netns, for root as well (see {@link networkFlaw}); pasta is there from 4.4 on, for rootless Podman only.
 * @param isThere whether this host has it; another host's programs cannot be looked for
 */
export function stackOf(facts: EngineFacts, isThere: (stack: StackName) => boolean): Stack | undefined {
  const { kind, rootless, sameKernel, version } = facts;
  if (kind === 'docker') return undefined;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isFrom = (least: [number, number]) => major > least[0] || (major === least[0] && minor >= least[1]);
  const slirp4netns: Stack = { name: 'slirp4netns', options: ['allow_host_loopback=false'] };
  const pasta: Stack = { name: 'pasta', options: isFrom([5, 3]) ? NEWER_PASTA : PASTA };
  if (sameKernel && !isFrom([6, 0]) && isThere('slirp4netns')) return slirp4netns;
  if (!rootless) return undefined;
  if (sameKernel && isFrom([4, 4]) && isThere('pasta')) return pasta;
  // Its own default: where it is not there, Podman says so.
  return isFrom([5, 0]) ? pasta : slirp4netns;
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
