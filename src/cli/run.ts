import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { createCodeSandbox } from '../sandbox/create.js';
import { RunFailed } from '../sandbox/errors.js';
import type { RunResult } from '../sandbox/result.js';
import { collect, duration, mebibytes, variable } from './amounts.js';
import { type EngineOptions, engineConfig, withEngineOptions } from './engine.js';
import { exitCodeOf, exitCodeOfError } from './exit.js';
import { stderrLogger } from './log.js';

interface RunCommandOptions extends EngineOptions {
  read: string[];
  write: string[];
  net: 'deny' | 'allow';
  env: Record<string, string>;
  cwd?: string;
  timeout?: number;
  memory?: number;
  pids?: number;
  json?: boolean;
  verbose?: boolean;
}

const EXAMPLES = `
Examples:
  $ code-sandbox run -- python3 -c 'print(1 + 1)'
  $ code-sandbox run --write . -- python3 script.py
  $ code-sandbox run --read ./data --write ./out --timeout 2m --memory 1g -- node build.mjs
  $ code-sandbox run --net allow --env TOKEN=abc -- curl -s http://example.test

Exit code: the program's own; 124 at the time limit, 125 when the sandbox itself failed or the request is wrong,
126 when the command cannot be executed, 127 when there is none.`;

/** `code-sandbox run` */
export function addRun(program: Command): void {
  const command = program
    .command('run')
    .description('run one command in a sandbox of its own')
    .argument('<command>', 'looked up inside the sandbox')
    .argument('[arguments...]')
    .passThroughOptions()
    .option('--read <folder>', 'folder that may be read; repeatable', collect, [])
    .option('--write <folder>', 'folder that may be read and written; repeatable', collect, [])
    .addOption(new Option('--net <policy>', 'network').choices(['deny', 'allow']).default('deny'))
    .option('--env <NAME=value>', 'environment variable; repeatable', variable, {})
    .option('--cwd <folder>', 'working folder (default: the first writable folder, else the first readable, else /tmp)')
    .option('--timeout <time>', 'time limit, such as 10s or 2m (default: 60s)', duration)
    .option('--memory <size>', 'memory limit, such as 512m or 2g (default: 512m)', mebibytes)
    .option('--pids <number>', 'limit of processes and threads (default: 128)', Number)
    .option('--json', 'print one JSON object with the result instead of the program’s output')
    .option('-v, --verbose', 'say on stderr what is done')
    .addHelpText('after', EXAMPLES);
  withEngineOptions(command).action(async (cmd: string, args: string[], options: RunCommandOptions) => {
    process.exitCode = await run(cmd, args, options);
  });
}

async function run(cmd: string, args: string[], options: RunCommandOptions): Promise<number> {
  const { memory, pids, json, timeout } = options;
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
  try {
    const limits = { ...(memory ? { memoryMiB: memory } : {}), ...(pids ? { pids } : {}) };
    await using sandbox = await createCodeSandbox(
      { ...engineConfig(options), limits },
      { logger: stderrLogger(options.verbose ? 'debug' : 'error') },
    );
    const request = {
      cmd,
      args,
      env: options.env,
      policy: {
        fsRead: options.read.map(path => resolve(path)),
        fsWrite: options.write.map(path => resolve(path)),
        network: options.net,
      },
      ...(options.cwd ? { cwd: resolve(options.cwd) } : {}),
      ...(timeout ? { timeout } : {}),
    };
    const live = json
      ? {}
      : {
          onStdout: (chunk: Buffer) => process.stdout.write(chunk),
          onStderr: (chunk: Buffer) => process.stderr.write(chunk),
        };
    const result = await outcome(sandbox.run(request, { ...live, signal: interrupt.signal }));
    report(result, json);
    return exitCodeOf(result);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (json) console.log(JSON.stringify({ error: { name: error instanceof Error ? error.name : 'Error', message } }));
    else console.error(`code-sandbox: ${message}`);
    return exitCodeOfError(error);
  }
}

/** A program's own failure is a result like any other here. */
async function outcome(run: Promise<RunResult>): Promise<RunResult> {
  return run.catch(error => {
    if (error instanceof RunFailed) return error.result;
    throw error;
  });
}

function report(result: RunResult, json?: boolean): void {
  if (json) {
    console.log(JSON.stringify(result));
    return;
  }
  // The output is on the terminal already; what the sandbox itself has to say was added behind it.
  const own = result.stderr.split('\n').filter(line => line.startsWith('code-sandbox: '));
  if (result.end !== 'exit' || result.truncated || result.oomKilled) for (const line of own) console.error(line);
}
