import type { Logger } from '../aalis.js';
import { parseConfig } from '../config/parse.js';
import type { ConfigInput } from '../config/schema.js';
import { lineOf } from '../engine/discover/line.js';
import { createLocalProcess } from '../launcher/process.js';
import { engineOptions } from './create.js';
import { BackendUnavailable } from './errors.js';
import { sweep, sweepHost } from './sweep.js';
import { WAYS } from './ways.js';

/**
 * Removes what dead owners left behind on this host and on the first engine that is found; that nothing proves it to keep its
 * promises is no reason to leave things on it.
 * @returns how many sandboxes and folders that were, and of which engine
 * @throws BackendUnavailable when an engine that the configuration names cannot be used, once this host is swept
 */
export async function prune(input: ConfigInput, logger: Logger): Promise<{ removed: number; engine?: string }> {
  const config = parseConfig(input);
  const reasons: string[] = [];
  const process = createLocalProcess();
  for await (const { backend, ...find } of WAYS.engine({ config, process, engine: engineOptions(config) })) {
    if (!backend) {
      if (find.outcome === 'declined') reasons.push(lineOf(find));
      continue;
    }
    try {
      return { removed: await sweep(backend), engine: backend.label };
    } finally {
      await backend.close().catch(error => logger.debug(`closing ${backend.label} failed: ${error.message}`));
    }
  }
  const removed = await sweepHost();
  if (config.engine.socket) throw new BackendUnavailable(`No engine could be swept: ${reasons.join('; ')}.`);
  return { removed };
}
