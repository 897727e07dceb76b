import { isAbsolute, join, posix } from 'node:path';
import { z } from 'zod';
import { spelled } from '../policy/folders.js';
import { quote } from '../policy/quote.js';
import { InvalidRequest } from '../sandbox/errors.js';
import type { OutputCallback } from '../sandbox/guarded.js';

/** What code may do with the workspace. */
export type Access = 'read-only' | 'workspace-write' | 'danger-full-access';

/** One run as an agent asks for it. */
export interface AgentRequest {
  /** A name looked up in PATH inside, or a path inside. */
  command: string;
  argv?: string[];
  /** What the program reads; without it stdin is at its end from the start. A stream is read at the program's pace. */
  stdin?: string | Uint8Array | NodeJS.ReadableStream;
  /** Absolute path of a folder that exists; inside it is `/workspace`. */
  workspaceDir: string;
  /** The program's working folder, in the workspace: relative to it, or an absolute path of the host. */
  cwd?: string;
  /** Default `read-only`. */
  access?: Access;
  /** Default `deny`. */
  network?: 'deny' | 'allow';
  /** All that the program gets of an environment, besides what belongs to the sandbox. */
  env?: Record<string, string | undefined>;
  /** From the start of the program, in milliseconds: 100 to 600,000. */
  timeoutMs?: number;
  /** In MiB, swap included: 32 to 8,192. */
  memoryMB?: number;
  /** Processes and threads: 1 to 512. */
  pids?: number;
  /** Fractions allowed; default no limit. */
  cpus?: number;
  /** Kept of each stream: 1 KiB to 64 MiB. */
  outputLimitBytes?: number;
  /** Image, by its name in the catalog, or by reference or id of the engine. */
  image?: string;
  /** OCI runtime of the engine, by name. */
  runtime?: string;
  /** Ends the run, or takes it out of the queue. */
  signal?: AbortSignal;
  onStdout?: OutputCallback;
  onStderr?: OutputCallback;
}

/** A request whose shape is right; the host has not been looked at. */
export interface CheckedAgentRequest extends AgentRequest {
  argv: string[];
  access: Access;
  network: 'deny' | 'allow';
  /** Absolute path of the host. */
  cwd: string;
}

const isStream = (value: unknown) => typeof (value as NodeJS.ReadableStream | null)?.pipe === 'function';
const callback = z.custom<(chunk: Buffer) => void>(value => typeof value === 'function', 'must be a function');
const amount = z.number().positive();

const requestSchema = z.strictObject({
  command: z.string().min(1),
  argv: z.array(z.string()).default([]),
  stdin: z
    .union([
      z.string(),
      z.instanceof(Uint8Array),
      z.custom<NodeJS.ReadableStream>(isStream, 'must be a string, bytes or a readable stream'),
    ])
    .optional(),
  workspaceDir: z.string().refine(isAbsolute, 'must be an absolute path'),
  cwd: z.string().min(1).optional(),
  access: z.enum(['read-only', 'workspace-write', 'danger-full-access']).default('read-only'),
  network: z.enum(['deny', 'allow']).default('deny'),
  env: z.record(z.string(), z.string().optional()).optional(),
  timeoutMs: amount.optional(),
  memoryMB: amount.optional(),
  pids: amount.optional(),
  cpus: amount.optional(),
  outputLimitBytes: amount.optional(),
  image: z.string().min(1).optional(),
  runtime: z.string().min(1).optional(),
  signal: z.instanceof(AbortSignal).optional(),
  onStdout: callback.optional(),
  onStderr: callback.optional(),
});

function read(request: unknown) {
  try {
    return requestSchema.safeParse(request);
  } catch (cause) {
    // A getter or a proxy of the caller's threw.
    throw new InvalidRequest('The run request is not valid: reading one of its fields throws.', 'invalid', { cause });
  }
}

/**
 * Checks the shape of a request, and that its working folder lies in the workspace as far as the names tell; links are
 * followed, and judged, later.
 * @throws InvalidRequest that names every field that is wrong
 */
export function checkAgentRequest(request: unknown): CheckedAgentRequest {
  const parsed = read(request);
  if (!parsed.success) throw new InvalidRequest(`The run request is not valid:\n${z.prettifyError(parsed.error)}`);
  const checked = parsed.data as Omit<CheckedAgentRequest, 'cwd'> & { cwd?: string };
  const workspace = posix.resolve(checked.workspaceDir);
  const cwd =
    checked.cwd === undefined || isAbsolute(checked.cwd) ? (checked.cwd ?? workspace) : join(workspace, checked.cwd);
  const way = posix.relative(workspace, posix.resolve(cwd));
  if (way === '..' || way.startsWith('../')) {
    throw new InvalidRequest(
      `The run request is not valid: cwd ${quote(cwd)} does not lie in the workspace ${quote(workspace)}.`,
      'refused',
    );
  }
  return { ...checked, workspaceDir: spelled(checked.workspaceDir), cwd };
}
