import type { SandboxPolicy } from '../aalis.js';
import { InvalidRequest } from '../sandbox/errors.js';
import { BOUNDS } from './bounds.js';
import { execBytes, requestSchema } from './schema.js';

/** A request whose shape and size are right. Its paths have not been looked at yet. */
export interface CheckedRequest {
  cmd: string;
  args: string[];
  cwd?: string | undefined;
  /** In the caller's order; variables with the value `undefined` are gone. */
  env: Array<[name: string, value: string]>;
  timeout?: number | undefined;
  policy: SandboxPolicy;
}

/**
 * Copies a request of the contract after checking its shape and its bounds. Looks at nothing of the host.
 * @param maxTimeoutMs longest timeout that the operator's configuration lets a request name.
 * @throws InvalidRequest that names the field, its value, the limit; also for objects that throw when they are read.
 */
export function checkRequest(request: unknown, maxTimeoutMs: number): CheckedRequest {
  const { env = [], ...rest } = parse(request);
  const { folders, totalBytes } = BOUNDS;
  const named = rest.policy.fsRead.length + rest.policy.fsWrite.length;
  if (named > folders) {
    throw refusal(`policy names ${named} folders; the limit is ${folders}. Name the folder that contains them`);
  }
  const total = [rest.cmd, ...rest.args, ...env.map(pair => pair.join('='))].reduce((sum, s) => sum + execBytes(s), 0);
  if (total > totalBytes) {
    throw refusal(
      `args and env take ${total} bytes together; the limit is ${totalBytes}. Hand long data over in a file`,
    );
  }
  const longest = Math.min(maxTimeoutMs, BOUNDS.timeoutMs);
  if (rest.timeout !== undefined && rest.timeout > longest) {
    throw refusal(
      `timeout is ${rest.timeout} ms; the configuration allows at most ${longest} ms (limits.maxTimeoutMs)`,
    );
  }
  return { ...rest, env };
}

function parse(request: unknown) {
  let parsed: ReturnType<typeof requestSchema.safeParse>;
  try {
    parsed = requestSchema.safeParse(request);
  } catch (error) {
    // A getter or a proxy of the caller's threw: its own fault, whatever it threw.
    throw refusal('it cannot be read, since reading one of its fields throws', { cause: error });
  }
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  const field = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  throw refusal(`${field.slice(1) || 'it'}${/^[ :]/.test(message) ? '' : ' '}${message}`);
}

function refusal(message: string, options?: ErrorOptions): InvalidRequest {
  return new InvalidRequest(`The run request is not valid: ${message}.`, 'invalid', options);
}
