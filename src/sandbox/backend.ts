import type { Plan, Root } from '../policy/plan.js';
import type { PolicyFacts } from '../policy/prepare.js';
import type { ExpectedMount } from '../probe/expect.js';
import type { ProbeInput } from '../probe/probe.js';
import type { ProbeReport } from '../probe/report.js';
import type { Program } from '../supervisor/frame.js';
import type { Sink } from '../supervisor/session.js';
import type { Trailer } from '../supervisor/trailer.js';
import type { WarmStats } from './warm.js';

/** What carries a run out. */
export type BackendName = 'podman' | 'docker' | 'oci' | 'bwrap' | 'seatbelt';

/** Where a program's output goes while it runs. Chunks are the program's bytes only. */
export interface Sinks {
  stdout: Sink;
  stderr: Sink;
  /** Called when the program's time begins: its frame is on the way, or it is started. */
  began?(): void;
}

/** How a sandbox's program ended, as far as the backend can tell. */
export interface Ending {
  /** The supervisor's own word; missing when it was killed or the connection broke. */
  trailer?: Trailer;
  /** The engine's word where the trailer is missing: exit code as a shell would give it, and its out-of-memory flag. */
  exitCode?: number;
  oomKilled?: boolean;
}

/** An open sandbox: its supervisor waits for the one frame that it will take. */
export interface Sandbox {
  readonly id: string;
  /** Image id, or `host`. */
  readonly image: string;
  /** Its supervisor is gone, whether or not it was given a program. */
  readonly ended: boolean;
  /**
   * It is going to wait for its run: makes `ended` exact at any moment, where it is not by itself. Never rejects.
   * @returns its supervisor's process, where that is one of this host's
   */
  park?(): Promise<number | undefined>;
  /**
   * Sends the frame and settles when no process of the program is left.
   * `stdin`, where the program has one, is piped after the frame.
   * @throws BackendUnavailable when the engine is lost on the way.
   */
  run(program: Program, sinks: Sinks, stdin?: NodeJS.ReadableStream): Promise<Ending>;
  /** Asks the supervisor to pass SIGTERM to the program (`term`), or ends everything at once (`kill`). */
  stop(how: 'term' | 'kill'): Promise<void>;
  /** Removes it with all that belongs to it. Idempotent; ends what still runs. */
  close(): Promise<void>;
}

/** A way to run code in isolation. Knows nothing of Aalis. */
export interface Backend {
  readonly name: BackendName;
  /** For people: engine, version, rootless or not. */
  readonly label: string;
  /** What the policy must know of it. */
  readonly engine: PolicyFacts['engine'];
  /** OCI runtimes that a run may ask for, by name; none where there is no choice. */
  readonly runtimes: readonly string[];
  /** What is known to be weak about its networks for runs, where anything is. */
  readonly networkFlaw?: string | undefined;
  /** Its own sockets and storage on the host, which no policy folder may give away. */
  readonly places: { sockets: string[]; storage: string[] };
  /**
   * Builds and starts a sandbox whose supervisor waits.
   * @throws BackendUnavailable when the engine cannot; InvalidRequest when the plan is what it refuses.
   */
  open(plan: Plan, signal?: AbortSignal): Promise<Sandbox>;
  /** Puts itself to the proof, where the probe's program cannot run. */
  prove?(input: ProbeInput): Promise<ProbeReport>;
  /** What a sandbox of this plan shows in /proc/self/mountinfo; the probe fails on anything else. */
  expectedMounts(plan: Plan): ExpectedMount[];
  /** The root that an image of this backend makes. @throws BackendUnavailable when there is no such image. */
  imageRoot(reference: string): Promise<Root>;
  /** How sandboxes that were started ahead have done, where there are any. */
  readonly warm?: WarmStats;
  /** Whether it still answers, found out within seconds. */
  alive(): Promise<boolean>;
  /** Removes from its engine the sandboxes of dead owners and past deadlines; answers how many. */
  sweep?(): Promise<number>;
  /** Starts nothing ahead any more, since it is about to be closed. */
  quiesce?(): void;
  /**
   * Ends what this instance has open and lets go of the engine.
   * @param lost It no longer answers: nothing more is asked of it, every run in it is over at once, and what is left of
   *   them is for a later sweep.
   */
  close(lost?: 'lost'): Promise<void>;
}
