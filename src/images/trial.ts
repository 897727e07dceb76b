import { RunFailed } from '../sandbox/errors.js';
import type { CodeSandbox } from '../sandbox/service.js';

/** More than any smoke test needs, on a slow machine. */
const TIMEOUT_MS = 120_000;

/** What became of a trial run. */
export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Why it did not exit with 0. */
  trouble: string;
}

/** Runs a command with nothing but the folder it may be given. Never rejects. */
export async function outcomeOf(
  sandbox: CodeSandbox,
  { cmd, args, folder }: { cmd: string; args: string[]; folder?: string },
): Promise<Outcome> {
  const policy = { fsRead: [], fsWrite: folder ? [folder] : [], network: 'deny' as const };
  try {
    const { code, stdout, stderr } = await sandbox.run({ cmd, args, policy, timeout: TIMEOUT_MS });
    return { code, stdout, stderr, trouble: '' };
  } catch (error) {
    const trouble = (error as Error).message;
    if (!(error instanceof RunFailed)) return { code: null, stdout: '', stderr: '', trouble };
    const { code, stdout, stderr } = error.result;
    return { code, stdout, stderr, trouble: [trouble, stderr.trim()].filter(Boolean).join('\n') };
  }
}
