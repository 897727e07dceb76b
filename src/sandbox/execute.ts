import type { PreparedRun } from '../policy/prepare.js';
import type { Backend, Sandbox } from './backend.js';
import { Collector } from './collector.js';
import { watchDisk } from './disk.js';
import { BackendUnavailable, messageOf } from './errors.js';
import { Gate } from './gate.js';
import type { OutputCallback } from './guarded.js';
import { settle } from './outcome.js';
import type { End, RunResult } from './result.js';
import { letGoOf } from './stdin.js';

/** How long after the program's deadline the supervisor may take to close before this process ends the sandbox. */
const DEADLINE_GRACE_MS = 2000;

/** What a caller may add to a request of the contract. */
export interface RunOptions {
  /** Ends the run; it rejects with `signal: 'SIGTERM'` in its result. */
  signal?: AbortSignal;
  onStdout?: OutputCallback;
  onStderr?: OutputCallback;
  /** Becomes the program's stdin; without it stdin is at its end from the start. When it breaks off, the run is aborted. */
  stdin?: NodeJS.ReadableStream;
  /** Called when the program has been handed to its sandbox. */
  onStart?: (sandbox: Pick<Sandbox, 'stop'>) => void;
}

/** One run, ready to go. */
export interface Run {
  prepared: PreparedRun;
  /** As the request named it, for messages. */
  command: string;
  /** Commands that the root is known to have. */
  known: string[];
  options: RunOptions;
}

type Cause = Exclude<End, 'exit' | 'memory'>;

/**
 * Carries out one prepared run on a backend: opens a sandbox, runs the program, tells what became of it.
 * The sandbox's removal is handed to `dispose`, so that a result need not wait for it.
 */
export async function execute(
  backend: Pick<Backend, 'open'> & { name: string },
  run: Run,
  dispose: (sandbox: Sandbox) => void,
): Promise<RunResult> {
  const { command, known, options } = run;
  const { plan, program } = run.prepared;
  const stdout = new Collector(plan.limits.outputBytes);
  const stderr = new Collector(plan.limits.outputBytes);
  options.signal?.throwIfAborted();
  const sandbox = await backend.open(plan, options.signal);
  let cause: Cause | undefined;
  let full: string | undefined;
  const gate = new Gate();
  const end = (why: Cause) => {
    cause ??= why;
    gate.open();
    sandbox.stop('kill').catch(() => {});
  };
  const onAbort = () => end('aborted');
  let timer: NodeJS.Timeout | undefined;
  const disk = watchDisk(plan, folder => {
    full = folder;
    end('disk');
  });
  const started = performance.now();
  try {
    options.signal?.addEventListener('abort', onAbort);
    if (options.signal?.aborted) onAbort();
    const sinks = {
      stdout: (chunk: Buffer) => {
        stdout.push(chunk);
        return gate.hold(options.onStdout?.(chunk));
      },
      stderr: (chunk: Buffer) => {
        stderr.push(chunk);
        return gate.hold(options.onStderr?.(chunk));
      },
      began: () => {
        const latestMs = Math.min(plan.limits.timeoutMs + DEADLINE_GRACE_MS, 2 ** 31 - 1);
        timer = setTimeout(() => end('timeout'), latestMs);
      },
    };
    const running = sandbox.run({ ...program, stdin: options.stdin !== undefined }, sinks, options.stdin);
    options.onStart?.(sandbox);
    const ending = await running;
    const planted = await run.prepared.planted();
    return settle({
      planted,
      ending,
      cause,
      full,
      stdout,
      stderr,
      limits: plan.limits,
      elapsedMs: performance.now() - started,
      backend: backend.name,
      image: sandbox.image,
      command,
      known,
      root: plan.root.name,
      mounts: program.mounts.map(({ path }) => path),
    });
  } finally {
    clearTimeout(timer);
    disk.stop();
    options.signal?.removeEventListener('abort', onAbort);
    letGoOf(options.stdin);
    dispose(sandbox);
  }
}

/** Turns whatever else went wrong on the way into the platform's error, keeping the typed ones. */
export function platformError(error: unknown, backend: string): Error {
  if (error instanceof Error && ['InvalidRequest', 'RunFailed', 'BackendUnavailable'].includes(error.name))
    return error;
  const message = messageOf(error);
  return new BackendUnavailable(`The sandbox backend ${backend} failed: ${message}`, { cause: error });
}
