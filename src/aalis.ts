/**
 * The Aalis contract as structural types (api-code-sandbox 0.5, api-process, core 0.12), so that nothing of `@aalis/*`
 * is needed at build or run time. Only types live here.
 */
import type { Readable, Writable } from 'node:stream';

/** What code may touch. All paths are absolute paths of existing folders of the host. */
export interface SandboxPolicy {
  fsRead: string[];
  fsWrite: string[];
  network: 'deny' | 'allow';
}

/** One run as Aalis asks for it. */
export interface SandboxRunRequest {
  /** Command: a name looked up in PATH inside the sandbox, or a path. */
  cmd: string;
  args: string[];
  cwd?: string;
  env?: Record<string, string | undefined>;
  /** Milliseconds from the start of the program. */
  timeout?: number;
  policy: SandboxPolicy;
}

/** How a program ended, in the shape of Aalis's `process` service. */
export interface ExecResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  truncated?: boolean;
}

/** The service that this package provides to Aalis. */
export interface CodeSandboxService {
  readonly available: boolean;
  readonly backend: string;
  run(request: SandboxRunRequest): Promise<ExecResult>;
}

/** Options of {@link ProcessService.spawn}; `env` is laid over the host's own. */
export interface SpawnOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
  timeout?: number;
  input?: string | Uint8Array;
  detached?: boolean;
  stdio?: 'pipe' | 'ignore' | 'inherit';
  maxBuffer?: number;
}

/** A process of the host, started through the `process` service. */
export interface SpawnHandle {
  pid: number | undefined;
  stdin: Writable | null;
  stdout: Readable | null;
  stderr: Readable | null;
  wait(): Promise<ExecResult>;
  kill(signal?: NodeJS.Signals): boolean;
  unref(): void;
}

/** Aalis's gateway to child processes; never a shell. */
export interface ProcessService {
  spawn(cmd: string, args: readonly string[], opts?: SpawnOptions): SpawnHandle;
  execFile(cmd: string, args: readonly string[], opts?: SpawnOptions): Promise<ExecResult>;
}

/** Aalis's logger. Nothing of it reaches stdout. */
export interface Logger {
  child(scope: string): Logger;
  debug(message: string, ...rest: unknown[]): void;
  info(message: string, ...rest: unknown[]): void;
  warn(message: string, ...rest: unknown[]): void;
  error(message: string, ...rest: unknown[]): void;
}

/** One outcome of a doctor check. */
export interface CheckResult {
  id: string;
  category: 'env' | 'filesystem' | 'plugins' | 'config' | 'service' | 'other';
  level: 'ok' | 'warn' | 'error';
  message: string;
  detail?: string;
}

/** A check that a plugin hands to Aalis's doctor. */
export interface CheckSpec {
  id: string;
  category: CheckResult['category'];
  pluginName?: string;
  run(): Promise<CheckResult | CheckResult[]>;
}

/** The part of Aalis's doctor that plugins use. */
export interface DoctorService {
  registerCheck(spec: CheckSpec): () => void;
}

/** The part of Aalis's plugin context that this plugin uses. */
export interface Context {
  readonly id: string;
  readonly logger: Logger;
  provide(name: string, impl: object, options?: { priority?: number; label?: string }): () => void;
  getService<T>(name: string): T | undefined;
  whenService<T>(name: string, use: (service: T) => undefined | (() => void)): () => void;
  onDispose(fn: () => void | Promise<void>, label?: string): () => void;
}
