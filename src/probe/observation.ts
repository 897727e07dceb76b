import type { Plan } from '../policy/plan.js';
import type { Ending } from '../sandbox/backend.js';
import type { Program } from '../supervisor/frame.js';
import type { ExpectedMount } from './expect.js';
import type { Facts } from './facts.js';

/** All that is judged: what was asked for, what the probe met inside, what the host saw. Pure data. */
export interface Observation {
  facts: Facts;
  plan: Plan;
  program: Pick<Program, 'env' | 'rlimits'>;
  mounts: ExpectedMount[];
  host: HostSide;
}

/** What the host put in, and what it saw afterwards. */
export interface HostSide {
  /** What lay in the read-only and in the writable folder. */
  nonces: { ro: string; rw: string };
  /** The file that the probe wrote into the writable folder. */
  answer?: { content: string; uid: number; gid: number };
  /** What the read-only folder held before and holds afterwards, as `name mode content`. */
  readOnly: { before: string[]; after: string[] };
  /** Files with setuid or setgid bits in the writable folder afterwards. */
  bits: string[];
  /** The program that refused to end. */
  linger: Lingering;
  /** Processes of the host in whose arguments or environment a value of the request stood. */
  traces: string[];
  /** Somebody came by the host's loopback while the attempts were made. */
  loopbackMet?: boolean;
  /** What is known to be weak about the networks of such runs, though attempts may not show it. */
  networkFlaw?: string | undefined;
  /** Another run with a network. */
  neighbour?: NeighbourSide;
  /** Requests that should have been refused and were not. */
  accepted: AcceptedRequest[];
}

/** Another run in which somebody listened who must not be reached. */
export interface NeighbourSide {
  /** `ADDRESS:PORT` in its network. */
  address: string;
  /** What came of its own attempt to connect there: 0, so that another's failure means something. */
  errno: number;
  /** It was there until the attempts were over. */
  stayed: boolean;
}

/** How the program that refused to end was ended. */
export interface Lingering {
  ending: Ending;
  deadlineMs: number;
  elapsedMs: number;
  /** Its stray grandchild was seen at work, so that its silence means something. */
  beats: number;
  /** How often the grandchild still wrote after the end was told. */
  beatsAfter: number;
}

/** A request that the policy should have refused, and the guarantee that it offends. */
export interface AcceptedRequest {
  guarantee: 5 | 9 | 13;
  what: string;
}
