import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecResult, ProcessService, SpawnHandle } from '../aalis.js';
import type { Ending, Sandbox, Sinks } from '../sandbox/backend.js';
import { BackendUnavailable, messageOf } from '../sandbox/errors.js';
import { isDoomed } from '../supervisor/doomed.js';
import type { Program } from '../supervisor/frame.js';
import { converse, pump, type Sink } from '../supervisor/session.js';
import { supervisorBelow } from './supervisor-process.js';

/** How long a launcher may take until the supervisor waits for its frame. */
const START_MS = 10_000;
const POLL_MS = 1;
/** How long the supervisor gets to end everything by itself before it is killed. */
const KILL_GRACE_MS = 1000;
/** How long what was killed may take to be gone. */
const BURIAL_MS = 5000;
/** What is kept of what the launcher says before the supervisor is there. */
const MOST_COMPLAINT = 4096;

/** A command line that ends in the supervisor, and what belongs to it. */
export interface Launch {
  id: string;
  /** `host`, or what the root is called. */
  image: string;
  process: ProcessService;
  /** Its stdin, stdout and stderr become the supervisor's. */
  command: readonly [string, ...string[]];
  /** Laid over the environment of the launcher; undefined takes a variable away. */
  env?: Record<string, string | undefined>;
  /** Takes in the supervisor, and so all that it will start, before it has its frame. */
  adopt?(supervisor: number): Promise<void>;
  /** The launcher ended before the supervisor was there. @param complaint what it said */
  explain(complaint: string): Error;
  /** Whether the kernel ran out of the sandbox's memory; asked where the supervisor could not tell. */
  oomKilled?(): Promise<boolean>;
  /** Removes what belongs to the sandbox, once all of it is dead. */
  remove?(): Promise<void>;
}

/** One sandbox whose supervisor is a descendant of a process that this one has started. */
export class LaunchedSandbox implements Sandbox {
  readonly id: string;
  readonly image: string;
  readonly #launch: Launch;
  readonly #handle: SpawnHandle;
  readonly #exit: Promise<ExecResult>;
  #result: ExecResult | undefined;
  #complaint = '';
  #stdout: Sink = () => {};
  #stderr: Sink = chunk => {
    this.#complaint = (this.#complaint + chunk.toString()).slice(0, MOST_COMPLAINT);
  };
  #supervisor: number | undefined;
  #takesStdin = false;
  #parked = false;
  #closing: Promise<void> | undefined;

  private constructor(launch: Launch) {
    this.id = launch.id;
    this.image = launch.image;
    this.#launch = launch;
    const [command, ...args] = launch.command;
    this.#handle = launch.process.spawn(command, args, { maxBuffer: 1, env: launch.env ?? {} });
    // At once: a command that is not there is told through `wait` alone, and `wait` sets the streams going.
    this.#exit = this.#handle.wait().catch(error => {
      this.#complaint ||= messageOf(error);
      return { code: null, signal: null, stdout: '', stderr: '' };
    });
    this.#exit.then(result => {
      this.#result = result;
    });
    if (this.#handle.stdout) pump(this.#handle.stdout, chunk => this.#stdout(chunk));
    if (this.#handle.stderr) pump(this.#handle.stderr, chunk => this.#stderr(chunk));
    // A supervisor that is gone takes no frame; how it ended is what counts.
    this.#handle.stdin?.on('error', () => {});
  }

  get ended(): boolean {
    return this.#result !== undefined || (this.#parked && isDoomed(this.#supervisor!));
  }

  /** A launcher tells of an end some time after it; the kernel knows at once. */
  async park(): Promise<number | undefined> {
    this.#parked = true;
    return this.#supervisor;
  }

  /**
   * Starts a command line, and waits until its supervisor waits.
   * @throws what `launch.explain` makes of a launcher that fails
   */
  static async start(launch: Launch, signal?: AbortSignal): Promise<LaunchedSandbox> {
    const sandbox = new LaunchedSandbox(launch);
    try {
      sandbox.#supervisor = await sandbox.#comesUp(signal);
      await launch.adopt?.(sandbox.#supervisor);
      return sandbox;
    } catch (error) {
      await sandbox.close().catch(() => {});
      throw error;
    }
  }

  async #comesUp(signal?: AbortSignal): Promise<number> {
    const giveUp = performance.now() + START_MS;
    while (performance.now() < giveUp) {
      signal?.throwIfAborted();
      if (this.ended) throw this.#launch.explain(this.#complaint.trim());
      const { pid } = this.#handle;
      const supervisor = pid === undefined ? undefined : supervisorBelow(pid);
      if (supervisor !== undefined) return supervisor;
      await sleep(POLL_MS);
    }
    throw new BackendUnavailable(`${this.#launch.command[0]} did not start the supervisor within ${START_MS} ms.`);
  }

  async run(program: Program, sinks: Sinks, stdin?: NodeJS.ReadableStream): Promise<Ending> {
    this.#parked = false;
    this.#takesStdin = program.stdin;
    const read = async (stdout: Sink, stderr: Sink) => {
      this.#stdout = stdout;
      this.#stderr = stderr;
      await this.#exit;
    };
    const trailer = await converse({ input: this.#handle.stdin!, read }, program, sinks, stdin);
    return trailer ? { trailer } : this.#verdict();
  }

  /** The launcher's own word, for a supervisor that could not close with its trailer. */
  async #verdict(): Promise<Ending> {
    const { code, signal } = await this.#exit;
    const exitCode = signal ? 128 + constants.signals[signal] : code;
    const oomKilled = await this.#launch.oomKilled?.();
    return { ...(exitCode === null ? {} : { exitCode }), ...(oomKilled === undefined ? {} : { oomKilled }) };
  }

  async stop(how: 'term' | 'kill'): Promise<void> {
    if (this.ended) return;
    if (how === 'term') {
      send(this.#supervisor!, 'SIGTERM');
      return;
    }
    // The end of its stdin tells the supervisor at once; where stdin is the program's, only a signal can.
    if (!this.#takesStdin) {
      this.#handle.stdin?.end();
      await this.#endsWithin(KILL_GRACE_MS);
    }
    if (!this.ended) this.#kill();
  }

  #kill(): void {
    // The end of PID 1 is the end of its namespace; a launcher need not take it along.
    if (this.#supervisor !== undefined && !this.ended) send(this.#supervisor, 'SIGKILL');
    this.#handle.kill('SIGKILL');
  }

  async #endsWithin(ms: number): Promise<boolean> {
    return Promise.race([this.#exit.then(() => true), sleep(ms, false, { ref: false })]);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#handle.stdin?.destroy();
    if (!(await this.#endsWithin(KILL_GRACE_MS))) this.#kill();
    if (!(await this.#endsWithin(BURIAL_MS))) {
      throw new Error(
        `process ${this.#handle.pid} of sandbox ${this.id} did not end within ${BURIAL_MS} ms of SIGKILL`,
      );
    }
    await this.#launch.remove?.();
  }
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}
