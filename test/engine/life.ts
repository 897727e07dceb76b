import { Readable } from 'node:stream';
import type { RunResult } from '../../src/sandbox/result.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { shell } from '../support/request.js';

/** What a sandbox is asked for, and what comes of it on an engine that is well. */
interface Step {
  ask(sandbox: CodeSandbox): Promise<object>;
  wanted: object;
}

/** All that a caller does with a sandbox between its making and its end. */
export const LIFE: Step[] = [
  { ask: runWithNetwork, wanted: { code: 0, stdout: 'right\n' } },
  { ask: abortedRun, wanted: { end: 'aborted' } },
  { ask: async sandbox => ({ removed: await sandbox.prune() }), wanted: {} },
];

/** It asks for more than one without. */
export function runWithNetwork(sandbox: CodeSandbox): Promise<RunResult> {
  return shell(sandbox, 'echo right', { policy: { network: 'allow' } });
}

/** With stdin, so that the engine has to end it. */
function abortedRun(sandbox: CodeSandbox): Promise<RunResult> {
  const controller = new AbortController();
  const stdin = new Readable({ read() {} });
  return shell(
    sandbox,
    'echo on; sleep 60',
    {},
    { stdin, signal: controller.signal, onStdout: () => controller.abort() },
  );
}
