import type { Command } from 'commander';
import { createCodeSandbox } from '../sandbox/create.js';
import { type EngineOptions, engineConfig, withEngineOptions } from './engine.js';
import { stderrLogger } from './log.js';
import { reporting } from './report.js';

/** `code-sandbox prune` */
export function addPrune(program: Command): void {
  const command = program
    .command('prune')
    .description(
      'remove what crashed owners left behind: on this host, and on the engine that runs go to; --engine names another',
    );
  withEngineOptions(command).action(async (options: EngineOptions) => {
    await reporting({}, async () => {
      await using sandbox = await createCodeSandbox(engineConfig(options), { logger: stderrLogger('error') });
      const removed = await sandbox.prune();
      console.log(`removed what was left of ${removed} sandboxes and owners`);
    });
  });
}
