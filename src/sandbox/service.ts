import type { CodeSandboxService, Logger, SandboxRunRequest } from '../aalis.js';
import type { Config } from '../config/schema.js';
import type { Plan } from '../policy/plan.js';
import { type PreparedRun, prepareChecked } from '../policy/prepare.js';
import { type CheckedRequest, checkRequest } from '../policy/request.js';
import { writableTops } from '../policy/writable.js';
import { GUARANTEE, type Guarantee, type ProbeReport } from '../probe/report.js';
import type { Backend, Sandbox } from './backend.js';
import type { Basis } from './basis.js';
import { beforeAbort } from './before-abort.js';
import { Cleanup } from './cleanup.js';
import { BackendUnavailable, RunFailed } from './errors.js';
import { execute, platformError, type RunOptions } from './execute.js';
import { guarded } from './guarded.js';
import { knownCommands } from './known.js';
import { once } from './once.js';
import type { Presence } from './presence.js';
import type { Prove } from './proof.js';
import type { RunQueue } from './queue.js';
import { aborted, type RunResult } from './result.js';
import type { Roots } from './roots.js';
import { type Selection, whyNone } from './select.js';
import { stripSetIds } from './setid.js';
import { endingOf } from './stdin.js';
import { sweepHost } from './sweep.js';
import { type Tailoring, tailor } from './tailoring.js';

/** Writable folders of earlier runs that are remembered; beyond, a link in one is judged by who owns its folder. */
const MOST_WRITTEN = 10_000;

/** A network whose proof failed is put to the proof again after this, when a run wants it. */
const NETWORK_AGAIN_MS = 10_000;

/** The sandbox as a library. `await using` closes it. */
export class CodeSandbox implements CodeSandboxService, AsyncDisposable {
  readonly #presence: Presence;
  readonly #prove: Prove;
  readonly #roots: Roots;
  readonly #basis: Basis;
  readonly #maxTimeoutMs: number;
  readonly #queue: RunQueue;
  readonly #cleanup: Cleanup;
  readonly #closing = new AbortController();
  /** Its own runs and proofs under way; others may share the queue. */
  readonly #work = new Set<Promise<unknown>>();
  readonly #networks = new WeakMap<Backend, { report: Promise<ProbeReport>; until: number }>();
  /** The same workspace comes with every run; one line about it is enough. */
  readonly #warnOnce: (warning: string) => void;
  /** Folders that runs of this process could write: a link in them may have been planted. */
  readonly #written = new Set<string>();

  /** Use {@link createCodeSandbox}. */
  constructor(parts: {
    config: Config;
    presence: Presence;
    prove: Prove;
    roots: Roots;
    basis: Basis;
    queue: RunQueue;
    logger: Logger;
  }) {
    this.#presence = parts.presence;
    this.#prove = parts.prove;
    this.#roots = parts.roots;
    this.#basis = parts.basis;
    this.#maxTimeoutMs = parts.config.limits.maxTimeoutMs;
    this.#warnOnce = once(warning => parts.logger.warn(warning));
    this.#queue = parts.queue;
    this.#cleanup = new Cleanup(parts.logger);
  }

  /** Whether a backend is there that passed its probe. */
  get available(): boolean {
    return !this.#closing.signal.aborted && this.#presence.current.backend !== undefined;
  }

