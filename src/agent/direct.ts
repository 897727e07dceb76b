import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ending, Sandbox, Sinks } from '../sandbox/backend.js';
import type { Program } from '../supervisor/frame.js';
import type { Trailer, TrailerKind } from '../supervisor/trailer.js';

/** How long output may still come once the program has ended; what left its process group may hold the pipes for ever. */
const DRAIN_MS = 500;

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
    if (this.#kind !== 'exited') return { trailer: trailerOf(this.#kind, { signal: 'SIGKILL' }, 0) };
    const [command = '', ...args] = program.argv;
    const started = performance.now();
    const child = spawn(command, args, {
      cwd: program.cwd,
      env: Object.fromEntries(program.env),
      detached: true,
      stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
    this.#pid = child.pid;
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
    await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    return { trailer: trailerOf(this.#kind, exit, wallMs) };
  }

  async stop(how: 'term' | 'kill'): Promise<void> {
    if (how === 'term') this.#signal('SIGTERM');
    else this.#kill('owner-gone');
  }

  async close(): Promise<void> {
    this.#signal('SIGKILL');
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

function trailerOf(kind: TrailerKind, { code = null, signal = null, error }: Exit, wallMs: number): Trailer {
  return {
    kind: error ? 'exec-failed' : kind,
    code,
    signal: signal && constants.signals[signal],
    errno: error ? (constants.errno[error.code as keyof typeof constants.errno] ?? 0) : 0,
    detail: 0,
    oomKills: null,
    peakMemoryBytes: null,
    userMicros: 0,
    systemMicros: 0,
    wallMicros: wallMs * 1000,
  };
}
