import type { Command } from 'commander';
import { createCodeSandbox } from '../sandbox/create.js';
import { type EngineOptions, engineConfig, withEngineOptions } from './engine.js';
import { stderrLogger } from './log.js';

/** `code-sandbox prune` */
export function addPrune(program: Command): void {
  const command = program.command('prune').description('remove containers that a crashed owner left behind');
  withEngineOptions(command).action(async (options: EngineOptions) => {
    try {
      await using sandbox = await createCodeSandbox(engineConfig(options), { logger: stderrLogger('error') });
      const removed = await sandbox.prune();
      console.log(removed === 1 ? '1 container removed' : `${removed} containers removed`);
    } catch (error) {
      console.error(`code-sandbox: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 125;
    }
  });
}
