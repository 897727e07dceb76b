import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mount, Plan, Root } from '../../policy/plan.js';
import type { Ids } from '../../policy/user.js';
import { fitRoot } from '../../roots/fit.js';
import { makeBase } from './base.js';

/** Bases that nobody uses and that are kept all the same: the next run has most likely the same folders. */
const MOST_IDLE = 16;

/** A root to start from. */
export interface Base {
  /** Folder of the host that becomes the root. */
  path: string;
  /** The plan's, with room for the policy's folders. */
  root: Root;
  release(): void;
}

interface Entry {
  made: Promise<{ path: string; root: Root }>;
  users: number;
}

/** The folders under the roots, one for each layout, shared by the runs that have it: nothing can write there. */
export class Bases {
  readonly #folder: string;
  readonly #entries = new Map<string, Entry>();

  /** @param folder of this process's own */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * @param inside ids of its code, inside
   * @param bindsFor all bind mounts of a sandbox with this root
   */
  async acquire(plan: Plan, inside: Ids, bindsFor: (root: Root) => Mount[]): Promise<Base> {
    const key = JSON.stringify([inside, bindsFor(plan.root).map(({ source, target }) => [source, target])]);
    const entry = this.#entries.get(key) ?? { made: this.#make(plan, inside, bindsFor), users: 0 };
    // The order of the map is that of the last use.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.users += 1;
    try {
      return { ...(await entry.made), release: () => this.#release(entry) };
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      throw error;
    }
  }

  async #make(plan: Plan, inside: Ids, bindsFor: (root: Root) => Mount[]): Promise<{ path: string; root: Root }> {
    const path = join(this.#folder, randomBytes(8).toString('hex'));
    const root = await fitRoot(
      plan.root,
      plan.mounts.map(({ target }) => target),
    );
    try {
      await makeBase(path, root, bindsFor(root), inside);
    } catch (error) {
      await rm(path, { recursive: true, force: true });
      throw error;
    }
    return { path, root };
  }

  #release(entry: Entry): void {
    entry.users -= 1;
    const idle = [...this.#entries].filter(([, { users }]) => users === 0);
    for (const [key, { made }] of idle.slice(0, Math.max(0, idle.length - MOST_IDLE))) {
      this.#entries.delete(key);
      made.then(({ path }) => rm(path, { recursive: true, force: true })).catch(() => {});
    }
  }
}
