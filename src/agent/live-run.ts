import type { Sandbox } from '../sandbox/backend.js';
import type { AgentHandle } from './handle.js';
import { LiveText } from './live-text.js';
import type { AgentResult } from './result.js';

/** A run from the moment it is accepted, and what its starter may hold of it. */
export class LiveRun implements AgentHandle {
  readonly id: string;
  /** Empty until it has begun. */
  backend = '';
  readonly #out: LiveText;
  readonly #err: LiveText;
  readonly #abort = new AbortController();
  readonly #graceMs: number;
  #sandbox: Pick<Sandbox, 'stop'> | undefined;
  #result: Promise<AgentResult> = Promise.reject(new Error('the run has not been started'));

  constructor(id: string, outputBytes: number, graceMs: number) {
    this.id = id;
    this.#graceMs = graceMs;
    this.#out = new LiveText(outputBytes);
    this.#err = new LiveText(outputBytes);
    this.#result.catch(() => {});
  }

  get stdout(): string {
    return this.#out.text;
  }

  get stderr(): string {
    return this.#err.text;
  }

  read(stream: 'stdout' | 'stderr'): AsyncIterable<string> {
    return stream === 'stdout' ? this.#out : this.#err;
  }

  wait(): Promise<AgentResult> {
    return this.#result;
  }

  async stop(how: 'graceful' | 'force'): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    if (how === 'graceful' && this.#sandbox) {
      timer = setTimeout(() => this.#abort.abort(), this.#graceMs);
      await this.#sandbox.stop('term').catch(() => this.#abort.abort());
    } else {
      this.#abort.abort();
    }
    await this.#result.catch(() => {});
    clearTimeout(timer);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop('force');
  }

  /** Aborts when the run is to end by force. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  push(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    (stream === 'stdout' ? this.#out : this.#err).push(chunk);
  }

  /** @param result what it will come to; one that nobody waits for ends no process */
  endsWith(result: Promise<AgentResult>): void {
    this.#result = result.finally(() => {
      this.#out.end();
      this.#err.end();
    });
    this.#result.catch(() => {});
  }

  /** The program runs. */
  began(backend: string, sandbox: Pick<Sandbox, 'stop'>): void {
    this.backend = backend;
    this.#sandbox = sandbox;
  }
}
