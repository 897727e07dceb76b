import { Readable } from 'node:stream';
import type { RunOptions } from '../sandbox/execute.js';
import { guarded } from '../sandbox/guarded.js';
import type { LiveRun } from './live-run.js';
import type { AgentRequest } from './request.js';

/** Connects a run's streams: to its handle, and to what the request gave and wants. */
export function streamsOf(
  request: AgentRequest,
  run: LiveRun,
  warnings: string[],
): Pick<RunOptions, 'stdin' | 'onStdout' | 'onStderr'> {
  const tell = (warning: string) => warnings.push(warning);
  const out = guarded('onStdout', request.onStdout, tell);
  const err = guarded('onStderr', request.onStderr, tell);
  return {
    onStdout: chunk => {
      run.push('stdout', chunk);
      return out(chunk);
    },
    onStderr: chunk => {
      run.push('stderr', chunk);
      return err(chunk);
    },
    ...(request.stdin === undefined ? {} : { stdin: readable(request.stdin, warnings) }),
  };
}

function readable(stdin: NonNullable<AgentRequest['stdin']>, warnings: string[]): NodeJS.ReadableStream {
  if (typeof stdin === 'string' || stdin instanceof Uint8Array) {
    const bytes = Buffer.from(stdin as string);
    return Readable.from(bytes.length > 0 ? [bytes] : [], { objectMode: false });
  }
  return stdin.once('error', (error: Error) => warnings.push(`stdin broke off: ${error.message}.`));
}
