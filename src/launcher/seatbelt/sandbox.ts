import { constants } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { ProcessService, SpawnHandle } from '../../aalis.js';
import { PRIVATE_HOME } from '../../hardening/tmpfs.js';
import type { Ending, Sandbox, Sinks } from '../../sandbox/backend.js';
import type { Program } from '../../supervisor/frame.js';
import type { Trailer, TrailerKind } from '../../supervisor/trailer.js';
import { isExecutable } from '../command-path.js';

/** Part of macOS, and protected by it: nothing of the environment runs in it. */
export const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

/** What one sandbox of Seatbelt takes. */
export interface SeatbeltParts {
  id: string;
  process: ProcessService;
  /** File with the profile. */
  profile: string;
  /** The run's private folder. */
  home: string;
  remove(): Promise<void>;
}

/**
 * One sandbox of macOS. There is no supervisor: this process watches the deadline and ends the process group, so what
 * leaves the group (setsid) and closes its output lives on. The probe reports that.
 */
export class SeatbeltSandbox implements Sandbox {
  readonly id: string;
  readonly image = 'host';
  readonly #parts: SeatbeltParts;
  #handle: SpawnHandle | undefined;
  #over = false;

  constructor(parts: SeatbeltParts) {
    this.id = parts.id;
    this.#parts = parts;
  }

  get ended(): boolean {
    return this.#over;
  }

  async run(program: Program, sinks: Sinks, stdin?: NodeJS.ReadableStream): Promise<Ending> {
    const started = performance.now();
    const wall = () => (performance.now() - started) * 1000;
    const own = program.env.map(([name, value]) => [name, this.#placed(name, value)] as const);
    const command = find(program.argv[0]!, new Map(own).get('PATH') ?? '');
    if ('errno' in command) return { trailer: trailerOf('exec-failed', { errno: command.errno, wallMicros: wall() }) };
    const hidden = Object.fromEntries(Object.keys(process.env).map(name => [name, undefined]));
    const args = ['-f', this.#parts.profile, command.path, ...program.argv.slice(1)];
    const env = { ...hidden, ...Object.fromEntries(own) };
    const handle = this.#parts.process.spawn(SANDBOX_EXEC, args, {
      cwd: program.cwd,
      env,
      detached: true,
      maxBuffer: 1,
    });
    this.#handle = handle;
    const exit = handle.wait();
    handle.stdout?.on('data', sinks.stdout);
    handle.stderr?.on('data', sinks.stderr);
    handle.stdin?.on('error', () => {});
    if (stdin) stdin.pipe(handle.stdin!);
    else handle.stdin?.end();
    let late = false;
    const deadline = setTimeout(() => {
      late = true;
      this.#signal('SIGKILL');
    }, program.deadlineMs);
    try {
      const { code, signal } = await exit;
      const ended = { code, signal: signal ? constants.signals[signal] : null, wallMicros: wall() };
      return { trailer: trailerOf(late ? 'deadline' : 'exited', ended) };
    } finally {
      clearTimeout(deadline);
      this.#signal('SIGKILL');
      this.#over = true;
    }
  }

  async stop(how: 'term' | 'kill'): Promise<void> {
    if (!this.#over) this.#signal(how === 'term' ? 'SIGTERM' : 'SIGKILL');
  }

  async close(): Promise<void> {
    if (!this.#over) this.#signal('SIGKILL');
    await this.#parts.remove();
  }

  /** The whole group. */
  #signal(name: NodeJS.Signals): void {
    try {
      if (this.#handle?.pid !== undefined) process.kill(-this.#handle.pid, name);
    } catch {
      // All of it has ended.
    }
  }

  /** There is no private /tmp here, but a folder in its place. */
  #placed(name: string, value: string): string {
    return (name === 'HOME' || name === 'TMPDIR') && value === PRIVATE_HOME ? this.#parts.home : value;
  }
}

function find(command: string, path: string): { path: string } | { errno: number } {
  if (command.includes('/')) return isExecutable(command) ? { path: command } : { errno: constants.errno.EACCES };
  const candidates = path.split(delimiter).filter(isAbsolute);
  const found = candidates.map(folder => join(folder, command)).find(isExecutable);
  return found ? { path: found } : { errno: constants.errno.ENOENT };
}

/** In the supervisor's words, so that one table says what every end means. */
function trailerOf(kind: TrailerKind, known: Partial<Trailer>): Trailer {
  const nothing = { code: null, signal: null, errno: 0, detail: 0, oomKills: null, peakMemoryBytes: null };
  return { kind, ...nothing, userMicros: 0, systemMicros: 0, wallMicros: 0, ...known };
}
