import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import { networkInterfaces, platform } from 'node:os';
import { join } from 'node:path';

const LOOPBACK = '127.0.0.1';
/** How addresses in a user-mode stack (slirp4netns) begin. */
export const STACK_NETWORK = '10.0.2.';
/** Where such a one shows the host's loopback, when it is told to. */
export const LOOPBACK_OUTSIDE = `${STACK_NETWORK}2`;

/** Sockets of the host on which the probe must meet nobody. */
export class Listeners implements AsyncDisposable {
  /** Arguments of the probe that name them. */
  readonly targets: string[] = [];
  readonly #servers: Server[] = [];

  /**
   * @param folder For a socket with a path, which no sandbox is shown.
   * @param everywhere Also on the addresses that this host has in other networks.
   */
  static async open(folder: string, everywhere: boolean): Promise<Listeners> {
    const listeners = new Listeners();
    for (const host of [LOOPBACK, ...(everywhere ? ownAddresses() : [])]) {
      const { port } = (await listeners.#listen({ host, port: 0 })).address() as AddressInfo;
      listeners.targets.push(`tcp=${host}:${port}`);
      if (everywhere && host === LOOPBACK) listeners.targets.push(`tcp=${LOOPBACK_OUTSIDE}:${port}`);
    }
    const path = join(folder, 'host.sock');
    await listeners.#listen({ path });
    listeners.targets.push(`path=${path}`);
    if (platform() === 'linux') {
      const name = `code-sandbox-probe-${randomBytes(8).toString('hex')}`;
      await listeners.#listen({ path: `\0${name}` });
      listeners.targets.push(`abstract=${name}`);
    }
    return listeners;
  }

  async #listen(options: ListenOptions): Promise<Server> {
    const server = createServer(socket => socket.destroy()).listen(options);
    this.#servers.push(server);
    await once(server, 'listening');
    return server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map(server => new Promise(resolve => server.close(resolve))));
  }
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
}
