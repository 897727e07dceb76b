import { constants } from 'node:os';
import { amountOf } from '../policy/amount.js';
import { BOUNDS } from '../policy/bounds.js';
import { quote } from '../policy/quote.js';
import { FRAME_PARTS, SETUP_STEPS, type Trailer } from '../supervisor/trailer.js';
import { BackendUnavailable, InvalidRequest } from './errors.js';
import type { Finished } from './outcome.js';

type Run = Pick<Finished, 'backend' | 'command' | 'root' | 'known' | 'mounts'>;

/**
 * A program that never started is the request's fault or the platform's, never a result.
 * @throws InvalidRequest or BackendUnavailable, unless the program ran
 */
export function rejectUnstarted(run: Run, trailer: Trailer): void {
  const command = quote(run.command);
  const where = run.root === 'host' ? 'the sandbox (its root is the host’s own system folders)' : `image ${run.root}`;
  const errno = errnoName(trailer.errno);
  switch (trailer.kind) {
    case 'exec-failed':
      throw notExecuted(run, where, errno);
    case 'mount-mismatch': {
      const folder = run.mounts[trailer.detail] ?? `number ${trailer.detail + 1}`;
      const why =
        trailer.errno === 0
          ? 'was replaced between its check and the start of the program (its device and inode differ inside)'
          : `cannot be reached inside by the user that the program runs as (${errno}): a folder above it is closed to that user`;
      throw new InvalidRequest(`The policy folder ${folder} ${why}; nothing ran.`, 'refused');
    }
    case 'bad-frame':
      throw stuck(run, `its request broke off at ${FRAME_PARTS[trailer.detail] ?? `part ${trailer.detail}`}`);
    case 'setup-failed': {
      const step = SETUP_STEPS[trailer.detail] ?? `step ${trailer.detail}`;
      if (step !== 'the working directory') throw stuck(run, `it failed at ${step} (${errno})`);
      throw new InvalidRequest(`The current folder (cwd) of ${command} is not there in ${where} (${errno}).`);
    }
    default:
  }
}

function notExecuted(run: Run, where: string, errno: string): InvalidRequest {
  const command = quote(run.command);
  const has = run.known.length > 0 ? ` It has: ${run.known.join(', ')}.` : '';
  if (errno === 'E2BIG') {
    return new InvalidRequest(
      `The arguments and environment of ${command}, with the variables that the sandbox and its image add, are too long for the kernel (${errno}): together they may take a quarter of the stack limit, which is 2 MiB as a rule, and each of them ${amountOf(BOUNDS.stringBytes)}. Hand long data over in a file.`,
    );
  }
  if (errno !== 'ENOENT') {
    return new InvalidRequest(
      `Command ${command} in ${where} cannot be executed (${errno}).${has}`,
      'command-not-executable',
    );
  }
  // The kernel says the same of a script whose first line names an interpreter that is not there.
  const script = run.command.includes('/') ? ', or the interpreter that it names,' : '';
  return new InvalidRequest(`Command ${command}${script} was not found in ${where}.${has}`, 'command-not-found');
}

function stuck(run: Run, what: string): BackendUnavailable {
  return new BackendUnavailable(
    `The supervisor of the sandbox (${run.backend}) could not start ${quote(run.command)}: ${what}.`,
  );
}

function errnoName(errno: number): string {
  return Object.entries(constants.errno).find(([, value]) => value === errno)?.[0] ?? `errno ${errno}`;
}
