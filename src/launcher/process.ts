import { type ChildProcess, spawn as start } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ExecResult, ProcessService, SpawnHandle, SpawnOptions } from '../aalis.js';
import { withToolPath } from './tool-path.js';

/** Bytes of stdout and stderr together that a result keeps. */
const MAX_BUFFER = 10 * 1024 * 1024;

/** The `process` service for hosts without Aalis: child processes of this one, never through a shell, of the host's own programs. */
export function createLocalProcess(): ProcessService {
  return withToolPath({ spawn, execFile });
}

/** Its `wait` rejects when the command cannot be started, and resolves with whatever it ended as otherwise. */
function spawn(cmd: string, args: readonly string[], options: SpawnOptions = {}): SpawnHandle {
  const { cwd, env, input, timeout, detached, stdio = 'pipe', maxBuffer } = options;
  let child: ChildProcess;
  try {
    child = start(cmd, args, {
      ...(cwd !== undefined && { cwd }),
      env: { ...process.env, ...env },
      detached: detached === true,
      stdio,
    });
  } catch (error) {
    return unstarted(error);
  }
  const deadline = timeout === undefined ? undefined : setTimeout(() => endNow(child), timeout);
  const ended = new Promise<Pick<ExecResult, 'code' | 'signal'>>((resolve, reject) => {
    child.on('error', error => child.pid === undefined && reject(error));
    child.once('close', (code, signal) => resolve({ code, signal }));
  }).finally(() => clearTimeout(deadline));
  // Told by `wait`, which need not be called.
  ended.catch(() => {});
  // A command may end with its input unread; how it ended tells more than a broken pipe.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => {});
  if (input !== undefined) child.stdin?.end(input);
  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    kill: (signal = 'SIGTERM') => child.kill(signal),
    unref: () => child.unref(),
    wait: async () => {
      const collected = collect(child.stdout, child.stderr, maxBuffer || MAX_BUFFER);
      return { ...(await ended), ...collected() };
    },
  };
}

/** Also where a process that it has started holds its streams open. */
function endNow(child: ChildProcess): void {
  child.kill('SIGKILL');
  child.stdout?.destroy();
  child.stderr?.destroy();
}

/** Node tells of some reasons by an event and of others, as arguments that are too long, at once. */
function unstarted(reason: unknown): SpawnHandle {
  return {
    pid: undefined,
    stdin: null,
    stdout: null,
    stderr: null,
    kill: () => false,
    unref: () => {},
    wait: async () => {
      throw reason;
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
