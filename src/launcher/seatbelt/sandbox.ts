import { constants } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessService, SpawnHandle } from '../../aalis.js';
import { PRIVATE_HOME } from '../../hardening/tmpfs.js';
import type { Ending, Sandbox, Sinks } from '../../sandbox/backend.js';
import type { Program } from '../../supervisor/frame.js';
import { type TrailerKind, trailerOf } from '../../supervisor/trailer.js';
import { drain } from '../drain.js';
import { isExecutable } from '../executable.js';

/** Part of macOS, and protected by it: nothing of the environment runs in it. */
export const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

/** How often it is looked whether a program has ended whose streams others hold open. */
const POLL_MS = 20;

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
 * leaves the group (setsid) lives on. The probe reports that.
 */
export class SeatbeltSandbox implements Sandbox {
  readonly id: string;
  readonly image = 'host';
  readonly #parts: SeatbeltParts;
  #handle: SpawnHandle | undefined;
  /** How this process has ended the run, if it has; the first cause counts. */
  #killed: TrailerKind | undefined;
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
    if (this.#killed) return { trailer: trailerOf(this.#killed, { wallMicros: wall() }) };
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
    sinks.began?.();
    const closed = handle.wait();
    handle.stdout?.on('data', sinks.stdout);
    handle.stderr?.on('data', sinks.stderr);
    handle.stdin?.on('error', () => {});
    if (stdin) stdin.pipe(handle.stdin!);
    else handle.stdin?.end();
    const deadline = setTimeout(() => this.#kill('deadline'), program.deadlineMs);
    try {
      await Promise.race([closed, this.#exited(handle.pid)]);
    } finally {
      clearTimeout(deadline);
      this.#signal('SIGKILL');
      this.#over = true;
    }
    const wallMicros = wall();
    await drain(closed, [handle.stdin, handle.stdout, handle.stderr]);
    const { code, signal } = await closed;
    const ended = { code, signal: signal && constants.signals[signal], wallMicros };
    return { trailer: trailerOf(this.#killed ?? 'exited', ended) };
  }

  async stop(how: 'term' | 'kill'): Promise<void> {
    if (how === 'kill') this.#kill('owner-gone');
    else if (!this.#over) this.#signal('SIGTERM');
  }

  async close(): Promise<void> {
    this.#kill('owner-gone');
    await this.#parts.remove();
  }

  /** `wait` tells of the end of the streams as well, which may come much later. A pid that never was is left to it. */
  async #exited(pid: number | undefined): Promise<void> {
    while (pid === undefined || isThere(pid)) {
      await sleep(POLL_MS, undefined, { ref: false });
      if (this.#over) return;
    }
  }

  /** Unless the program has ended by itself. */
  #kill(how: TrailerKind): void {
    const pid = this.#handle?.pid;
    if (this.#over || (pid !== undefined && !isThere(pid))) return;
    this.#killed ??= how;
    this.#signal('SIGKILL');
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

/** A child that has ended is gone once Node has told of it. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function find(command: string, path: string): { path: string } | { errno: number } {
  if (command.includes('/')) return isExecutable(command) ? { path: command } : { errno: constants.errno.EACCES };
  const candidates = path.split(delimiter).filter(isAbsolute);
  const found = candidates.map(folder => join(folder, command)).find(isExecutable);
  return found ? { path: found } : { errno: constants.errno.ENOENT };
}
