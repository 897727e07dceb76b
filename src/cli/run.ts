import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type Command, Option } from 'commander';
import type { Access } from '../agent/request.js';
import type { AgentResult } from '../agent/result.js';
import { createCodeSandbox } from '../sandbox/create.js';
import { RunFailed } from '../sandbox/errors.js';
import type { RunOptions } from '../sandbox/execute.js';
import { marked, type RunResult } from '../sandbox/result.js';
import { collect, count, duration, mebibytes, variable } from './amounts.js';
import { type EngineOptions, engineConfig, withEngineOptions } from './engine.js';
import { exitCodeOf, exitCodeOfError } from './exit.js';
import { tellInstead } from './instead.js';
import { stderrLogger } from './log.js';
import { READER_GONE, readerGone, writerTo } from './output.js';
import { jsonOf, printError } from './report.js';
import { notesOf, runInWorkspace } from './workspace-run.js';

/** Options of `code-sandbox run`. */
export interface RunCommandOptions extends EngineOptions {
  read: string[];
  write: string[];
  net: 'deny' | 'allow';
  access?: Access;
  artifacts?: string;
  stdin?: boolean;
  env: Record<string, string>;
  envFile?: string;
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
  $ code-sandbox run --access workspace-write --artifacts ./out -- python3 plot.py
  $ echo text | code-sandbox run --stdin -- wc -c
  $ code-sandbox run --net allow --env TOKEN=abc -- curl -s http://example.test

Exit code: the program's own; 124 at the time limit, 125 when the sandbox itself failed, the request is wrong or the
disk's floor was reached, 126 when the command cannot be executed, 127 when there is none, 141 when nobody reads the
output any more (| head), 143 when the run was aborted (SIGINT, SIGTERM, SIGHUP).`;

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
    .addOption(
      new Option('--access <kind>', 'what the run may do with the current folder, which it sees as /workspace')
        .choices(['read-only', 'workspace-write', 'danger-full-access'])
        .conflicts(['read', 'write']),
    )
    .addOption(
      new Option('--artifacts <folder>', 'new or empty folder for what the run leaves in /scratch/artifacts').conflicts(
        ['read', 'write'],
      ),
    )
    .option('--stdin', 'hand this command’s stdin to the program')
    .option('--env <NAME[=value]>', 'environment variable, or the NAME of one to pass on; repeatable', variable, {})
    .option('--env-file <file>', 'file with environment variables for the program, as NAME=value')
    .option('--cwd <folder>', 'working folder (default: the first writable folder, else the first readable, else /tmp)')
    .option('--timeout <time>', 'time limit, such as 10s or 2m; at most 1h, with --access 10m (default: 60s)', duration)
    .option('--memory <size>', 'memory limit, such as 512m or 2g (default: 512m)', mebibytes)
    .option('--pids <number>', 'limit of processes and threads (default: 128)', count)
    .option('--json', 'print one JSON object with the result instead of the program’s output')
    .option('-v, --verbose', 'say on stderr what is done')
    .addHelpText('after', EXAMPLES);
  withEngineOptions(command).action(async (cmd: string, args: string[], options: RunCommandOptions) => {
    process.exitCode = await run(cmd, args, options);
  });
}

async function run(cmd: string, args: string[], options: RunCommandOptions): Promise<number> {
  const { json } = options;
  const interrupt = new AbortController();
  const abort = () => interrupt.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, abort);
  readerGone.addEventListener('abort', abort);
  const live: RunOptions = {
    signal: interrupt.signal,
    ...(options.stdin ? { stdin: process.stdin } : {}),
    ...(json ? {} : { onStdout: writerTo(process.stdout), onStderr: writerTo(process.stderr) }),
  };
  try {
    const ofFile = options.envFile === undefined ? {} : parseEnv(readFileSync(options.envFile, 'utf8'));
    const env = { ...(ofFile as Record<string, string>), ...options.env };
    const way = options.access === undefined && options.artifacts === undefined ? runInFolders : runInWorkspace;
    const result = await outcome(way(cmd, args, { ...options, env }, live));
    if (readerGone.aborted) return READER_GONE;
    report(result, json);
    return exitCodeOf(result);
  } catch (error) {
    if (readerGone.aborted) return READER_GONE;
    printError(options, error);
    return exitCodeOfError(error);
  }
}

/** The folders that are named, under their own names. */
async function runInFolders(
  cmd: string,
  args: string[],
  options: RunCommandOptions,
  live: RunOptions,
): Promise<RunResult> {
  const { memory, pids, timeout, cwd, env, read, write, net, verbose } = options;
  const config = engineConfig(options);
  const limits = {
    ...config.limits,
    ...(memory ? { memoryMiB: memory } : {}),
    ...(pids === undefined ? {} : { pids }),
  };
  const logger = stderrLogger(verbose ? 'debug' : 'error');
  await using sandbox = await createCodeSandbox({ ...config, limits }, { logger });
  const request = {
    cmd,
    args,
    env,
    policy: { fsRead: read.map(path => resolve(path)), fsWrite: write.map(path => resolve(path)), network: net },
    ...(cwd ? { cwd: resolve(cwd) } : {}),
    ...(timeout ? { timeout } : {}),
  };
  return await sandbox.run(request, { ...live, onStart: () => tellInstead(sandbox.selection, verbose) });
}

/** A program's own failure is a result like any other here. */
async function outcome(run: Promise<RunResult>): Promise<RunResult> {
  return run.catch(error => {
    if (error instanceof RunFailed) return error.result;
    throw error;
  });
}

function report(result: RunResult | AgentResult, json?: boolean): void {
  if (json) {
    console.log(jsonOf(result));
    return;
  }
  // The program's output is on the terminal already.
  for (const notice of result.notices ?? []) console.error(marked(notice));
  if ('artifacts' in result) for (const note of notesOf(result)) console.error(marked(note));
}
