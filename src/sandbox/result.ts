import type { ExecResult } from '../aalis.js';
import { RunFailed } from './errors.js';

/** Why a run stopped: one recorded cause, the first writer wins. */
export type End = 'exit' | 'timeout' | 'memory' | 'disk' | 'aborted' | 'backend-lost';

/** What a caller gets of a run, successful or not. */
export interface RunResult extends ExecResult {
  end: End;
  timedOut: boolean;
  /** The kernel's out-of-memory killer took a process of this run. */
  oomKilled: boolean;
  /** From the start of the program to its end, in milliseconds. */
  durationMs: number;
  /** What the sandbox has to say of this run, also at the end of `stderr`, which the program can write to; none mostly. */
  notices?: string[];
  /** Backend that ran it, for example `podman`. */
  backend: string;
  /** Image id, or `host` where the root file system is the host's own. */
  image: string;
  /** Peak memory of the whole sandbox in bytes, where the kernel tells. */
  peakMemoryBytes?: number;
  /**
   * Paths of the host at which files appeared that its tools would run or obey (hooks, .envrc, editors' and agents'
   * settings) or could not be kept from changing, and folders in which that can no longer be told, where `protect` is
   * on: have a look before anything is run there.
   */
  planted?: string[];
  /** User and system CPU time of the program and its reaped descendants, in milliseconds. */
  cpuMs?: number;
}

/** A notice as a line among a program's own. */
export function marked(notice: string): string {
  return `code-sandbox: ${notice}`;
}

export const ABORTED = 'the run was aborted by its caller';

/**
 * The end of a run that was aborted and has no result of its own.
 * @param ran its program was handed to a sandbox, and the backend did not tell what became of it
 */
export function aborted(backend: string, ran = false): RunFailed {
  const rest = { timedOut: false, oomKilled: false, durationMs: 0, backend, image: '' };
  const message = ran
    ? 'The run was aborted, and what its program did until then is not known. Look at its writable folders before you run it again.'
    : 'The run was aborted before its program started.';
  return new RunFailed(message, {
    code: null,
    signal: 'SIGTERM',
    stdout: '',
    stderr: `${marked(ABORTED)}\n`,
    notices: [ABORTED],
    end: 'aborted',
    ...rest,
  });
}
