import type { SandboxPolicy, SandboxRunRequest } from '../../src/aalis.js';
import { RunFailed } from '../../src/sandbox/errors.js';
import type { RunOptions } from '../../src/sandbox/execute.js';
import type { RunResult } from '../../src/sandbox/result.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';

/** Parts of a request that a test does not leave to the defaults. */
export type Parts = Partial<Omit<SandboxRunRequest, 'policy'>> & { policy?: Partial<SandboxPolicy> };

/** A request for a command with nothing granted. */
export function request(cmd: string, args: string[], { policy, ...rest }: Parts = {}): SandboxRunRequest {
  return { cmd, args, policy: { fsRead: [], fsWrite: [], network: 'deny', ...policy }, timeout: 20_000, ...rest };
}

/** Runs and gives the result, whatever the program's exit code; other errors are thrown. */
export async function resultOf(
  sandbox: CodeSandbox,
  wanted: SandboxRunRequest,
  options?: RunOptions,
): Promise<RunResult> {
  try {
    return await sandbox.run(wanted, options);
  } catch (error) {
    if (error instanceof RunFailed) return error.result;
    throw error;
  }
}

/** Runs a Python program. */
export function python(sandbox: CodeSandbox, code: string, parts?: Parts, options?: RunOptions): Promise<RunResult> {
  return resultOf(sandbox, request('python3', ['-c', code], parts), options);
}

/** Runs a shell program. */
export function shell(sandbox: CodeSandbox, code: string, parts?: Parts, options?: RunOptions): Promise<RunResult> {
  return resultOf(sandbox, request('sh', ['-c', code], parts), options);
}
