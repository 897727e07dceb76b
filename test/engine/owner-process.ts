import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { OwnEngine } from '../support/own-engine.js';
import type { EngineProxy } from '../support/proxy.js';

const PROGRAM = fileURLToPath(new URL('owner.mjs', import.meta.url));

/**
 * What an owner has under way: a program that writes all the time, without stdin or with it; a short one, once it is told to
 * go; or a sandbox that waits, after such a one.
 */
export type Work = 'beats' | 'stdin' | 'short' | 'waits';

/** A process that owns sandboxes on an engine, by way of a proxy, for a test that kills it. */
export class OwnerProcess {
  readonly #process: ChildProcess;
  readonly #proxy: EngineProxy;

  /** @param prefix put before its command line */
  constructor(engine: OwnEngine, proxy: EngineProxy, folder: string, work: Work, prefix: string[] = []) {
    const { kind, weak } = engine.target;
    const args = [proxy.socket, kind, folder, work, weak ? 'weak' : 'strong'];
    const [command, ...rest] = [...prefix, process.execPath, PROGRAM, ...args];
    this.#process = spawn(command!, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#proxy = proxy;
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /** To be awaited once: what else it said by then is not kept. */
  async says(word: string): Promise<void> {
    const other: string[] = [];
    for await (const line of createInterface({ input: this.#process.stdout! })) {
      if (line === word) return;
      other.push(line);
    }
    throw new Error(`the owner ended before it said "${word}"; it said: ${other.join(' | ')}`);
  }

  go(): void {
    this.#process.stdin!.write('go\n');
  }

  /** SIGKILL. The engine sees its connections break, as it would without the proxy. */
  async kill(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
    this.#proxy.cutAll();
  }
}
