import { availableParallelism } from 'node:os';
import PQueue from 'p-queue';
import { SandboxBusy } from './errors.js';
import { joined } from './joined.js';

/** Slots for runs, taken in order of arrival. */
export class RunQueue {
  readonly #queue: PQueue;
  readonly #maxQueue: number;
  readonly #section: string;

  /**
   * @param maxConcurrent runs at once; 0 means twice the number of cores
   * @param maxQueue runs that may wait
   * @param section what stands before the names of these two where they are set, for messages: `limits.`
   */
  constructor(maxConcurrent: number, maxQueue: number, section = '') {
    this.#queue = new PQueue({ concurrency: maxConcurrent || 2 * availableParallelism() });
    this.#maxQueue = maxQueue;
    this.#section = section;
  }

  /**
   * Runs `task` when a slot is free. A waiter whose signal aborts leaves the queue.
   * @throws SandboxBusy when all slots are taken and the queue is full
   */
  async add<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#queue.pending >= this.#queue.concurrency && this.#queue.size >= this.#maxQueue) {
      throw new SandboxBusy(
        `The sandbox is busy: ${this.#queue.pending} runs at once (${this.#section}maxConcurrent) and ${this.#queue.size} ` +
          `waiting (${this.#section}maxQueue). Try again later, or raise these limits.`,
      );
    }
    // The queue would let go of a task that runs, too; once it is started, the signal is the task's own matter.
    using waiting = joined(signal);
    const start = () => {
      waiting[Symbol.dispose]();
      return task();
    };
    signal?.throwIfAborted();
    return await this.#queue.add(start, { signal: waiting.signal });
  }

  /** Settles when nothing runs and nothing waits. */
  idle(): Promise<void> {
    return this.#queue.onIdle();
  }
}
