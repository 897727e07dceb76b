import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from '../aalis.js';
import type { Config } from '../config/schema.js';
import { quote } from '../policy/quote.js';
import { Cleanup } from '../sandbox/cleanup.js';
import { type Diagnosis, diagnose } from '../sandbox/doctor.js';
import { BackendUnavailable, InvalidRequest, RunFailed } from '../sandbox/errors.js';
import type { RunQueue } from '../sandbox/queue.js';
import type { RunResult } from '../sandbox/result.js';
import type { CodeSandbox } from '../sandbox/service.js';
import { endingOf } from '../sandbox/stdin.js';
import { collect } from './artifacts.js';
import { runDirectly, runSandboxed, type Task } from './carry-out.js';
import type { AgentHandle } from './handle.js';
import { Journal } from './journal.js';
import { limitsFor, type Ranges, rangesOf } from './limits.js';
import { LiveRun } from './live-run.js';
import type { Settings } from './options.js';
import { type AgentRequest, type CheckedAgentRequest, checkAgentRequest } from './request.js';
import { type AgentResult, memoryLimitOf, NO_MEMORY_LIMIT } from './result.js';
import { RunDir } from './run-dir.js';
import { streamsOf } from './streams.js';
import { checkWorkspace } from './workspace.js';

/** Sandboxed runs for programs that drive an agent. `await using` closes it. */
export class AgentSandbox implements AsyncDisposable {
  readonly #settings: Settings;
  readonly #ranges: Ranges;
  readonly #config: Config;
  readonly #dataDir: string;
  readonly #queue: RunQueue;
  readonly #sandbox: CodeSandbox | undefined;
  readonly #journal: Journal;
  readonly #logger: Logger;
  readonly #cleanup: Cleanup;
  readonly #closing = new AbortController();

  /** Use {@link createAgentSandbox}. */
  constructor(parts: {
    settings: Settings;
    config: Config;
    /** Canonical. */
    dataDir: string;
    queue: RunQueue;
    /** Missing where every run is refused. */
    sandbox: CodeSandbox | undefined;
    logger: Logger;
  }) {
    this.#settings = parts.settings;
    this.#ranges = rangesOf(parts.settings.limits);
    this.#config = parts.config;
    this.#dataDir = parts.dataDir;
    this.#queue = parts.queue;
    this.#sandbox = parts.sandbox;
    this.#logger = parts.logger;
    this.#journal = new Journal(parts.dataDir, parts.settings.audit, parts.logger);
    this.#cleanup = new Cleanup(parts.logger);
  }

  /** What runs go to, which guarantees it keeps, and what to do about those that it does not. */
  async probe(): Promise<Diagnosis> {
    if (this.#sandbox) return diagnose(this.#sandbox.selection);
    return { ...diagnose({ candidates: [] }), backend: 'none (mode is off)' };
  }

  /**
   * Starts a run, when a slot is free, and settles when its program runs.
   * @throws InvalidRequest before anything is created; BackendUnavailable; SandboxBusy
   */
  async start(request: AgentRequest): Promise<AgentHandle> {
    this.#closing.signal.throwIfAborted();
    const checked = checkAgentRequest(request);
    const { limits, warnings } = limitsFor(checked, this.#ranges, this.#config.limits.cpus);
    const run = new LiveRun(randomBytes(12).toString('hex'), limits.outputBytes!, this.#settings.graceMs);
    const begun = Promise.withResolvers<void>();
    const streams = streamsOf(checked, run, warnings);
    const ending = endingOf(streams.stdin, run.signal, this.#closing.signal, checked.signal);
    try {
      this.#permit(checked);
      await checkWorkspace(checked.workspaceDir, checked.cwd, this.#dataDir);
    } catch (error) {
      ending[Symbol.dispose]();
      throw error;
    }
    const task: Task = {
      request: checked,
      run,
      dir: new RunDir(this.#dataDir, run.id),
      limits,
      warnings,
      options: { ...streams, signal: ending.signal },
      started: begun.resolve,
    };
    const carriedOut = this.#journal.follow(run.id, checked, () => this.#carryOut(task));
    run.endsWith(carriedOut.finally(() => ending[Symbol.dispose]()));
    const over = run.wait().then(() => begun.resolve(), begun.reject);
    this.#cleanup.add(`run ${run.id}`, over);
    await begun.promise;
    return run;
  }

  /** Starts a run and waits for its end. @throws as {@link start} and {@link AgentHandle.wait} */
  async run(request: AgentRequest): Promise<AgentResult> {
    return (await this.start(request)).wait();
  }

  /** Ends every run, waits until nothing of them is left, and lets go of the engine. */
  async close(): Promise<void> {
    this.#closing.abort(new BackendUnavailable('The agent sandbox is closed.'));
    await this.#queue.idle();
    await this.#sandbox?.close();
    await this.#cleanup.idle();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #permit({ access, command }: CheckedAgentRequest): void {
    const refuse = (why: string) => new InvalidRequest(`The run of ${quote(command)} is refused: ${why}.`, 'refused');
    if (!this.#sandbox) throw refuse('the mode of this sandbox is off; required and best-effort run code');
    if (access !== 'danger-full-access') return;
    if (!this.#settings.allow.includes(access)) {
      throw refuse(`access ${access} runs on the host itself, and the operator's option "allow" does not name it`);
    }
    this.#logger.warn(`${quote(command)} runs on the host itself, without a sandbox (${access})`);
  }

  async #carryOut(task: Task): Promise<AgentResult> {
    const { request, run, dir, warnings } = task;
    const direct = request.access === 'danger-full-access';
    if (direct) warnings.push('The program ran on the host itself, without a sandbox, and network was open to it.');
    try {
      const outcome = await resultOf(
        direct
          ? runDirectly(this.#queue, this.#config, task)
          : runSandboxed(this.#sandbox!, this.#settings.protect, task),
      );
      const { artifacts, omitted } = await collect(
        join(dir.scratch, 'artifacts'),
        dir.artifacts,
        this.#settings.artifacts,
      );
      const memory = direct ? NO_MEMORY_LIMIT : memoryLimitOf(task.report);
      return { ...outcome, id: run.id, access: request.access, ...memory, artifacts, omitted, warnings };
    } finally {
      this.#cleanup.add(`removing the scratch folder of run ${run.id}`, dir.close());
    }
  }
}

/** How a program ended is a result, whatever it is. */
async function resultOf(run: Promise<RunResult>): Promise<RunResult> {
  return run.catch(error => {
    if (error instanceof RunFailed) return error.result;
    throw error;
  });
}
