import { readFile } from 'node:fs/promises';
import type { EngineClient } from './client.js';
import { inspectContainer } from './containers.js';

/** What the kernel counted for one container, read from the host. */
export interface HostCounters {
  oomKills: number | null;
  peakMemoryBytes: number | null;
}

/**
 * The counters of a container whose view of the cgroup tree is hidden (cgroup v1), so that the supervisor cannot read
 * them. Podman tells the path of the cgroup, which outlives the program by some 37 ms; Docker's is gone by then, but
 * Docker noted the kill itself.
 */
export class CounterReader {
  readonly #client: EngineClient;
  readonly #id: string;
  readonly #path: Promise<string | undefined>;

  /** To be made right after the start, since the path is found while the program runs. */
  constructor(client: EngineClient, id: string) {
    this.#client = client;
    this.#id = id;
    this.#path =
      client.facts.kind === 'podman' ? cgroupPath(client, id).catch(() => undefined) : Promise.resolve(undefined);
  }

  async read(): Promise<HostCounters> {
    const unknown = { oomKills: null, peakMemoryBytes: null };
    if (this.#client.facts.kind === 'docker') {
      const state = await inspectContainer(this.#client, this.#id).catch(() => undefined);
      return state ? { ...unknown, oomKills: state.oomKilled ? 1 : 0 } : unknown;
    }
    const path = await this.#path;
    if (!path) return unknown;
    const [control, peak] = await Promise.all([
      readCounter(path, 'oom_control'),
      readCounter(path, 'max_usage_in_bytes'),
    ]);
    const kills = /^oom_kill (\d+)$/m.exec(control ?? '')?.[1];
    return { oomKills: kills === undefined ? null : Number(kills), peakMemoryBytes: peak ? Number(peak) : null };
  }
}

async function cgroupPath(client: EngineClient, id: string): Promise<string | undefined> {
  type Inspect = { State: { CgroupPath?: string } };
  const { body } = await client.request<Inspect>({ path: `/libpod/containers/${id}/json` });
  return body.State.CgroupPath;
}

function readCounter(path: string, name: string): Promise<string | undefined> {
  return readFile(`/sys/fs/cgroup/memory${path}/memory.${name}`, 'utf8').catch(() => undefined);
}
