import { Command } from 'commander';
import { addDoctor } from './doctor.js';
import { addImages } from './images.js';
import { watchReaders } from './output.js';
import { addPrune } from './prune.js';
import { addRun } from './run.js';
import { version } from './version.js';

const program = new Command('code-sandbox')
  .description('Runs untrusted code in an ephemeral container: only the folders you name, no network unless allowed.')
  .version(version)
  .enablePositionalOptions()
  .showHelpAfterError('(code-sandbox --help shows what there is)')
  // Usage errors are the sandbox's own, so that 1 and 2 stay the program's.
  .exitOverride(error => process.exit(error.exitCode === 0 ? 0 : 125));

watchReaders();
addRun(program);
addDoctor(program);
addImages(program);
addPrune(program);

await program.parseAsync();
