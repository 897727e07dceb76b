import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

/** Something that listens on a Unix socket of its own, and what is connected to it. */
export interface Fake extends AsyncDisposable {
  socketPath: string;
  sockets: Set<Socket>;
}

/** Takes over a connection that asks for an upgrade; `head` is what came after the request. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Speaks HTTP as `listener` says. */
export function fakeHttp(listener: RequestListener, onUpgrade?: UpgradeListener, socketPath?: string): Promise<Fake> {
  const server = createHttpServer(listener);
  if (onUpgrade) server.on('upgrade', onUpgrade);
  return listen(server, socketPath);
}

/** Accepts connections, reads what comes, and leaves the rest to `onSocket`. */
export function fakeSocket(onSocket: (socket: Socket) => void = () => {}): Promise<Fake> {
  return listen(createServer(socket => onSocket(socket.resume())));
}

/** What `/_ping` and `/info` of an engine answer; everything else goes to `listener`. */
export function fakeEngine(
  kind: 'docker' | 'podman',
  listener: RequestListener = () => {},
  onUpgrade?: UpgradeListener,
  socketPath?: string,
): Promise<Fake> {
  const answer: RequestListener = (request, response) => {
    if (request.url === '/_ping') {
      response.setHeader('api-version', '1.41');
      if (kind === 'podman') response.setHeader('libpod-api-version', '4.3.1');
      return response.end('OK');
    }
    if (request.url === '/info') return json(response, INFO);
    listener(request, response);
  };
  return fakeHttp(answer, onUpgrade, socketPath);
}

/** Answers with JSON. */
export function json(response: Parameters<RequestListener>[1], body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const INFO = {
  ServerVersion: '4.3.1',
  Architecture: 'amd64',
  CgroupVersion: '2',
  Runtimes: { crun: {} },
  DefaultRuntime: 'crun',
  SecurityOptions: ['name=seccomp,profile=default', 'name=rootless'],
  OperatingSystem: 'debian',
  OSType: 'linux',
  KernelVersion: '6.1.0',
  Driver: 'overlay',
  DockerRootDir: '/var/lib/engine',
  Warnings: null,
};

function listen(server: Server, path?: string): Promise<Fake> {
  const folder = mkdtempSync(join(tmpdir(), 'fake-engine-'));
  const socketPath = path ?? join(folder, 'engine.sock');
  const sockets = new Set<Socket>();
  server.on('connection', socket => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  const fake: Fake = {
    socketPath,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return new Promise(resolve => server.listen(socketPath, () => resolve(fake)));
}
