import { freemem, totalmem } from 'node:os';
import type { Held } from '../policy/host.js';
import { parseMountinfo, submountsOf } from '../policy/mountinfo.js';
import { nodeHost } from '../policy/node-host.js';
import type { Plan } from '../policy/plan.js';
import type { Sandbox } from './backend.js';
import { average, type Footprint, meter } from './footprint.js';

/** How often waiting sandboxes are looked at for memory pressure. */
const LOOK_MS = 5000;
/** Below this share of free memory nothing waits. */
const LEAST_FREE = 0.1;

/**
 * Least time limit that a waiting sandbox is made for. The run's own counts, and goes with the frame; this one only bounds
 * the engine's backstop behind it, and serves runs that differ in nothing else.
 */
const LEAST_TIMEOUT_MS = 300_000;

/** What the pool needs of a backend. */
export type Opener = (plan: Plan) => Promise<Sandbox>;

/** How the pool has done so far. */
export interface WarmStats {
  hits: number;
  misses: number;
  waiting: number;
  /** What one that waits costs this host on average, since it began to wait; missing where that cannot be told. */
  each?: Footprint;
}

interface Entry {
  key: string;
  plan: Plan;
  sandbox: Promise<Sandbox>;
  held: Held[];
  timer: NodeJS.Timeout;
  /** What it costs since it began to wait, where its supervisor is a process of this host. */
  cost?: () => Footprint;
}

/**
 * Sandboxes that were started before their run is known: each waits for the one run of an equal plan, and is used once
 * or thrown away. Nothing of one run can reach another through it, since no program has been in it before.
 */
export class WarmPool {
  readonly #open: Opener;
  readonly #max: number;
  readonly #idleMs: number;
  readonly #scarce: () => boolean;
  readonly #entries: Entry[] = [];
  readonly #seen = new Set<string>();
  readonly #closing = new Set<Promise<void>>();
  readonly #watch: NodeJS.Timeout;
  #hits = 0;
  #misses = 0;
  #closed = false;

  /**
   * @param max sandboxes that wait at once, over all plans; @param idleMs how long one waits
   * @param scarce whether memory is, so that nothing is to wait
   */
  constructor(open: Opener, max: number, idleMs: number, scarce = memoryIsScarce) {
    this.#open = open;
    this.#max = max;
    this.#idleMs = idleMs;
    this.#scarce = scarce;
    this.#watch = setInterval(() => scarce() && this.clear(), LOOK_MS);
    this.#watch.unref();
  }

