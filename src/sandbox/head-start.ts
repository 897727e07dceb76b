import type { Program } from '../supervisor/frame.js';
import type { Ending, Sandbox, Sinks } from './backend.js';

/** Longer than most programs take; what goes on longer shares the processors anyway. */
const HEAD_START_MS = 100;

/** A sandbox that tells, once, when what is to be done beside it may begin: a moment after it is there, or when it is over. */
export class HeadStart implements Sandbox {
  readonly #sandbox: Sandbox;
  readonly #timer: NodeJS.Timeout;
  #tell: (() => void) | undefined;

  constructor(sandbox: Sandbox, tell: () => void) {
    this.#sandbox = sandbox;
    this.#tell = tell;
    this.#timer = setTimeout(() => this.#over(), HEAD_START_MS);
    this.#timer.unref();
  }

  get id(): string {
    return this.#sandbox.id;
  }

  get image(): string {
    return this.#sandbox.image;
  }

  get ended(): boolean {
    return this.#sandbox.ended;
  }

  run(program: Program, sinks: Sinks, stdin?: NodeJS.ReadableStream): Promise<Ending> {
    return this.#sandbox.run(program, sinks, stdin);
  }

  stop(how: 'term' | 'kill'): Promise<void> {
    return this.#sandbox.stop(how);
  }

  close(): Promise<void> {
    this.#over();
    return this.#sandbox.close();
  }

  #over(): void {
    clearTimeout(this.#timer);
    this.#tell?.();
    this.#tell = undefined;
  }
}
