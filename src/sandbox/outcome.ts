import { constants } from 'node:os';
import { amountOf } from '../policy/amount.js';
import type { Limits } from '../policy/plan.js';
import { quote } from '../policy/quote.js';
import type { Ending } from './backend.js';
import type { Collector } from './collector.js';
import { BackendUnavailable, RunFailed } from './errors.js';
import { ABORTED, type End, marked, type RunResult } from './result.js';
import { rejectUnstarted } from './unstarted.js';

const SIGKILL = constants.signals.SIGKILL;

/** All that is known about a run once it is over. */
export interface Finished {
  ending: Ending;
  /** What this process did to end the run, if anything; the first cause that was recorded. */
  cause: Exclude<End, 'exit' | 'memory'> | undefined;
  /** The folder whose disk fell below the floor, where that is the cause. */
  full?: string | undefined;
  stdout: Collector;
  stderr: Collector;
  limits: Limits;
  /** Measured from outside; used where the supervisor could not tell. */
  elapsedMs: number;
  backend: string;
  image: string;
  /** For messages: the command as requested, and what the root is called. */
  command: string;
  root: string;
  /** The policy folders inside, in the order in which the supervisor compares them. */
  mounts: string[];
  /** Files that appeared and that the host would run. */
  planted: string[];
  /** Commands that the root is known to have, for the message about one that it lacks. */
  known: string[];
}

/**
 * Turns what happened into what the caller gets. The one place that knows the table "what a run means".
 * @returns the result of a program that exited with 0
 * @throws RunFailed, InvalidRequest or BackendUnavailable for everything else
 */
export function settle(run: Finished): RunResult {
  const { trailer } = run.ending;
  if (trailer) rejectUnstarted(run, trailer);
  const end = endOf(run);
  if (end === 'backend-lost') {
    throw new BackendUnavailable(
      `The sandbox backend ${run.backend} was lost while ${quote(run.command)} ran in it. Look at its writable folders before you run it again.`,
    );
  }
  const { code, signal } = exitOf(run, end);
  const oomKilled = (trailer?.oomKills ?? 0) > 0 || run.ending.oomKilled === true;
  const truncated = run.stdout.truncated || run.stderr.truncated;
  const notices = noticesOf(run, end, oomKilled, code);
  const result: RunResult = {
    code,
    signal,
    stdout: run.stdout.text(),
    stderr: appendLines(run.stderr.text(), notices.map(marked)),
    ...(notices.length > 0 ? { notices } : {}),
    ...(truncated ? { truncated } : {}),
    end,
    timedOut: end === 'timeout',
    oomKilled,
    durationMs: trailer ? trailer.wallMicros / 1000 : run.elapsedMs,
    backend: run.backend,
    image: run.image,
    ...(trailer?.peakMemoryBytes != null ? { peakMemoryBytes: trailer.peakMemoryBytes } : {}),
    ...(run.planted.length > 0 ? { planted: run.planted } : {}),
    ...(trailer ? { cpuMs: (trailer.userMicros + trailer.systemMicros) / 1000 } : {}),
  };
  if (code === 0) return result;
  throw new RunFailed(notices.map(marked)[0] ?? `${quote(run.command)} exited with code ${code}.`, result);
}

function endOf(run: Finished): End {
  const { trailer, exitCode, oomKilled } = run.ending;
  if (trailer?.kind === 'deadline') return 'timeout';
  if (trailer?.kind === 'owner-gone') return run.cause ?? 'backend-lost';
  if (trailer) return trailer.signal === SIGKILL && (trailer.oomKills ?? 0) > 0 ? 'memory' : 'exit';
  if (run.cause) return run.cause;
  // What exits here is the supervisor, with 0 after a trailer that got lost or a code of its own: never the program's.
  if (exitCode === undefined || exitCode < 128) return 'backend-lost';
  return exitCode === 128 + SIGKILL && oomKilled === true ? 'memory' : 'exit';
}

function exitOf(run: Finished, end: End): { code: number | null; signal: NodeJS.Signals | null } {
  if (end === 'timeout') return { code: null, signal: 'SIGKILL' };
  if (end === 'aborted' || end === 'disk') return { code: null, signal: 'SIGTERM' };
  const { trailer, exitCode } = run.ending;
  if (!trailer) return { code: exitCode ?? null, signal: null };
  return { code: trailer.signal === null ? trailer.code : 128 + trailer.signal, signal: null };
}

/** What the user must know goes into stderr, since callers may drop everything else. */
function noticesOf(run: Finished, end: End, oomKilled: boolean, code: number | null): string[] {
  const { limits } = run;
  const notices: string[] = [];
  const memory = `the memory limit of ${amountOf(limits.memoryBytes)}`;
  const raise = 'limits.memoryMiB (in the agent API memoryMB) raises it';
  if (end === 'timeout')
    notices.push(`the run was ended at its time limit of ${limits.timeoutMs} ms; the request’s timeout raises it`);
  if (end === 'aborted') notices.push(ABORTED);
  if (end === 'disk') {
    notices.push(
      `the run was ended: less than ${amountOf(limits.diskFloorBytes)} were left on the disk of ${quote(run.full ?? '')}, which limits.diskFloorMiB keeps free; make room there`,
    );
  }
  if (end === 'memory') notices.push(`${memory} was reached and the kernel killed the program; ${raise}`);
  else if (oomKilled && code !== 0)
    notices.push(`${memory} was reached and the kernel killed a process of this run; ${raise}`);
  for (const [name, stream] of [['stdout', run.stdout] as const, ['stderr', run.stderr] as const]) {
    if (stream.truncated) notices.push(`${name} was longer than ${amountOf(limits.outputBytes)}; the rest was dropped`);
  }
  return notices;
}

function appendLines(text: string, lines: string[]): string {
  if (lines.length === 0) return text;
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${lines.join('\n')}\n`;
}
