import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Logger, ProcessService } from '../aalis.js';
import { parseConfig } from '../config/parse.js';
import type { ConfigInput } from '../config/schema.js';
import { createLocalProcess } from '../launcher/process.js';
import { currentOwner } from '../reaper/owner.js';
import { Basis } from './basis.js';
import { Presence } from './presence.js';
import { prover } from './proof.js';
import { Roots } from './roots.js';
import { select } from './select.js';
import { CodeSandbox } from './service.js';
import { silentLogger } from './silent.js';

/** What the surroundings lend to a sandbox. */
export interface CreateOptions {
  logger?: Logger;
  /** How processes of the host are started; default: a local one. */
  process?: ProcessService;
  /** Called when another backend, or none, is in use. */
  onChange?: (sandbox: CodeSandbox) => void;
}

/**
 * Makes a sandbox: looks for an engine, proves the guarantees in a real container, and is ready. Without a usable engine
 * it is there all the same, `available` is false, and every run is refused.
 * @throws InvalidRequest when the configuration does not fit
 */
export async function createCodeSandbox(input: ConfigInput = {}, options: CreateOptions = {}): Promise<CodeSandbox> {
  const config = parseConfig(input);
  const { logger = silentLogger, process = createLocalProcess(), onChange } = options;
  const engine = {
    instance: randomBytes(8).toString('hex'),
    owner: currentOwner(),
    etcDir: fileURLToPath(new URL('../../init/etc', import.meta.url)),
  };
  const basis = new Basis(config);
  const roots = new Roots(config, () => basis.hostRoot());
  const probe = prover(config, basis, roots);
  let ready = false;
  const presence = new Presence(
    () => select({ config, process, logger, engine, probe }),
    logger,
    () => ready && onChange?.(sandbox),
  );
  const sandbox = new CodeSandbox({ config, presence, roots, basis, logger });
  await presence.search();
  ready = true;
  return sandbox;
}
