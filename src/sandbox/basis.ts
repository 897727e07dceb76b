import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { limitsOf } from '../config/limits.js';
import type { Config } from '../config/schema.js';
import { defaultCacheFolder } from '../images/cache.js';
import { ownPlaces } from '../launcher/folder.js';
import { type Hazards, surveyHost } from '../policy/hazards.js';
import { hostRoot } from '../policy/hostroot.js';
import { nodeHost } from '../policy/node-host.js';
import type { Root } from '../policy/plan.js';
import type { PolicyFacts } from '../policy/prepare.js';
import { packageFolder } from '../supervisor/binary.js';
import type { Backend } from './backend.js';
import { memo } from './memo.js';
import { requireRuntime } from './runtime.js';

/** What the policy judges by, apart from the root, which differs from run to run. */
export type PolicyBasis = Omit<PolicyFacts, 'root'>;

/** The host and the configuration, as the policy needs them. */
export class Basis {
  readonly #config: Config;
  readonly #roots = new Map<boolean, Promise<Root>>();
  readonly #hazards = new WeakMap<Backend, Promise<Hazards>>();

  constructor(config: Config) {
    this.#config = config;
  }

  /** What runs on a backend are judged by; the host is looked at once for each backend. */
  async facts(backend: Backend): Promise<PolicyBasis> {
    const { safety, limits, engine } = this.#config;
    if (engine.runtime) requireRuntime(backend, engine.runtime);
    const runAs = parseUser(safety.runAs);
    return {
      config: {
        limits: limitsOf(this.#config),
        maxTimeoutMs: limits.maxTimeoutMs,
        sockets: safety.sockets,
        rootFolders: safety.rootFolders,
        protect: safety.protect,
        ...(runAs ? { runAs } : {}),
        ...(engine.runtime ? { runtime: engine.runtime } : {}),
      },
      host: nodeHost,
      searchPath: process.env.PATH,
      hazards: await this.#survey(backend),
      engine: backend.engine,
      service: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, groups: process.getgroups?.() ?? [] },
    };
  }

  /** The host's own system folders as a root. */
  hostRoot(): Promise<Root> {
    const { localPrograms: usrLocal } = this.#config.root;
    return memo(this.#roots, usrLocal, async () => {
      const { root, entries } = await hostRoot(nodeHost, { usrLocal });
      return { ...root, entries };
    });
  }

  #survey(backend: Backend): Promise<Hazards> {
    return memo(this.#hazards, backend, () => {
      const known = { env: process.env, home: homedir(), launchers: ownPlaces(), own: ownPaths() };
      return surveyHost(nodeHost, { ...known, ...backend.places });
    });
  }
}

/** What this process is made of, starts, or builds images from. Who may not write over Node cannot write beside it either. */
function ownPaths(): string[] {
  const { execPath } = process;
  return [packageFolder(), execPath, join(dirname(execPath), '../lib/node_modules'), defaultCacheFolder()];
}

function parseUser(text: string): { uid: number; gid: number } | undefined {
  if (text === '') return undefined;
  const [uid, gid] = text.split(':').map(Number);
  return { uid: uid!, gid: gid! };
}
