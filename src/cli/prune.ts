import type { Command } from 'commander';
import { prune } from '../sandbox/prune.js';
import { type ChoiceOptions, withChoiceOptions } from './engine.js';
import { stderrLogger } from './log.js';
import { reporting } from './report.js';

/** `code-sandbox prune` */
export function addPrune(program: Command): void {
  const command = program
    .command('prune')
    .description(
      'remove what crashed owners left behind: on this host, and on the first engine that is found; --engine names another',
    );
  withChoiceOptions(command).action(async ({ engine: kind, socket }: ChoiceOptions) => {
    await reporting({}, async () => {
      const config = { engine: { engine: kind, ...(socket ? { socket } : {}) } };
      const { removed, engine } = await prune(config, stderrLogger('error'));
      const where = engine ? `on this host and in ${engine}` : 'on this host; no engine was found';
      console.log(`removed what was left of ${removed} sandboxes and owners ${where}`);
    });
  });
}
