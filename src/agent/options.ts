import { z } from 'zod';
import type { Logger, ProcessService } from '../aalis.js';
import type { ConfigInput } from '../config/schema.js';
import { InvalidRequest } from '../sandbox/errors.js';
import { limitOptions } from './limits.js';

const MiB = 1024 * 1024;

const whole = (value: number, min: number, max: number) => z.number().int().min(min).max(max).default(value);

const optionsSchema = z.strictObject({
  dataDir: z.string().startsWith('/', { error: 'must be an absolute path' }),
  mode: z.enum(['required', 'best-effort', 'off']).default('required'),
  allow: z.array(z.enum(['danger-full-access'])).default([]),
  limits: limitOptions.default({}),
  maxConcurrent: whole(0, 0, 4096),
  maxQueue: whole(256, 0, 100_000),
  artifacts: z
    .strictObject({ maxFiles: whole(32, 0, 10_000), maxBytes: whole(64 * MiB, 0, Number.MAX_SAFE_INTEGER) })
    .prefault({}),
  protect: z.boolean().default(true),
  graceMs: whole(2000, 0, 60_000),
  audit: z
    .union([z.literal(false), z.strictObject({ maxBytes: whole(10 * MiB, 4096, 2 ** 40), keep: whole(3, 0, 100) })])
    .prefault({}),
});

/** Options with every default filled in. */
export type Settings = z.output<typeof optionsSchema>;

/** What an operator decides about all runs. */
export interface AgentOptions {
  /**
   * Folder for what runs leave: `sandbox/<id>/artifacts`, `audit.jsonl`. Made where it is missing. It may neither hold
   * nor lie in a workspace.
   */
  dataDir: string;
  /**
   * `required` (default): a container, from an engine or an OCI runtime, or nothing runs. `best-effort`: where there is
   * none, bubblewrap or Seatbelt. `off`: every run is refused.
   */
  mode?: 'required' | 'best-effort' | 'off';
  /** Kinds of access that are dangerous and that requests may ask for, by name. */
  allow?: Array<'danger-full-access'>;
  /** Default and maximum of each limit, within what is built in. */
  limits?: z.input<typeof limitOptions>;
  /** Runs at once; 0 (default): twice the number of cores. The others wait, in order of arrival. */
  maxConcurrent?: number;
  /** Runs that may wait, default 256; more are refused as busy. */
  maxQueue?: number;
  /** How many files are kept of a run (default 32), and how many bytes together (default 64 MiB). */
  artifacts?: { maxFiles?: number; maxBytes?: number };
  /** What tools of the host would run later is read-only in a writable workspace; default true. */
  protect?: boolean;
  /** From SIGTERM to SIGKILL of a graceful stop, in milliseconds; default 2,000. */
  graceMs?: number;
  /** The audit file's size at which it is set aside (default 10 MiB), and how many are kept (default 3); false: none. */
  audit?: false | { maxBytes?: number; keep?: number };
  /**
   * Everything else: engine, root, safety, limits that requests cannot name. What the options above decide has no effect
   * in here: `fallback`, `warm`, `safety.protect`, and the limits of time, memory, processes, output and of runs at once.
   */
  config?: ConfigInput;
  logger?: Logger;
  /** How processes of the host are started; default: a local one. */
  process?: ProcessService;
}

/** @throws InvalidRequest that names every option that does not fit */
export function checkOptions({ config: _, logger: __, process: ___, ...options }: AgentOptions): Settings {
  const parsed = optionsSchema.safeParse(options);
  if (parsed.success) return parsed.data;
  throw new InvalidRequest(`The options of the agent sandbox do not fit:\n${z.prettifyError(parsed.error)}`);
}
