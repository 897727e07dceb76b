import { type CgroupView, cgroupView } from '../../hardening/container.js';
import type { Ulimit } from '../../hardening/ulimits.js';
import type { Plan } from '../../policy/plan.js';
import type { ImageFacts } from '../image.js';
import type { Stack } from '../network.js';

/** All that a container's create options follow from. Pure data, so that the options can be tested as data. */
export interface ContainerInput {
  engine: 'docker' | 'podman';
  plan: Plan;
  name: string;
  labels: Record<string, string>;
  image: Pick<ImageFacts, 'id' | 'env' | 'volumes'>;
  /** Folder of the host with the supervisor for this engine's architecture. */
  supervisorDir: string;
  /** Folder of the host with the hosts, hostname and resolv.conf that a sandbox sees. */
  etcDir: string;
  /** The engine runs as an ordinary user: its uid 0 is that user. */
  rootless: boolean;
  cgroupVersion: number;
  /** Name of the OCI runtime that will run it: the plan's, or the engine's default. */
  runtime: string;
  ulimits: readonly Ulimit[];
  /** Relabel policy folders for SELinux: shared between containers (`z`) or for this one alone (`Z`). */
  relabel?: 'z' | 'Z' | undefined;
  /** Name of the network made for this run, where the plan's network is `allow` and the engine makes one. */
  network?: string;
  /** What gives the container a network, where the engine makes none for it. */
  stack?: Stack;
  /** Seconds for which the supervisor waits for its frame. */
  idleSeconds: number;
}

/**
 * Engines' word for no seccomp profile of theirs. The supervisor installs a stricter filter before the program starts, and
 * nothing but the supervisor runs without it. The engine's would be compiled by libseccomp in every start, for three
 * architectures: 20 to 30 ms (docs/performance.md).
 */
export const NO_ENGINE_PROFILE = 'unconfined';

/**
 * Folders that are covered, besides /dev: an image's VOLUMEs, and where Podman shows what its mounts.conf names (on Red Hat's
 * systems the host's subscription), which gives way to a mount of the request's own.
 */
export function coveredBy(engine: 'docker' | 'podman', volumes: readonly string[]): string[] {
  return engine === 'podman' ? [...volumes, '/run/secrets'] : [...volumes];
}

/** Uid 0 inside a rootless engine is its user outside. */
export function insideUidOf({ rootless, plan }: ContainerInput): number {
  return rootless ? 0 : plan.user.uid;
}

/** How the cgroup tree shows in this container; Podman's API can hide a path, not make it read-only. */
export function cgroupViewOf(input: ContainerInput): CgroupView {
  return cgroupView(input.cgroupVersion, input.runtime, insideUidOf(input), input.engine === 'docker');
}

/** The supervisor cannot read the kernel's counters, so this process has to. */
export function hidesCounters(input: ContainerInput): boolean {
  return cgroupViewOf(input) === 'hidden';
}
