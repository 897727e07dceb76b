import type { Ulimit } from '../../hardening/ulimits.js';
import type { Plan } from '../../policy/plan.js';
import type { ImageFacts } from '../image.js';

/** All that a container's create options follow from. Pure data, so that the options can be tested as data. */
export interface ContainerInput {
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
  ulimits: readonly Ulimit[];
  /** Name of the network made for this run, where the plan's network is `allow`. */
  network?: string;
  /** Seconds for which the supervisor waits for its frame. */
  idleSeconds: number;
}
