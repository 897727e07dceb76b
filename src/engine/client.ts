import { tracingChannel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { type Duplex, Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type Docker from 'dockerode';
import { readBody, readLines, readRefusal } from './body.js';
import { type Endpoint, endpointLabel } from './endpoint.js';
import { type EngineFacts, identify } from './facts.js';
import { EngineFailure, networkFailure } from './failure.js';

/** One call to an engine. Paths are those of Docker's API, or of Podman's native one where they begin with `/libpod/`. */
export interface Call {
  /** Default GET. */
  method?: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** Objects are sent as JSON, lists as a parameter for each item; undefined is left out. */
  query?: Record<string, string | number | boolean | object | undefined>;
  /** An object is sent as JSON, bytes and streams as they are. A stream is destroyed when the call ends. */
  body?: object | Buffer | Readable;
  /** Of a body that is bytes or a stream; default `application/x-tar`. */
  contentType?: string;
  /** From the start of the call to the end of its answer; default 10,000. */
  deadlineMs?: number;
  /** Statuses that are no failure; default any 2xx, and 304. */
  statusCodes?: readonly number[];
  /** Takes an answer that is one JSON object a line, object by object as they come; the body is then undefined. */
  onLine?: (line: unknown) => void;
  /** Takes an answer of any size as bytes; the body is then undefined. It is closed, or destroyed, when the call ends. */
  into?: Writable;
  signal?: AbortSignal;
}

/** What an engine answered. */
export interface Answer<T> {
  status: number;
  headers: IncomingMessage['headers'];
  /** Parsed JSON, undefined for an empty body, else a Buffer. */
  body: T;
}

/** How to connect. */
export interface ConnectOptions {
  /** For the ping, in milliseconds; default 2,000. What the engine says of itself may take longer. */
  deadlineMs?: number;
  /** Runs once when the client is closed: what was started for it ends here. */
  onClose?: () => Promise<void>;
}

/** Tells whoever listens about every call, by its method and path; costs nothing while nobody does. */
const CALLS = tracingChannel('code-sandbox:engine-call');

/** Oldest version of Podman's native API that is spoken; Podman 5 still answers it, in the same words. */
const LIBPOD = '/v4.0.0';

/** A live connection to one engine. Every call has a deadline, and ends in an answer or an {@link EngineFailure}. */
export class EngineClient implements AsyncDisposable {
  readonly endpoint: Endpoint;
  readonly #modem: Docker['modem'];
  readonly #calls = new Set<AbortController>();
  readonly #attached = new Set<Duplex>();
  #facts: EngineFacts | undefined;
  #onClose: ConnectOptions['onClose'];
  #lost = false;
  #closing: Promise<void> | undefined;

  private constructor(endpoint: Endpoint, modem: Docker['modem']) {
    this.endpoint = endpoint;
    this.#modem = modem;
  }

  /** @throws EngineFailure when nothing answers there in time, or what answers is not a usable engine. */
  static async connect(endpoint: Endpoint, options: ConnectOptions = {}): Promise<EngineClient> {
    const client = new EngineClient(endpoint, await openModem(endpoint));
    try {
      client.#facts = await identify(client, options.deadlineMs ?? 2000);
      client.#onClose = options.onClose;
      return client;
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  get facts(): EngineFacts {
    return this.#facts!;
  }

  /** For people: engine, version, rootless or not. */
  get label(): string {
    const { kind, version, rootless } = this.facts;
    return `${kind === 'podman' ? 'Podman' : 'Docker'} ${version}${rootless ? ' (rootless)' : ''}`;
  }

  /** @throws EngineFailure; the reason of `call.signal` when that is what ended it. */
  async request<T = unknown>(call: Call): Promise<Answer<T>> {
    return this.#bounded(call, async signal => {
      const response = (await this.#dial(call, signal, false)) as IncomingMessage;
      const status = response.statusCode!;
      if (!(call.statusCodes?.includes(status) ?? (status < 300 || status === 304))) await this.#refuse(call, response);
      return { status, headers: response.headers, body: (await readAnswer(call, response)) as T };
    });
  }

  /**
   * Joins the container's stdin, stdout and stderr: one raw connection, output multiplexed in frames on both engines.
   * It has to come before the start, lest output is lost. Podman initialises the container here, and reports a command
   * that cannot be started as status 409.
   * @param options `stdin: false` joins the output only, of a container that runs
   */
  async attach(
    id: string,
    { stdin = true, ...options }: Pick<Call, 'deadlineMs' | 'signal'> & { stdin?: boolean } = {},
  ): Promise<Duplex> {
    const native = this.facts.kind === 'podman' ? '/libpod' : '';
    const query = { stream: true, stdin, stdout: true, stderr: true };
    // The empty body is no accident: without one docker-modem writes its options, as JSON, into the container's stdin.
    const body = Buffer.alloc(0);
    const call: Call = { method: 'POST', path: `${native}/containers/${id}/attach`, query, body, ...options };
    const stream = await this.#bounded(call, async signal => {
      const answer = await this.#dial(call, signal, true);
      return isAnswer(answer) ? this.#refuse(call, answer) : answer;
    });
    this.#attached.add(stream);
    stream.once('close', () => this.#attached.delete(stream));
    return stream;
  }

  /**
   * Ends open calls and attached streams, and what was started for this client. Idempotent.
   * @param lost why, for those who wait: the engine no longer answers
   */
  close(lost?: 'lost'): Promise<void> {
    this.#lost ||= lost !== undefined;
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    for (const call of this.#calls) call.abort(this.#closed());
    for (const stream of this.#attached) stream.destroy();
    await this.#onClose?.();
  }

  #closed(): EngineFailure {
    return new EngineFailure(`${endpointLabel(this.endpoint)} ${this.#lost ? 'no longer answers' : 'was let go of'}`);
  }

  #bounded<T>(call: Call, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { method = 'GET', path } = call;
    return CALLS.tracePromise(() => this.#within(call, work), { method, path });
  }

  async #within<T>(call: Call, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    call.signal?.throwIfAborted();
    if (this.#closing) throw this.#closed();
    const { deadlineMs = 10_000 } = call;
    const controller = new AbortController();
    const onAbort = () => controller.abort(call.signal?.reason);
    const timer = setTimeout(() => {
      const message = `${this.#describe(call)}: no answer within ${deadlineMs} ms`;
      controller.abort(new EngineFailure(message, { code: 'EDEADLINE' }));
    }, deadlineMs);
    call.signal?.addEventListener('abort', onAbort);
    this.#calls.add(controller);
    try {
      return await work(controller.signal);
    } catch (error) {
      if (controller.signal.aborted) throw controller.signal.reason;
      if (call.body instanceof Readable && call.body.errored) throw call.body.errored;
      throw error instanceof EngineFailure ? error : networkFailure(this.#describe(call), error);
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', onAbort);
      this.#calls.delete(controller);
      if (call.body instanceof Readable) call.body.destroy();
    }
  }

  /** Settles at the headers of an answer of any status, or at the upgrade of a hijacked connection. */
  #dial(call: Call, signal: AbortSignal, hijack: boolean): Promise<IncomingMessage | Duplex> {
    const { method = 'GET', path, query = {}, body, contentType = 'application/x-tar' } = call;
    const search = encodeQuery(query);
    const bytes = body instanceof Readable || Buffer.isBuffer(body) || body === undefined;
    const file = bytes ? body : Buffer.from(JSON.stringify(body));
    return new Promise((resolve, reject) => {
      this.#modem.dial(
        {
          // docker-modem cuts off the last character of a path that holds a question mark.
          path: `${path.startsWith('/libpod/') ? LIBPOD : ''}${path}${search && `?${search}`}?`,
          method,
          ...(file !== undefined && { file, headers: { 'Content-Type': bytes ? contentType : 'application/json' } }),
          hijack,
          isStream: true,
          statusCodes: EVERY_STATUS,
          abortSignal: signal,
        },
        (error, answer) => (error ? reject(error) : resolve(answer as IncomingMessage | Duplex)),
      );
    });
  }

  async #refuse(call: Call, response: IncomingMessage): Promise<never> {
    const { statusCode: status } = response;
    const words = await readRefusal(response);
    throw new EngineFailure(`${this.#describe(call)}: ${words} (status ${status})`, { ...(status && { status }) });
  }

  #describe(call: Call): string {
    return `${call.method ?? 'GET'} ${call.path} at ${endpointLabel(this.endpoint)}`;
  }
}

