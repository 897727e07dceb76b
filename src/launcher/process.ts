import type { Readable } from 'node:stream';
import { execa } from 'execa';
import type { ExecResult, ProcessService, SpawnHandle, SpawnOptions } from '../aalis.js';

/** Bytes of stdout and stderr together that a result keeps. */
const MAX_BUFFER = 10 * 1024 * 1024;

/** The `process` service for hosts without Aalis: child processes of this one, never through a shell. */
export function createLocalProcess(): ProcessService {
  return { spawn, execFile };
}

/** Its `wait` rejects when the command cannot be started, and resolves with whatever it ended as otherwise. */
function spawn(cmd: string, args: readonly string[], options: SpawnOptions = {}): SpawnHandle {
  const { cwd, env = {}, input, timeout, detached, stdio = 'pipe', maxBuffer } = options;
  const child = execa(cmd, args, {
    ...(cwd !== undefined && { cwd }),
    env: env as Record<string, string>,
    ...(input !== undefined && stdio === 'pipe' && { input }),
    ...(timeout !== undefined && { timeout }),
    killSignal: 'SIGKILL',
    forceKillAfterDelay: false,
    detached: detached === true,
    stdio,
    // It would listen for signals, and end this process where the host's own handler is there for one signal only.
    cleanup: false,
    // execa would kill a child that prints more than fits; here it goes on, and the rest is dropped.
    buffer: false,
    reject: false,
  });
  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    kill: (signal = 'SIGTERM') => child.kill(signal),
    unref: () => child.nodeChildProcess.unref(),
    wait: async () => {
      const collected = collect(child.stdout, child.stderr, maxBuffer || MAX_BUFFER);
      const result = await child;
      if (result.exitCode === undefined && result.signal === undefined) throw result.cause ?? result;
      return { code: result.exitCode ?? null, signal: result.signal ?? null, ...collected() };
    },
  };
}

/** Rejects, with the result attached, when the command ends in anything but 0. */
async function execFile(cmd: string, args: readonly string[], options: SpawnOptions = {}): Promise<ExecResult> {
  const handle = spawn(cmd, args, options);
  // Nobody can write to it: a command that reads its stdin would wait for ever.
  if (options.input === undefined) handle.stdin?.end();
  const result = await handle.wait();
  if (result.code === 0) return result;
  const end = result.signal ? `was ended by ${result.signal}` : `exited with ${result.code}`;
  throw Object.assign(new Error(`${cmd} ${end}: ${result.stderr.trim().slice(0, 500)}`), { result });
}

/** Reads both streams to their end and keeps the first `limit` bytes of them together. */
function collect(stdout: Readable | null, stderr: Readable | null, limit: number) {
  let room = limit;
  let truncated = false;
  const keep = (stream: Readable | null): Buffer[] => {
    const chunks: Buffer[] = [];
    stream?.on('data', (chunk: Buffer) => {
      truncated ||= chunk.length > room;
      if (room > 0) chunks.push(chunk.subarray(0, room));
      room = Math.max(0, room - chunk.length);
    });
    return chunks;
  };
  const [out, err] = [keep(stdout), keep(stderr)];
  return () => ({
    stdout: Buffer.concat(out).toString(),
    stderr: Buffer.concat(err).toString(),
    ...(truncated && { truncated }),
  });
}