  /** `podman`, `docker`, …, or `none (reason)`. */
  get backend(): string {
    if (this.#closing.signal.aborted) return 'none (the sandbox is closed)';
    const { current } = this.#presence;
    return current.backend?.name ?? `none (${whyNone(current)})`;
  }

  /** What was looked for and found, with the probe's report. */
  get selection(): Selection {
    return this.#presence.current;
  }

  /**
   * Runs one program in a sandbox of its own.
   * @returns its result, when it exited with 0
   * @throws RunFailed (with `.result`), InvalidRequest, BackendUnavailable or SandboxBusy
   */
  run(request: SandboxRunRequest, options: RunOptions = {}): Promise<RunResult> {
    return this.runTailored(request, options, {});
  }

  /** The same with what the contract has no words for. */
  async runTailored(request: SandboxRunRequest, options: RunOptions, tailoring: Tailoring): Promise<RunResult> {
    this.#closing.signal.throwIfAborted();
    using ending = endingOf(options.stdin, options.signal, this.#closing.signal);
    const { signal } = ending;
    const wanted = checkRequest(request, this.#maxTimeoutMs);
    const tell = (warning: string) => this.#warnOnce(warning);
    let ran = false;
    const onStart = (sandbox: Pick<Sandbox, 'stop'>) => {
      ran = true;
      options.onStart?.(sandbox);
    };
    const own = {
      ...options,
      signal,
      onStdout: guarded('onStdout', options.onStdout, tell),
      onStderr: guarded('onStderr', options.onStderr, tell),
      onStart: guarded('onStart', onStart, tell),
    };
    const asked = performance.now();
    try {
      // What waits holds nothing: neither a backend, which may be gone by then, nor descriptors of its folders.
      return await this.#track(this.#queue.add(() => this.#runNow(wanted, own, tailoring, asked), signal));
    } catch (error) {
      if (signal.aborted && !(error instanceof RunFailed))
        throw aborted(this.#presence.current.backend?.name ?? 'none', ran);
      throw error;
    }
  }

  /** @param asked when its caller asked for it, by performance.now() */
  async #runNow(
    wanted: CheckedRequest,
    options: RunOptions & { signal: AbortSignal },
    tailoring: Tailoring,
    asked: number,
  ): Promise<RunResult> {
    const { signal } = options;
    await this.#cleanup.room(signal);
    using lease = await beforeAbort(this.#presence.require(asked), signal, late => late[Symbol.dispose]());
    const { backend, report } = lease;
    const { cmd } = wanted;
    let prepared: PreparedRun | undefined;
    let used: Sandbox | undefined;
    const started = Date.now();
    try {
      if (wanted.policy.network === 'allow') await beforeAbort(this.#requireNetwork(backend), signal);
      const { image } = tailoring;
      const choosing = image ? this.#roots.named(backend, image) : this.#roots.rootFor(backend, cmd);
      const root = await beforeAbort(choosing, signal);
      const facts = { ...(await this.#basis.facts(backend)), root, planted: [...this.#written] };
      prepared = await prepareChecked(wanted, tailor(facts, backend, tailoring));
      for (const { source } of writableTops(prepared.plan.mounts)) this.#remember(source);
      for (const warning of prepared.warnings) this.#warnOnce(warning);
      const known = knownCommands(root, report);
      const furnished = (await tailoring.furnish?.(prepared, lease)) ?? prepared;
      const run = { command: cmd, known, options, prepared: furnished };
      const opener = { name: backend.name, open: (plan: Plan) => this.#open(backend, plan, signal) };
      return await execute(opener, run, sandbox => {
        used = sandbox;
      });
    } catch (error) {
      // One that was left is not asked: the answer would be waited for.
      throw signal.aborted ? error : await this.#blame(error, backend);
    } finally {
      try {
        if (prepared) for (const warning of await stripSetIds(prepared.plan, started)) this.#warnOnce(warning);
        await prepared?.release();
      } finally {
        // Last: removing it, and making the next one, keep the processors busy, for which the result would wait.
        if (used) this.#dispose(used);
      }
    }
  }

  /** Where programs come from, for people. */
  get rootName(): string {
    return this.#roots.label;
  }

  /**
   * What runs with network `allow` are kept from: the second guarantee, proven once for each backend in sandboxes that have
   * a network, before the first such run. The report of {@link selection} is about `deny`, as most runs are.
   * @returns it, also where it fails
   * @throws BackendUnavailable when there is no backend, it has no such network, or only other guarantees fail there
   */
  async proveNetwork(): Promise<Guarantee> {
    using lease = await this.#presence.require();
    const report = await this.#networkOf(lease.backend);
    const found = report.guarantees.find(({ id }) => id === GUARANTEE.network);
    if (found && (report.ok || found.status === 'failed')) return found;
    throw networkRefused(lease.backend, report);
  }

  #networkOf(backend: Backend): Promise<ProbeReport> {
    const known = this.#networks.get(backend);
    if (known && performance.now() < known.until) return known.report;
    const made = {
      report: this.#track(this.#prove(backend, 'allow', this.#closing.signal)),
      until: Number.POSITIVE_INFINITY,
    };
    this.#networks.set(backend, made);
    return made.report.then(report => {
      // What fails on a busy machine need not fail again.
      if (!report.ok) made.until = performance.now() + NETWORK_AGAIN_MS;
      return report;
    });
  }

  async #requireNetwork(backend: Backend): Promise<void> {
    const report = await this.#networkOf(backend);
    if (!report.ok) throw networkRefused(backend, report);
  }

  /**
   * Removes what dead owners left behind, and answers how many sandboxes and folders that were.
   * @throws BackendUnavailable when there is no backend, or it refuses, once this host is swept
   */
  async prune(): Promise<number> {
    const onHost = await sweepHost();
    using lease = await this.#presence.require();
    try {
      return onHost + ((await lease.backend.sweep?.()) ?? 0);
    } catch (error) {
      throw await this.#blame(error, lease.backend);
    }
  }

  /** Ends every run, waits until its containers are gone, and lets go of the engine. */
  async close(): Promise<void> {
    this.#presence.current.backend?.quiesce?.();
    this.#closing.abort(new BackendUnavailable('The sandbox is closed.'));
    await Promise.allSettled(this.#work);
    await this.#cleanup.idle();
    await this.#roots.close();
    await this.#presence.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work);
    const over = () => this.#work.delete(work);
    work.then(over, over);
    return work;
  }

  /** For a run that leaves when it is aborted: what was being opened is removed behind it. */
  #open(backend: Backend, plan: Plan, signal: AbortSignal): Promise<Sandbox> {
    const opening = backend.open(plan, signal);
    return beforeAbort(opening, signal).catch(error => {
      const removed = opening.then(
        late => late.close(),
        () => {},
      );
      if (signal.aborted) this.#cleanup.add('removing a sandbox of an aborted run', removed);
      throw error;
    });
  }

  #dispose(sandbox: Sandbox): void {
    this.#cleanup.add(`removing container ${sandbox.id.slice(0, 12)}`, sandbox.close());
  }

  #remember(folder: string): void {
    this.#written.add(folder);
    if (this.#written.size <= MOST_WRITTEN) return;
    const [oldest] = this.#written;
    this.#written.delete(oldest!);
  }

  /** A backend that failed is asked whether it is still there. */
  async #blame(error: unknown, backend: Backend): Promise<unknown> {
    const blamed = platformError(error, backend.name);
    if (blamed instanceof BackendUnavailable && !(await backend.alive())) this.#presence.lost(backend, blamed.message);
    return blamed;
  }
}

function networkRefused({ label }: Backend, { reason }: ProbeReport): BackendUnavailable {
  return new BackendUnavailable(`${label} runs nothing with network allow: ${reason ?? 'the probe gave no report'}.`);
}
