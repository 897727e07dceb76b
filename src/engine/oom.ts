import { readFileSync } from 'node:fs';
import type { EngineClient } from './client.js';
import { inspectContainer } from './containers.js';

/** What the kernel counted for one container, read from the host. */
export interface HostCounters {
  oomKills: number | null;
  peakMemoryBytes: number | null;
}

const UNKNOWN: HostCounters = { oomKills: null, peakMemoryBytes: null };

/**
 * The counters of containers whose view of the cgroup tree is hidden (cgroup v1), so that the supervisor cannot read
 * them. Podman tells the path of a container's cgroup, which outlives the program by some 37 ms only: so the path is asked
 * for once, and the others follow from it. Docker's cgroup is gone by then, but Docker noted the kill itself.
 */
export class HostCounterReader {
  readonly #client: EngineClient;
  /** Path of a container's cgroup, with an empty string in place of its id: text before it and behind it. */
  #pattern: [before: string, behind: string] | undefined;

  constructor(client: EngineClient) {
    this.#client = client;
  }

  /** To be called while the container runs; the first time it asks the engine where its cgroups are. */
  async prepare(id: string): Promise<void> {
    if (this.#client.facts.kind === 'docker' || this.#pattern) return;
    type Inspect = { State: { CgroupPath?: string } };
    const { body } = await this.#client.request<Inspect>({ path: `/libpod/containers/${id}/json` });
    const [before, behind] = body.State.CgroupPath?.split(id) ?? [];
    if (before !== undefined && behind !== undefined) this.#pattern = [before, behind];
  }

  /** To be called as soon as the program is over. */
  async read(id: string): Promise<HostCounters> {
    if (this.#client.facts.kind === 'docker') {
      const state = await inspectContainer(this.#client, id).catch(() => undefined);
      return state ? { ...UNKNOWN, oomKills: state.oomKilled ? 1 : 0 } : UNKNOWN;
    }
    if (!this.#pattern) return UNKNOWN;
    const folder = `/sys/fs/cgroup/memory${this.#pattern.join(id)}`;
    const kills = /^oom_kill (\d+)$/m.exec(readCounter(`${folder}/memory.oom_control`))?.[1];
    const peak = readCounter(`${folder}/memory.max_usage_in_bytes`);
    return { oomKills: kills === undefined ? null : Number(kills), peakMemoryBytes: peak ? Number(peak) : null };
  }
}

/** At once, without a turn of the event loop: the folder may be gone at the next. */
function readCounter(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
