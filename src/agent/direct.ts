import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { drain } from '../launcher/drain.js';
import type { Ending, Sandbox, Sinks } from '../sandbox/backend.js';
import type { Program } from '../supervisor/frame.js';
import { type Trailer, type TrailerKind, trailerOf } from '../supervisor/trailer.js';

/** How a process ended, in the words of Node. */
interface Exit {
  code?: number | null;
  signal?: NodeJS.Signals | null;
  error?: NodeJS.ErrnoException;
}

/**
 * Not a sandbox: a process of this host, with this process's rights. It has a sandbox's shape, so that such a run is
 * measured, cut off and told like every other.
 */
export class DirectProcess implements Sandbox {
  readonly image = 'host';
  readonly id: string;
  #pid: number | undefined;
  #kind: TrailerKind = 'exited';
  #ended = false;

  constructor(id: string) {
    this.id = id;
  }

  get ended(): boolean {
    return this.#ended;
  }

  async run(program: Program, sinks: Sinks, stdin?: NodeJS.ReadableStream): Promise<Ending> {
    // It was ended before it began.
    if (this.#kind !== 'exited') return { trailer: trailerFor(this.#kind, { signal: 'SIGKILL' }, 0) };
    const [command = '', ...args] = program.argv;
    const started = performance.now();
    const child = spawn(command, args, {
      cwd: program.cwd,
      env: Object.fromEntries(program.env),
      detached: true,
      stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
    this.#pid = child.pid;
    sinks.began?.();
    const timer = setTimeout(() => this.#kill('deadline'), program.deadlineMs);
    child.stdout?.on('data', sinks.stdout);
    child.stderr?.on('data', sinks.stderr);
    // A program may leave its stdin unread.
    child.stdin?.on('error', () => {});
    if (child.stdin) stdin?.pipe(child.stdin);
    const closed = once(child, 'close').catch(() => {});
    const exit = await new Promise<Exit>(resolve => {
      child.once('error', error => resolve({ error }));
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    const wallMs = performance.now() - started;
    clearTimeout(timer);
    this.#signal('SIGKILL');
    this.#ended = true;
    await drain(closed, [child.stdin, child.stdout, child.stderr]);
    return { trailer: trailerFor(this.#kind, exit, wallMs) };
  }

  async stop(how: 'term' | 'kill'): Promise<void> {
    if (this.#ended) return;
    if (how === 'term') this.#signal('SIGTERM');
    else this.#kill('owner-gone');
  }

  async close(): Promise<void> {
    // Its number may be another's by then.
    if (!this.#ended) this.#signal('SIGKILL');
  }

  #kill(kind: TrailerKind): void {
    if (this.#ended) return;
    this.#kind = kind;
    this.#signal('SIGKILL');
  }

  /** To the program's group; one that set up a group of its own is out of reach. */
  #signal(signal: NodeJS.Signals): void {
    try {
      if (this.#pid !== undefined) process.kill(-this.#pid, signal);
    } catch {
      // Gone already.
    }
  }
}

function trailerFor(kind: TrailerKind, { code = null, signal = null, error }: Exit, wallMs: number): Trailer {
  const errno = error ? (constants.errno[error.code as keyof typeof constants.errno] ?? 0) : 0;
  const known = { code, signal: signal && constants.signals[signal], errno, wallMicros: wallMs * 1000 };
  return trailerOf(error ? 'exec-failed' : kind, known);
}
