import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { supervisorDir } from '../../src/supervisor/binary.js';
import { encodeFrame, type Frame } from '../../src/supervisor/frame.js';
import { type Trailer, TrailerSplitter } from '../../src/supervisor/trailer.js';

/** Who starts it: root in a process namespace, or an ordinary user in a user namespace of its own. */
export type Identity = 'root' | 'user';
export const identities: Identity[] = process.getuid?.() === 0 ? ['root', 'user'] : ['user'];

/** A folder that everybody can read: the checkout may lie where an ordinary user cannot. */
const folder = mkdtempSync(join(tmpdir(), 'supervisor-test-'));
chmodSync(folder, 0o755);
const binary = join(folder, 'supervisor');
copyFileSync(join(supervisorDir(process.arch), 'supervisor'), binary);
chmodSync(binary, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Compiles a test program of `programs/`; answers its path. */
export function compileProgram(name: string): string {
  const path = join(folder, name);
  execFileSync('gcc', ['-O1', '-o', path, fileURLToPath(new URL(`programs/${name}.c`, import.meta.url)), '-lpthread']);
  return path;
}

/** A folder that programs of both identities may write. */
export function openFolder(): string {
  const path = mkdtempSync(join(folder, 'open-'));
  chmodSync(path, 0o777);
  return path;
}

/** The command line that makes the supervisor PID 1 of a process namespace of its own. Never run it without one. */
export function commandLine(identity: Identity, args: string[] = []): string[] {
  const namespace = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
  if (identity === 'root') return [...namespace, binary, ...args];
  const drop = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
  return [...drop, ...namespace, '--user', '--map-root-user', binary, ...args];
}

export function program(argv: string[], changes: Partial<Frame> = {}): Frame {
  return {
    argv,
    env: [['PATH', '/usr/bin:/bin']],
    cwd: '/',
    deadlineMs: 20_000,
    stdin: false,
    rlimits: [],
    mounts: [],
    nonce: randomBytes(16),
    ...changes,
  };
}

export interface Outcome {
  stdout: string;
  stderr: string;
  /** The trailers of stdout and stderr. */
  trailer: Trailer | undefined;
  trailerOfStderr: Trailer | undefined;
  exitCode: number | null;
}

/** A supervisor that waits for its frame. */
export class Supervised {
  readonly process: ChildProcess;
  #stdout: Buffer[] = [];
  #stderr: Buffer[] = [];
  readonly #exit: Promise<number | null>;
  /** Called with each chunk of stdout as it comes. */
  onStdout: (chunk: Buffer) => void = () => {};

  constructor(identity: Identity, args: string[] = []) {
    const [command, ...rest] = commandLine(identity, args);
    this.process = spawn(command!, rest, { stdio: 'pipe' });
    this.process.stdout!.on('data', chunk => {
      this.#stdout.push(chunk);
      this.onStdout(chunk);
    });
    this.process.stderr!.on('data', chunk => this.#stderr.push(chunk));
    this.process.stdin!.on('error', () => {}); // one that ended early reads no more
    this.#exit = new Promise(resolve => this.process.on('close', resolve));
  }

  send(bytes: Buffer): this {
    this.process.stdin!.write(bytes);
    return this;
  }

  endStdin(): this {
    this.process.stdin!.end();
    return this;
  }

  /** Pid of the supervisor as this namespace sees it. */
  pid(): number {
    const children = readFileSync(`/proc/${this.process.pid}/task/${this.process.pid}/children`, 'utf8').trim();
    if (children === '') throw new Error('there is no supervisor yet');
    return Number(children);
  }

  /** Waits for the end; `nonce` parts output and trailer. */
  async outcome(nonce: Buffer): Promise<Outcome> {
    const exitCode = await this.#exit;
    const [stdout, trailer] = split(nonce, this.#stdout);
    const [stderr, trailerOfStderr] = split(nonce, this.#stderr);
    return { stdout, stderr, trailer, trailerOfStderr, exitCode };
  }
}

function split(nonce: Buffer, chunks: Buffer[]): [string, Trailer | undefined] {
  const output: Buffer[] = [];
  const splitter = new TrailerSplitter(nonce, chunk => output.push(chunk));
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return [Buffer.concat(output).toString(), splitter.trailer];
}

/** Runs one program from frame to end. */
export function run(identity: Identity, argv: string[], changes: Partial<Frame> = {}): Promise<Outcome> {
  const what = program(argv, changes);
  return new Supervised(identity).send(encodeFrame(what)).outcome(what.nonce);
}
