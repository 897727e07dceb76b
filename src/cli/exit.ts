import { InvalidRequest } from '../sandbox/errors.js';
import type { RunResult } from '../sandbox/result.js';

const TIMEOUT = 124;
const SANDBOX = 125;
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
const TERMINATED = 143;

/** The exit code of the command line for a program that ran. */
export function exitCodeOf(result: RunResult): number {
  if (result.timedOut) return TIMEOUT;
  return result.code ?? (result.end === 'aborted' ? TERMINATED : SANDBOX);
}

/** The exit code where no program ran. */
export function exitCodeOfError(error: unknown): number {
  if (!(error instanceof InvalidRequest)) return SANDBOX;
  if (error.code === 'command-not-found') return NOT_FOUND;
  return error.code === 'command-not-executable' ? NOT_EXECUTABLE : SANDBOX;
}
