/** What the kernel's or Node's code says, for the reader of a message. */
const NETWORK: Record<string, string> = {
  ENOENT: 'there is no such socket',
  ECONNREFUSED: 'nothing listens there',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTSOCK: 'it is not a socket',
  ECONNRESET: 'the connection was broken off',
  EPIPE: 'the connection was broken off',
  ENOTFOUND: 'the host name is unknown',
};

/** How an {@link EngineFailure} came about. */
export interface FailureDetail extends ErrorOptions {
  /** HTTP status of an engine that answered and refused. */
  status?: number;
  /** Code of a network error as Node names it, or `EDEADLINE`. */
  code?: string;
}

/** A call to an engine that did not succeed. Stays inside the backends, which turn it into their callers' errors. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  readonly status: number | undefined;
  readonly code: string | undefined;

  constructor(message: string, { status, code, ...options }: FailureDetail = {}) {
    super(message, options);
    this.status = status;
    this.code = code;
  }

  /** The engine is missing, silent or broke off: it never answered with a status, so nothing is known of the call. */
  get lost(): boolean {
    return this.status === undefined;
  }
}

/** The failure that a network error means; `call` says what was being asked, and of whom. */
export function networkFailure(call: string, cause: unknown): EngineFailure {
  const error = cause as NodeJS.ErrnoException;
  const code = error.code;
  const why = code?.startsWith('HPE_') ? 'what answers does not speak HTTP' : (code && NETWORK[code]) || error.message;
  return new EngineFailure(`${call}: ${why}${code ? ` (${code})` : ''}`, { ...(code && { code }), cause });
}
