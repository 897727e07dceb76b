import { join, resolve } from 'node:path';
import { createAgentSandbox } from '../agent/create.js';
import type { AgentResult } from '../agent/result.js';
import { quote } from '../policy/quote.js';
import { removeOwned } from '../reaper/owner-file.js';
import { makeTempFolder } from '../reaper/temp.js';
import type { RunOptions } from '../sandbox/execute.js';
import { ArtifactsTarget } from './artifacts.js';
import { engineConfig } from './engine.js';
import { tellInstead } from './instead.js';
import { stderrLogger } from './log.js';
import type { RunCommandOptions } from './run.js';

/** `run --access` and `run --artifacts`: the current folder as /workspace, and a scratch folder of the run's own. */
export async function runInWorkspace(
  command: string,
  argv: string[],
  options: RunCommandOptions,
  live: RunOptions,
): Promise<AgentResult> {
  const { access = 'read-only', artifacts, env, cwd, timeout, memory, pids, net, verbose, fallback } = options;
  const target = artifacts === undefined ? undefined : await ArtifactsTarget.prepare(resolve(artifacts));
  const dataDir = await makeTempFolder('run');
  try {
    await using sandbox = await createAgentSandbox({
      dataDir,
      mode: fallback === 'none' ? 'required' : 'best-effort',
      // Whoever types the name is the operator.
      allow: access === 'danger-full-access' ? [access] : [],
      audit: false,
      config: engineConfig(options),
      logger: stderrLogger(verbose ? 'debug' : 'error'),
    });
    const { signal, stdin, onStdout, onStderr } = live;
    const run = await sandbox.start({
      command,
      argv,
      workspaceDir: process.cwd(),
      access,
      network: net,
      env,
      ...(cwd === undefined ? {} : { cwd: resolve(cwd) }),
      ...(timeout === undefined ? {} : { timeoutMs: timeout }),
      ...(memory === undefined ? {} : { memoryMB: memory }),
      ...(pids === undefined ? {} : { pids }),
      ...(signal ? { signal } : {}),
      ...(stdin ? { stdin } : {}),
      ...(onStdout ? { onStdout } : {}),
      ...(onStderr ? { onStderr } : {}),
    });
    if (access !== 'danger-full-access') tellInstead(await sandbox.probe(), verbose);
    const result = await run.wait();
    if (!target || result.artifacts.length === 0) return result;
    await target.fill(join(dataDir, 'sandbox', result.id, 'artifacts'));
    const kept = result.artifacts.map(artifact => ({ ...artifact, file: join(target.path, artifact.path) }));
    return { ...result, artifacts: kept };
  } finally {
    await removeOwned(dataDir);
  }
}

/** What the caller must know that is not in the program's output. */
export function notesOf({
  warnings,
  omitted,
  planted = [],
}: Pick<AgentResult, 'warnings' | 'omitted' | 'planted'>): string[] {
  return [
    ...warnings,
    ...omitted.map(({ path, reason }) => `not kept: ${path} ${reason}`),
    ...planted.map(path => `look at it before anything is run there: ${quote(path)}`),
  ];
}
