import { Readable } from 'node:stream';
import { messageOf } from '../sandbox/errors.js';
import type { RunOptions } from '../sandbox/execute.js';
import type { LiveRun } from './live-run.js';
import type { AgentRequest } from './request.js';

/** Connects a run's streams: to its handle, and to what the request gave and wants. */
export function streamsOf(
  request: AgentRequest,
  run: LiveRun,
  warnings: string[],
): Pick<RunOptions, 'stdin' | 'onStdout' | 'onStderr'> {
  const out = guarded('onStdout', request.onStdout, warnings);
  const err = guarded('onStderr', request.onStderr, warnings);
  return {
    onStdout: chunk => {
      run.push('stdout', chunk);
      out(chunk);
    },
    onStderr: chunk => {
      run.push('stderr', chunk);
      err(chunk);
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

/** A callback that throws is the caller's own fault, and must not break the stream that it is called from. */
function guarded(name: string, callback: ((chunk: Buffer) => void) | undefined, warnings: string[]) {
  let broken = callback === undefined;
  return (chunk: Buffer) => {
    if (broken) return;
    try {
      callback!(chunk);
    } catch (error) {
      broken = true;
      warnings.push(`${name} threw and is not called any more: ${messageOf(error)}.`);
    }
  };
}
