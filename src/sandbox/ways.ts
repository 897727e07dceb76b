import type { ProcessService } from '../aalis.js';
import type { Config } from '../config/schema.js';
import { EngineBackend, type EngineBackendOptions } from '../engine/backend.js';
import { discover } from '../engine/discover/discover.js';
import { BwrapBackend } from '../launcher/bwrap/backend.js';
import { NOT_INSTALLED } from '../launcher/bwrap/explain.js';
import { OciBackend } from '../launcher/oci/backend.js';
import { RUNTIME_NAMES } from '../launcher/oci/runtime.js';
import { SeatbeltBackend } from '../launcher/seatbelt/backend.js';
import { TOOL_PLACES, toolPath } from '../launcher/tool-path.js';
import type { Backend } from './backend.js';
import { messageOf } from './errors.js';

/** What looking for a backend takes. */
export interface WayOptions {
  config: Config;
  process: ProcessService;
  engine: EngineBackendOptions;
}

/** One place that was looked at. */
export interface Find {
  /** How it was looked for, such as `DOCKER_HOST` or `rootless Podman`. */
  strategy: string;
  endpoint?: string;
  /** `not-applicable`: there is nothing of the kind here; `declined`: there is, and it cannot be used. */
  outcome: 'found' | 'declined' | 'not-applicable';
  reason: string;
  /** The caller's, to keep or to close; with the outcome `found`. */
  backend?: Backend;
}

type Way = (options: WayOptions) => AsyncGenerator<Find, void, undefined>;

/** Where backends of each kind come from, best first within a kind. */
export const WAYS: Record<'engine' | 'oci' | 'os', Way> = { engine: engines, oci: runtimes, os: ofTheSystem };

/** A kind of backend, as the configuration's `order` names it. */
export type Kind = keyof typeof WAYS;

async function* engines({ config, process, engine: options }: WayOptions): AsyncGenerator<Find, void, undefined> {
  const { engine, socket } = config.engine;
  const search = { engine, process, ...(socket ? { endpoint: socket } : {}) };
  for await (const { client, outcome, ...attempt } of discover(search)) {
    if (!client) {
      yield { ...attempt, outcome: outcome === 'connected' ? 'declined' : outcome };
      continue;
    }
    try {
      yield { ...attempt, outcome: 'found', backend: await EngineBackend.over(client, options) };
    } catch (error) {
      // Its socket went away in between.
      await client.close().catch(() => {});
      yield { ...attempt, outcome: 'declined', reason: (error as Error).message };
    }
  }
}

/** OCI runtimes without an engine, in the user's own hands. */
async function* runtimes({ config, process, engine }: WayOptions): AsyncGenerator<Find, void, undefined> {
  const { runtime } = config.engine;
  for (const name of runtime ? [runtime] : RUNTIME_NAMES) {
    const strategy = `OCI runtime ${name}`;
    if (globalThis.process.platform !== 'linux') {
      yield { strategy, outcome: 'not-applicable', reason: 'OCI runtimes are for Linux' };
      continue;
    }
    if (!toolPath(name)) {
      yield { strategy, outcome: 'not-applicable', reason: `there is no ${name} in ${TOOL_PLACES}` };
      continue;
    }
    try {
      const backend = await OciBackend.find(name, { process, ...engine });
      yield { strategy, outcome: 'found', reason: backend.label, backend };
    } catch (error) {
      yield { strategy, outcome: 'declined', reason: messageOf(error) };
    }
  }
}

/** The operating system's own means. */
async function* ofTheSystem({ process, engine }: WayOptions): AsyncGenerator<Find, void, undefined> {
  const { platform } = globalThis.process;
  if (platform !== 'linux' && platform !== 'darwin') {
    const reason = `it has none for ${platform}: install Docker Desktop or Podman`;
    yield { strategy: 'the operating system', outcome: 'not-applicable', reason };
    return;
  }
  const [strategy, Backend] = platform === 'linux' ? ['bubblewrap', BwrapBackend] : ['Seatbelt', SeatbeltBackend];
  if (platform === 'linux' && !toolPath('bwrap')) {
    yield { strategy, outcome: 'not-applicable', reason: NOT_INSTALLED };
    return;
  }
  try {
    const backend = await Backend.find({ process, instance: engine.instance, owner: engine.owner });
    yield { strategy, outcome: 'found', reason: backend.label, backend };
  } catch (error) {
    yield { strategy, outcome: 'declined', reason: messageOf(error) };
  }
}
