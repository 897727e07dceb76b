import type { Command } from 'commander';
import { createCodeSandbox } from '../sandbox/create.js';
import { examine } from '../sandbox/doctor.js';
import { type EngineOptions, engineConfig, withEngineOptions } from './engine.js';
import { stderrLogger } from './log.js';
import { renderDiagnosis } from './render.js';
import { print, reporting } from './report.js';

/** `code-sandbox doctor` */
export function addDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description('show which engine is used and why, and prove each guarantee in a real sandbox')
    .option('--json', 'print JSON');
  withEngineOptions(command).action(async (options: EngineOptions & { json?: boolean }) => {
    await reporting(options, async () => {
      await using sandbox = await createCodeSandbox(engineConfig(options), { logger: stderrLogger('error') });
      const diagnosis = await examine(sandbox);
      print(options, diagnosis, () => renderDiagnosis(diagnosis));
      if (!diagnosis.available) process.exitCode = 125;
    });
  });
}