function readAnswer({ onLine, into }: Call, response: IncomingMessage): Promise<unknown> {
  if (into) return pipeline(response, into);
  return onLine ? readLines(response, onLine) : readBody(response);
}

function isAnswer(answer: IncomingMessage | Duplex): answer is IncomingMessage {
  return 'statusCode' in answer;
}

/** Every status reaches us as a response: docker-modem's own errors know nothing of deadlines while they read the body. */
const EVERY_STATUS = new Proxy({}, { get: () => true });

function encodeQuery(query: NonNullable<Call['query']>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) search.append(name, typeof item === 'object' ? JSON.stringify(item) : String(item));
    }
  }
  return search.toString();
}

/**
 * Says every option outright, since docker-modem fills in what is left out from DOCKER_HOST and its relatives. Loaded here,
 * since it takes a third of the time in which the command line starts, and what needs no engine goes without it.
 */
async function openModem(endpoint: Endpoint): Promise<Docker['modem']> {
  const { default: Docker } = await import('dockerode');
  const unset = { socketPath: undefined, host: undefined, port: undefined, pathPrefix: undefined, timeout: undefined };
  const { tls, ...address } = { tls: undefined, ...endpoint };
  const certificates = tls ?? { ca: undefined, cert: undefined, key: undefined };
  try {
    return new Docker({ ...unset, ...address, ...certificates, protocol: tls ? 'https' : 'http' }).modem;
  } catch (cause) {
    throw new EngineFailure(
      `DOCKER_HOST or DOCKER_CERT_PATH of the environment is broken, correct or unset it: ${(cause as Error).message}`,
      { cause },
    );
  }
}
