import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

/**
 * What happens to a call: it is refused with status 500, its connection is cut before the engine hears of it (`cut`) or
 * once the engine has answered (`lose`), or it is kept waiting for so many milliseconds.
 */
export type Fault = 'refuse' | 'cut' | 'lose' | { delayMs: number };

/** A proxy in front of an engine that can do what engines do when they are ill. */
export class EngineProxy implements AsyncDisposable {
  readonly socket: string;
  /** Decides about each call, as `POST /containers/ID/start`; what it does itself happens before the engine is asked. */
  onCall: (call: string) => Fault | undefined = () => undefined;
  /** Hears of each call that the engine has answered. */
  onAnswer: (call: string) => void = () => {};
  readonly #engine: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  readonly #open = new Set<Duplex>();
  readonly #server = createServer((incoming, response) => this.#serve(incoming, response));

  private constructor(engine: string) {
    this.#engine = engine;
    this.socket = join(this.#folder, 'engine.sock');
    this.#server.on('connection', socket => this.#track(socket));
    this.#server.on('upgrade', (incoming, socket, head) => this.#upgrade(incoming, socket, head));
  }

  /** @param engine its socket */
  static async before(engine: string): Promise<EngineProxy> {
    const proxy = new EngineProxy(engine);
    await new Promise<void>(resolve => proxy.#server.listen(proxy.socket, resolve));
    return proxy;
  }

  /** Breaks every connection off, as an engine does that dies. */
  cutAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cutAll();
    await new Promise(resolve => this.#server.close(resolve));
    rmSync(this.#folder, { recursive: true });
  }

  #track(socket: Duplex): void {
    this.#open.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => this.#open.delete(socket));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = callOf(incoming);
    const fault = this.onCall(call);
    if (fault === 'cut') return void incoming.socket.destroy();
    if (fault === 'refuse') {
      incoming.resume();
      response.writeHead(500, { 'content-type': 'application/json' });
      return void response.end('{"message":"refused by the proxy","cause":"refused by the proxy"}');
    }
    if (typeof fault === 'object') await wait(fault.delayMs);
    const { method, url, headers } = incoming;
    const outgoing = request({ socketPath: this.#engine, method, path: url, headers, agent: false }, answer => {
      if (fault === 'lose') {
        answer.resume().on('end', () => incoming.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response).on('finish', () => this.onAnswer(call));
    });
    outgoing.on('error', () => incoming.socket.destroy());
    // Who asks may be killed in the middle of it, which the engine then sees.
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }

  /** The attach: a raw connection from its first byte. */
  async #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const call = callOf(incoming);
    const fault = this.onCall(call);
    this.#track(socket);
    if (fault === 'cut') return void socket.destroy();
    if (fault === 'refuse') return void socket.end('HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n');
    if (typeof fault === 'object') await wait(fault.delayMs);
    const upstream = connect(this.#engine);
    this.#track(upstream);
    const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`];
    for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
      lines.push(`${incoming.rawHeaders[i]}: ${incoming.rawHeaders[i + 1]}`);
    }
    upstream.write(`${lines.join('\r\n')}\r\n\r\n`);
    upstream.write(head);
    upstream.once('data', () => (fault === 'lose' ? socket.destroy() : this.onAnswer(call)));
    socket.pipe(upstream).on('close', () => socket.destroy());
    upstream.pipe(socket).on('close', () => upstream.destroy());
  }
}

/** A call without its version, its query and its ids. */
function callOf({ method, url = '' }: IncomingMessage): string {
  const path = url.split('?')[0]!.replace(/^\/v[\d.]+/, '');
  const general = path
    .replace(/^\/libpod/, '')
    .replace(/(containers|images|networks)\/(?!create|json|import)[^/]+/, '$1/ID');
  return `${method} ${general}`;
}

function wait(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
