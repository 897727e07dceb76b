import type { AgentResult } from './result.js';

/** A run that goes on. `await using` ends it by force. */
export interface AgentHandle extends AsyncDisposable {
  /** Names its folder below `dataDir` and its line in the audit file. */
  readonly id: string;
  /** `podman`, `docker`, …, or `direct`. */
  readonly backend: string;
  /** What the program has written to its stdout so far, within the output limit. */
  readonly stdout: string;
  /** Likewise its stderr. */
  readonly stderr: string;
  /** A stream from its beginning, in pieces as they come, until the run is over. For any number of readers. */
  read(stream: 'stdout' | 'stderr'): AsyncIterable<string>;
  /**
   * Settles when the run is over and its artifacts are kept. How the program ended is part of the result, never an error.
   * @throws BackendUnavailable when the backend was lost
   */
  wait(): Promise<AgentResult>;
  /**
   * Ends the run: with SIGTERM to every process of it, and SIGKILL after the time of grace (`graceful`), or at once
   * (`force`). Settles when it is over.
   */
  stop(how: 'graceful' | 'force'): Promise<void>;
}
