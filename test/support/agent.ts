import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentSandbox } from '../../src/agent/create.js';
import type { AgentOptions } from '../../src/agent/options.js';
import type { AgentRequest } from '../../src/agent/request.js';
import type { AgentResult } from '../../src/agent/result.js';
import type { AgentSandbox } from '../../src/agent/sandbox.js';

/** An agent sandbox for a test, with a data folder of its own that is removed with it. */
export interface Agent extends AsyncDisposable {
  sandbox: AgentSandbox;
  dataDir: string;
  /** Runs a shell program in a workspace. */
  sh(work: { path: string }, script: string, more?: Partial<AgentRequest>): Promise<AgentResult>;
  /** Runs a Python program in a workspace. */
  python(work: { path: string }, code: string, more?: Partial<AgentRequest>): Promise<AgentResult>;
}

/** An agent sandbox with options of the test's own. */
export async function agentWith(options: Partial<AgentOptions>): Promise<Agent> {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'agent-data-')));
  const sandbox = await createAgentSandbox({ dataDir, ...options });
  const runs =
    (command: string) =>
    (work: { path: string }, code: string, more: Partial<AgentRequest> = {}) =>
      sandbox.run({ command, argv: ['-c', code], workspaceDir: work.path, ...more });
  return {
    sandbox,
    dataDir,
    sh: runs('sh'),
    python: runs('python3'),
    [Symbol.asyncDispose]: async () => {
      await sandbox.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
