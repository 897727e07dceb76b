import type { Command } from 'commander';
import { kindsOf } from '../config/order.js';
import { parseConfig } from '../config/parse.js';
import type { ConfigInput } from '../config/schema.js';
import { createCodeSandbox } from '../sandbox/create.js';
import { examine } from '../sandbox/doctor.js';
import type { CodeSandbox } from '../sandbox/service.js';
import { type EngineOptions, engineConfig, withEngineOptions } from './engine.js';
import { stderrLogger } from './log.js';
import { type Measured, renderDiagnosis } from './render.js';
import { print, reporting } from './report.js';

/** `code-sandbox doctor` */
export function addDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description('show which engine is used and why, and prove each guarantee in a real sandbox')
    .option('--all', 'of every kind of backend, not only of the one that runs would go to')
    .option('--json', 'print JSON; with --all a list')
    .addHelpText('after', '\nExit code: 125 when nothing was found that can run code.');
  withEngineOptions(command).action(async (options: EngineOptions & { json?: boolean; all?: boolean }) => {
    await reporting(options, async () => {
      const config = engineConfig(options);
      const configs = options.all ? kindsOf(parseConfig(config)).map(order => ({ ...config, order })) : [config];
      const found: Measured[] = [];
      for (const each of configs) found.push(await examined(each));
      print(options, options.all ? found : found[0], () => found.map(renderDiagnosis).join('\n\n'));
      if (!found.some(({ available }) => available)) process.exitCode = 125;
    });
  });
}

async function examined(config: ConfigInput): Promise<Measured> {
  await using sandbox = await createCodeSandbox(config, { logger: stderrLogger('error') });
  const diagnosis = await examine(sandbox);
  const runMs = diagnosis.available ? await timeOf(sandbox) : undefined;
  return { ...diagnosis, ...(runMs === undefined ? {} : { runMs }) };
}

/** The second of two, since the first finds nothing in memory; undefined where there is no such program. */
async function timeOf(sandbox: CodeSandbox): Promise<number | undefined> {
  const policy = { fsRead: [], fsWrite: [], network: 'deny' as const };
  const run = () => sandbox.run({ cmd: 'true', args: [], policy });
  try {
    await run();
    const started = performance.now();
    await run();
    return Math.round(performance.now() - started);
  } catch {
    return undefined;
  }
}
