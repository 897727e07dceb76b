import { setTimeout as sleep } from 'node:timers/promises';
import { SUPERVISOR_DIR } from '../hardening/container.js';
import type { PreparedRun } from '../policy/prepare.js';
import type { Backend, Ending, Sandbox } from '../sandbox/backend.js';
import { beforeAbort } from '../sandbox/before-abort.js';
import { Collector } from '../sandbox/collector.js';
import type { UnderWay } from './under-way.js';

const PROBE = `${SUPERVISOR_DIR}/probe`;
/** Facts are some 30 KiB; more comes from something that is not the probe. */
const MOST_OUTPUT = 1024 * 1024;

/**
 * What is removed later is the backend's to drain. containerd 1.6 now and then misses the end of a container of runsc on a
 * busy machine, and Docker then answers a removal after half a minute; that says nothing about the guarantees.
 */
const REMOVAL_MS = 3000;

/** What became of one run of the probe. */
export interface Attempt {
  /** The facts. */
  output: string;
  /** What went to stderr: nothing, unless it comes from elsewhere. */
  complaint: string;
  ending: Ending;
  elapsedMs: number;
}

/** Where attempts are made. */
export interface Trial {
  backend: Backend;
  signal: AbortSignal;
  underWay: UnderWay;
}

/** Who wants to know of an attempt while it goes on. */
export interface Watcher {
  /** Gets the facts as they come. */
  output(chunk: Buffer): void;
  /** Its program is over, whichever way; the sandbox may yet be there. */
  over(): void;
}

/**
 * Runs the probe with these arguments in a sandbox of its own, and removes that.
 * @param who for people: the program that runs in it
 */
export async function attempt(
  who: string,
  { backend, signal, underWay }: Trial,
  prepared: PreparedRun,
  args: string[],
  watcher?: Watcher,
): Promise<Attempt> {
  const discard = (late: Sandbox) => void late.close().catch(() => {});
  const opening = underWay.during(`opening a sandbox for ${who}`, backend.open(prepared.plan, signal));
  const sandbox = await beforeAbort(opening, signal, discard);
  try {
    const output = new Collector(MOST_OUTPUT);
    const complaint = new Collector(MOST_OUTPUT);
    const started = performance.now();
    const program = { ...prepared.program, argv: [PROBE, ...args] };
    const stdout = (chunk: Buffer) => {
      watcher?.output(chunk);
      output.push(chunk);
    };
    const sinks = { stdout, stderr: (chunk: Buffer) => complaint.push(chunk) };
    const running = underWay.during(`running ${who}`, sandbox.run(program, sinks)).finally(() => watcher?.over());
    const ending = await beforeAbort(running, signal);
    const elapsedMs = performance.now() - started;
    return { output: output.text(), complaint: complaint.text(), ending, elapsedMs };
  } finally {
    const closed = sandbox.close();
    closed.catch(() => {});
    await Promise.race([closed, sleep(REMOVAL_MS, undefined, { ref: false })]);
  }
}
