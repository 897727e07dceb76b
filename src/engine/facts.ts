import { release } from 'node:os';
import type { EngineClient } from './client.js';
import { EngineFailure } from './failure.js';

/** What an engine says about itself. */
export interface EngineFacts {
  kind: 'docker' | 'podman';
  version: string;
  /** Of Docker's API; Podman states the version that it is compatible with. */
  apiVersion: string;
  rootless: boolean;
  /** In Node's words (`x64`, `arm64`). */
  architecture: string;
  cgroupVersion: 1 | 2;
  /** Names of the OCI runtimes in its configuration; Podman also lists ones that are not installed. */
  runtimes: string[];
  defaultRuntime: string;
  /** Name of the default seccomp profile; undefined when the engine applies none. */
  seccomp: string | undefined;
  selinux: boolean;
  operatingSystem: string;
  /** Whether its kernel has the release of this host's: false means a virtual machine or another host. */
  sameKernel: boolean;
  storageDriver: string;
  /** Folder of its images and containers, as the engine sees it. */
  storageRoot: string;
  warnings: string[];
}

/** The fields of `GET /info` that are read here; Podman answers the same call in the same words. */
export interface Info {
  ServerVersion: string;
  Architecture: string;
  CgroupVersion?: string;
  Runtimes?: Record<string, unknown>;
  DefaultRuntime?: string;
  SecurityOptions?: string[] | null;
  Rootless?: boolean;
  OperatingSystem: string;
  OSType?: string;
  KernelVersion: string;
  Driver: string;
  DockerRootDir?: string;
  Warnings?: string[] | null;
}

const ARCHITECTURES: Record<string, string> = { x86_64: 'x64', amd64: 'x64', aarch64: 'arm64' };

/** An architecture in Node's words, from the kernel's (`x86_64`) or Go's (`amd64`). */
export function nodeArchitecture(name: string): string {
  return ARCHITECTURES[name] ?? name;
}

/** Facts from the answers to `/_ping` (headers) and `/info`. */
function readFacts(kind: EngineFacts['kind'], apiVersion: string, info: Info): EngineFacts {
  const security = (info.SecurityOptions ?? []).map(option => new URLSearchParams(option.replaceAll(',', '&')));
  const option = (name: string) => security.find(entry => entry.get('name') === name);
  const seccomp = option('seccomp');
  const seccompProfile = seccomp && (seccomp.get('profile') ?? 'default');
  return {
    kind,
    version: info.ServerVersion,
    apiVersion,
    rootless: info.Rootless === true || option('rootless') !== undefined,
    architecture: nodeArchitecture(info.Architecture),
    cgroupVersion: info.CgroupVersion === '2' ? 2 : 1,
    runtimes: Object.keys(info.Runtimes ?? {}),
    defaultRuntime: info.DefaultRuntime ?? '',
    seccomp: seccompProfile === 'unconfined' ? undefined : seccompProfile,
    selinux: option('selinux') !== undefined,
    operatingSystem: info.OperatingSystem,
    sameKernel: process.platform === 'linux' && info.KernelVersion === release(),
    storageDriver: info.Driver,
    storageRoot: info.DockerRootDir ?? '',
    warnings: info.Warnings ?? [],
  };
}

/** Pings an engine and reads what it says about itself: two calls. */
export async function identify(client: Pick<EngineClient, 'request'>, deadlineMs: number): Promise<EngineFacts> {
  const { headers } = await client.request({ path: '/_ping', deadlineMs });
  const apiVersion = headers['api-version'];
  if (typeof apiVersion !== 'string') throw new EngineFailure('what answers there is neither Docker nor Podman');
  const { body } = await client.request<Info>({ path: '/info' });
  const facts = readFacts(headers['libpod-api-version'] ? 'podman' : 'docker', apiVersion, body);
  if (facts.kind === 'podman' && Number.parseInt(facts.version, 10) < 4) {
    throw new EngineFailure(`it is Podman ${facts.version}; 4.0 or later is needed`);
  }
  return facts;
}