  get stats(): WarmStats {
    const each = average(this.#entries.flatMap(({ cost }) => cost?.() ?? []));
    return { hits: this.#hits, misses: this.#misses, waiting: this.#entries.length, ...(each ? { each } : {}) };
  }

  /** A sandbox that waits for just this plan, or undefined: then the run is a cold one. */
  async take(plan: Plan): Promise<Sandbox | undefined> {
    const key = keyOf(plan);
    const find = () => this.#entries.find(entry => entry.key === key && fits(entry.plan, plan));
    for (let entry = find(); entry; entry = find()) {
      this.#remove(entry);
      const sandbox = await entry.sandbox.catch(() => undefined);
      await letGo(entry);
      if (!sandbox) break;
      if (!sandbox.ended) {
        this.#hits += 1;
        return sandbox;
      }
      this.#dispose(sandbox);
    }
    this.#misses += 1;
    return undefined;
  }

  /**
   * There was a run of this plan: the next is likely to be the same, where it is the first plan of all, or has come before.
   */
  expect(plan: Plan): void {
    const key = keyOf(plan);
    const again = this.#seen.size === 0 || this.#seen.has(key);
    this.#seen.delete(key);
    this.#seen.add(key);
    const [oldest] = this.#seen;
    if (this.#seen.size > 64) this.#seen.delete(oldest!);
    if (again && !this.#closed) this.#prepare(key, plan);
  }

  /** Throws away what waits. */
  clear(): void {
    for (const entry of [...this.#entries]) this.#drop(entry);
  }

  /** Nothing is made any more. */
  stop(): void {
    this.#closed = true;
    clearInterval(this.#watch);
  }

  /** Likewise, and nothing waits; settles when what waited is gone. */
  async close(): Promise<void> {
    this.stop();
    this.clear();
    while (this.#closing.size > 0) await Promise.all(this.#closing);
  }

  #prepare(key: string, wanted: Plan): void {
    if (this.#scarce() || !this.#makeRoom(key)) return;
    const timeoutMs = Math.max(wanted.limits.timeoutMs, LEAST_TIMEOUT_MS);
    const plan = { ...wanted, limits: { ...wanted.limits, timeoutMs } };
    const held: Held[] = [];
    const entry: Entry = {
      key,
      plan,
      held,
      sandbox: hold(plan, held).then(() => this.#openParked(entry)),
      timer: setTimeout(() => this.#drop(entry), this.#idleMs),
    };
    entry.timer.unref();
    this.#entries.push(entry);
    entry.sandbox.catch(() => this.#drop(entry));
  }

  async #openParked(entry: Entry): Promise<Sandbox> {
    const sandbox = await this.#open(entry.plan);
    try {
      const pid = await sandbox.park?.();
      await requireSubmounts(entry.plan);
      if (pid !== undefined) entry.cost = meter(pid);
      return sandbox;
    } catch (error) {
      this.#dispose(sandbox);
      throw error;
    }
  }

  /** The pool is shared evenly: a plan that has none yet takes the place of the oldest of one that has more. */
  #makeRoom(key: string): boolean {
    if (this.#entries.length < this.#max) return true;
    const count = (of: string) => this.#entries.filter(entry => entry.key === of).length;
    const richest = this.#entries.find(entry => entry.key !== key && count(entry.key) > count(key));
    if (!richest) return false;
    this.#drop(richest);
    return true;
  }

  #remove(entry: Entry): void {
    clearTimeout(entry.timer);
    const at = this.#entries.indexOf(entry);
    if (at >= 0) this.#entries.splice(at, 1);
  }

  #drop(entry: Entry): void {
    if (!this.#entries.includes(entry)) return;
    this.#remove(entry);
    const closed = entry.sandbox.then(
      sandbox => sandbox.close(),
      () => {},
    );
    // Not before: as long as the sandbox is being opened, more may come to be held.
    this.#track(closed.finally(() => letGo(entry)));
  }

  #dispose(sandbox: Sandbox): void {
    this.#track(sandbox.close());
  }

  #track(work: Promise<void>): void {
    // What cannot be removed now is left to the sweep.
    const done = work.catch(() => {}).finally(() => this.#closing.delete(done));
    this.#closing.add(done);
  }
}

/**
 * Keeps what is mounted open, so that none of the inodes can come to mean something else while the sandbox waits.
 * @throws Error when one is no longer what the plan means
 */
async function hold(plan: Plan, held: Held[]): Promise<void> {
  for (const { source, identity } of plan.mounts) {
    const each = await nodeHost.hold(source);
    held.push(each);
    const { device, inode } = each.facts.identity;
    if (device !== identity?.device || inode !== identity.inode) throw new Error(`${source} was replaced`);
  }
}

/**
 * What is mounted below a folder comes along, as it was when the sandbox was made. The plan says what the policy judged, and
 * a plan with other mounts below its folders is another one.
 * @throws Error when it is no longer, or was not yet, what the plan says
 */
async function requireSubmounts(plan: Plan): Promise<void> {
  const mounts = parseMountinfo(await nodeHost.readText('/proc/self/mountinfo'));
  for (const { source, below } of plan.mounts) {
    if (submountsOf(mounts, source)?.join() !== below?.join()) throw new Error(`other mounts are below ${source}`);
  }
}

function memoryIsScarce(): boolean {
  return freemem() < LEAST_FREE * totalmem();
}

async function letGo({ held }: Entry): Promise<void> {
  await Promise.all(held.splice(0).map(each => each.close()));
}

function fits(waiting: Plan, wanted: Plan): boolean {
  return waiting.limits.timeoutMs >= wanted.limits.timeoutMs;
}

/** Equal for plans whose sandboxes are interchangeable; what only the frame carries does not count. */
function keyOf({ limits, ...plan }: Plan): string {
  const { timeoutMs, outputBytes, diskFloorBytes, fileBytes, ...built } = limits;
  return JSON.stringify({ ...plan, built }, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}
