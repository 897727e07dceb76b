import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ending, Sandbox, Sinks } from '../sandbox/backend.js';
import { BackendUnavailable } from '../sandbox/errors.js';
import { isDoomed, isSupervisor } from '../supervisor/doomed.js';
import type { Program } from '../supervisor/frame.js';
import { converse, pump, type Sink } from '../supervisor/session.js';
import type { EngineClient } from './client.js';
import { inspectContainer, killContainer, removeContainer, startContainer } from './containers.js';
import type { HostCounterReader } from './oom.js';
import { Demultiplexer } from './stream.js';

/** Podman makes the container's processes here; on a busy machine that takes its time. */
const ATTACH_MS = 30_000;
/** How long an engine may take to notice an end that the supervisor could not tell about. */
const VERDICT_MS = 5000;
/** How long the supervisor gets to end everything by itself before the engine is told to kill it. */
const KILL_GRACE_MS = 1000;

/** A container that exists, and what cannot be told from inside it. */
interface Created {
  id: string;
  image: string;
  /** Reads the kernel's counters where the supervisor cannot. */
  counters: HostCounterReader | undefined;
  /** The supervisor cannot compare device and inode of mounts. */
  hidesInodes: boolean;
}

/** One container, from its start with a waiting supervisor to its removal. */
export class Container implements Sandbox {
  readonly id: string;
  readonly image: string;
  readonly #client: EngineClient;
  readonly #stream: Duplex;
  readonly #onClosed: () => Promise<void>;
  readonly #broken: Promise<void>;
  #counters: HostCounterReader | undefined;
  #stdout: Sink = () => {};
  #stderr: Sink = () => {};
  #comparesMounts = true;
  #takesStdin = false;
  /** Where the output comes by a connection of its own. */
  #output: Duplex | undefined;
  #over = false;
  #pid: number | undefined;
  #closing: Promise<void> | undefined;

  private constructor(client: EngineClient, id: string, image: string, stream: Duplex, onClosed: () => Promise<void>) {
    this.#client = client;
    this.id = id;
    this.image = image;
    this.#stream = stream;
    this.#onClosed = onClosed;
    this.#broken = follow(
      stream,
      chunk => this.#stdout(chunk),
      chunk => this.#stderr(chunk),
    ).then(() => {
      if (!this.#takesStdin) this.#over = true;
    });
  }

  get ended(): boolean {
    return this.#over || (this.#pid !== undefined && isDoomed(this.#pid));
  }

  /** An engine tells of an end some time after it; the kernel knows at once, where it is this host's and shows the process. */
  async park(): Promise<number | undefined> {
    if (!this.#client.facts.sameKernel) return undefined;
    const state = await inspectContainer(this.#client, this.id).catch(() => 'unknown' as const);
    if (state === 'unknown') return undefined;
    if (!state?.running) this.#over = true;
    else if (isSupervisor(state.pid)) this.#pid = state.pid;
    return this.#pid;
  }

  /** Attaches before the start, so that no output is lost, and starts a container that exists. */
  static async start(
    client: EngineClient,
    { id, image, counters, hidesInodes }: Created,
    onClosed: () => Promise<void>,
    signal?: AbortSignal,
  ): Promise<Container> {
    const stream = await client.attach(id, { deadlineMs: ATTACH_MS, ...(signal ? { signal } : {}) });
    const container = new Container(client, id, image, stream, onClosed);
    try {
      await startContainer(client, id, signal);
      container.#comparesMounts = !hidesInodes;
      container.#counters = counters;
      await counters?.prepare(id);
      return container;
    } catch (error) {
      stream.destroy();
      throw error;
    }
  }

  async run(program: Program, sinks: Sinks, stdin?: NodeJS.ReadableStream): Promise<Ending> {
    this.#takesStdin = program.stdin;
    // A connection that is written to after its other end is gone loses what had come and was not read yet.
    const output = program.stdin ? await this.#client.attach(this.id, { stdin: false }) : undefined;
    this.#output = output;
    const read = (stdout: Sink, stderr: Sink) => {
      if (output) return follow(output, stdout, stderr);
      this.#stdout = stdout;
      this.#stderr = stderr;
      return this.#broken;
    };
    const given = this.#comparesMounts ? program : { ...program, mounts: [] };
    const trailer = await converse({ input: this.#stream, read }, given, sinks, stdin);
    this.#over = true;
    this.#stream.destroy();
    output?.destroy();
    if (!trailer) return this.#verdict();
    return {
      trailer:
        trailer.oomKills === null && this.#counters ? { ...trailer, ...(await this.#counters.read(this.id)) } : trailer,
    };
  }

  /** The engine's own word, for a supervisor that could not close with its trailer. */
  async #verdict(): Promise<Ending> {
    const deadline = performance.now() + VERDICT_MS;
    for (let pause = 5; performance.now() < deadline; pause = Math.min(pause * 2, 200)) {
      const state = await inspectContainer(this.#client, this.id);
      if (!state) return {};
      if (!state.running) return { exitCode: state.exitCode, oomKilled: state.oomKilled };
      await sleep(pause);
    }
    throw new BackendUnavailable(
      `${this.#client.label} broke off the output of container ${this.id.slice(0, 12)} while it was still running.`,
    );
  }

  async stop(how: 'term' | 'kill'): Promise<void> {
    if (this.#over) return;
    if (how === 'term') return killContainer(this.#client, this.id, 'TERM');
    // The end of its stdin tells the supervisor at once; where stdin is the program's, only the engine can.
    if (!this.#takesStdin) {
      this.#stream.end();
      await Promise.race([
        once(this.#stream, 'close').catch(() => {}),
        sleep(KILL_GRACE_MS, undefined, { ref: false }),
      ]);
    }
    if (this.#over) return;
    try {
      await killContainer(this.#client, this.id, 'KILL');
      await sleep(KILL_GRACE_MS, undefined, { ref: false });
    } finally {
      // An engine that no longer answers does not end the streams either.
      this.#stream.destroy();
      this.#output?.destroy();
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stream.destroy();
    try {
      await removeContainer(this.#client, this.id);
    } finally {
      await this.#onClosed();
    }
  }
}

/** Reads from the first moment, since a stream that nobody reads does not tell that it ended. */
function follow(stream: Duplex, stdout: Sink, stderr: Sink): Promise<void> {
  let untaken: Array<Promise<void>> = [];
  const noting = (sink: Sink) => (chunk: Buffer) => {
    const taken = sink(chunk);
    if (taken) untaken.push(taken);
  };
  const demultiplexer = new Demultiplexer(noting(stdout), noting(stderr));
  return new Promise(resolve => {
    pump(stream, chunk => {
      untaken = [];
      try {
        demultiplexer.push(chunk);
      } catch {
        stream.destroy();
      }
      return untaken.length > 0 ? Promise.all(untaken).then(() => {}) : undefined;
    });
    for (const event of ['end', 'close', 'error']) stream.on(event, () => resolve());
  });
}
