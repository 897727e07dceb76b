import type { CheckSpec, Context, DoctorService, Logger } from '../../src/aalis.js';
import { createLocalProcess } from '../../src/launcher/process.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';

/** A context as Aalis hands it to a plugin, which keeps what the plugin does with it. */
export class FakeContext implements Context {
  readonly id = 'aalis-plugin-code-sandbox-container';
  readonly provided: Array<{ name: string; service: CodeSandbox; priority?: number; label?: string; live: boolean }> =
    [];
  readonly checks: CheckSpec[] = [];
  readonly lines: string[] = [];
  readonly #disposers: Array<() => void | Promise<void>> = [];
  readonly logger: Logger;

  constructor() {
    const write = (level: string) => (message: string) => this.lines.push(`${level} ${message}`);
    const logger: Logger = {
      child: () => logger,
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
    };
    this.logger = logger;
  }

  provide(name: string, impl: object, options: { priority?: number; label?: string } = {}): () => void {
    const entry = { name, service: impl as CodeSandbox, ...options, live: true };
    this.provided.push(entry);
    return () => {
      entry.live = false;
    };
  }

  /** The registration that counts. */
  get winner() {
    return this.provided.filter(entry => entry.live).at(-1)!;
  }

  getService<T>(name: string): T | undefined {
    return name === 'process' ? (createLocalProcess() as T) : undefined;
  }

  whenService<T>(name: string, use: (service: T) => undefined | (() => void)): () => void {
    const doctor: DoctorService = {
      registerCheck: spec => {
        this.checks.push(spec);
        return () => {};
      },
    };
    return (name === 'doctor' && use(doctor as T)) || (() => {});
  }

  onDispose(fn: () => void | Promise<void>): () => void {
    this.#disposers.push(fn);
    return () => {};
  }

  async dispose(): Promise<void> {
    for (const fn of this.#disposers.reverse()) await fn();
  }
}
