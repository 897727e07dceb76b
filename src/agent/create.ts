import { parseConfig } from '../config/parse.js';
import type { ConfigInput } from '../config/schema.js';
import { createCodeSandbox } from '../sandbox/create.js';
import { RunQueue } from '../sandbox/queue.js';
import { silentLogger } from '../sandbox/silent.js';
import { type AgentOptions, checkOptions } from './options.js';
import { openDataDir, sweepRunDirs } from './run-dir.js';
import { AgentSandbox } from './sandbox.js';

/**
 * Makes a sandbox for programs that drive an agent. Without a usable backend it is there all the same, and every run is
 * refused.
 * @throws InvalidRequest when the options do not fit
 */
export async function createAgentSandbox(options: AgentOptions): Promise<AgentSandbox> {
  const settings = checkOptions(options);
  const { mode, maxConcurrent, maxQueue } = settings;
  const input: ConfigInput = {
    ...options.config,
    fallback: mode === 'best-effort' ? 'os' : 'none',
    // Each run has a scratch folder of its own, so that no sandbox could be started ahead for the next.
    warm: { max: 0 },
  };
  const config = parseConfig(input);
  const { logger = silentLogger, process } = options;
  const queue = new RunQueue(maxConcurrent, maxQueue);
  const dataDir = await openDataDir(settings.dataDir);
  await sweepRunDirs(dataDir);
  const lent = { logger, queue, ...(process ? { process } : {}) };
  const sandbox = mode === 'off' ? undefined : await createCodeSandbox(input, lent);
  return new AgentSandbox({ settings, config, dataDir, queue, sandbox, logger });
}
