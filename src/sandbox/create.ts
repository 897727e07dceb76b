import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Logger, ProcessService } from '../aalis.js';
import { ignoredSettings } from '../config/ignored.js';
import { parseConfig } from '../config/parse.js';
import type { Config, ConfigInput } from '../config/schema.js';
import type { EngineBackendOptions } from '../engine/backend.js';
import { defaultCacheFolder } from '../images/cache.js';
import { Catalog } from '../images/catalog.js';
import { Preparation } from '../images/preparation.js';
import { createLocalProcess } from '../launcher/process.js';
import { withToolPath } from '../launcher/tool-path.js';
import { currentOwner } from '../reaper/owner.js';
import { Basis } from './basis.js';
import { once } from './once.js';
import { Presence } from './presence.js';
import { prover } from './proof.js';
import { RunQueue } from './queue.js';
import { Roots } from './roots.js';
import { type Selection, select } from './select.js';
import { CodeSandbox } from './service.js';
import { silentLogger } from './silent.js';
import { WarmBackend } from './warm-backend.js';

const RELABEL = { off: undefined, shared: 'z', private: 'Z' } as const;
/** A sandbox that waits ends by itself this long after it should have been used or removed. */
const IDLE_MARGIN_SECONDS = 60;

/** What the surroundings lend to a sandbox. */
export interface CreateOptions {
  logger?: Logger;
  /** How processes of the host are started; default: a local one. */
  process?: ProcessService;
  /** Slots that are shared with other runs; default: a queue of the configured size. */
  queue?: RunQueue;
  /** Called when another backend, or none, is in use. What it throws is logged. */
  onChange?: (sandbox: CodeSandbox) => void;
}

/**
 * Makes a sandbox: looks for an engine, proves the guarantees in a real container, and is ready. Without a usable engine
 * it is there all the same, `available` is false, and every run is refused.
 * @throws InvalidRequest when the configuration does not fit
 */
export async function createCodeSandbox(input: ConfigInput = {}, options: CreateOptions = {}): Promise<CodeSandbox> {
  const config = parseConfig(input);
  const { logger = silentLogger, onChange } = options;
  for (const setting of ignoredSettings(input, config)) {
    logger.warn(
      `the setting ${setting} is unknown and ignored; README.md lists those that there are, with their sections`,
    );
  }
  const process = options.process ? withToolPath(options.process) : createLocalProcess();
  const engine = engineOptions(config);
  const basis = new Basis(config);
  const roots = await rootsFor(config, basis, process, logger);
  const prove = prover(config, basis, roots);
  let ready = false;
  const presence = new Presence(
    async before => warmed(await select({ config, process, engine, logger, probe: prove }, before), config),
    logger,
    () => ready && onChange?.(sandbox),
  );
  const { maxConcurrent, maxQueue } = config.limits;
  const { queue = new RunQueue(maxConcurrent, maxQueue, 'limits.') } = options;
  const sandbox = new CodeSandbox({ config, presence, prove, roots, basis, queue, logger });
  await presence.search();
  ready = true;
  const { backend } = presence.current;
  if (config.root.prepare && backend) {
    roots.prepareAhead(backend).catch(error => logger.warn(`no image can be prepared: ${error.message}`));
  }
  return sandbox;
}

/** Of a new instance of this process's. */
export function engineOptions(config: Config): EngineBackendOptions {
  return {
    instance: randomBytes(8).toString('hex'),
    owner: currentOwner(),
    relabel: RELABEL[config.safety.selinux],
    idleSeconds: config.warm.idleSeconds + IDLE_MARGIN_SECONDS,
    etcDir: fileURLToPath(new URL('../../init/etc', import.meta.url)),
  };
}

async function rootsFor(config: Config, basis: Basis, process: ProcessService, logger: Logger): Promise<Roots> {
  const { prepare, base } = config.root;
  const { socket } = config.engine;
  const cache = defaultCacheFolder();
  return new Roots({
    config,
    catalog: await Catalog.load(
      config.imageDirs.map(({ folder }) => folder),
      fault => logger.error(fault.message),
    ),
    hostRoot: () => basis.hostRoot(),
    onChoice: once(message => logger.info(message)),
    ...(prepare
      ? { preparation: new Preparation({ process, logger, cache, base, ...(socket ? { endpoint: socket } : {}) }) }
      : {}),
  });
}

/**
 * Containers take 20 to 200 ms to start. The fallback, which starts fastest, does without any that wait; and with a label of
 * each container's own (safety.selinux: private) the next one would take the folders from the one that runs.
 */
function warmed(selection: Selection, { warm, safety }: Config): Selection {
  const { backend, kind } = selection;
  return backend && kind !== 'os' && warm.max > 0 && safety.selinux !== 'private'
    ? { ...selection, backend: new WarmBackend(backend, warm) }
    : selection;
}
