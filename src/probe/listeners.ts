import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import { networkInterfaces, platform } from 'node:os';
import { join } from 'node:path';
import { procText } from '../reaper/proc.js';

const LOOPBACK = '127.0.0.1';
/** Where user-mode stacks show the host to those inside, by its loopback or its own address: slirp4netns, pasta. */
const HOST_SEEN_FROM_INSIDE = ['10.0.2.2', '169.254.1.2'];

/** Sockets of the host on which the probe must meet nobody. */
export class Listeners implements AsyncDisposable {
  /** Arguments of the probe that name them. */
  readonly targets: string[] = [];
  /** Somebody has come by the host's loopback. */
  loopbackMet = false;
  readonly #servers: Server[] = [];

  /**
   * @param folder For a socket with a path, which no sandbox is shown.
   * @param everywhere Also on the addresses that this host has in other networks.
   */
  static async open(folder: string, everywhere: boolean): Promise<Listeners> {
    const listeners = new Listeners();
    const onLoopback = await listeners.#listen({ host: LOOPBACK, port: 0 });
    onLoopback.on('connection', () => {
      listeners.loopbackMet = true;
    });
    const ways = everywhere ? [...HOST_SEEN_FROM_INSIDE, ...gatewaysIn(procText('/proc/net/route'))] : [];
    for (const host of [LOOPBACK, ...ways]) listeners.targets.push(`tcp=${host}:${portOf(onLoopback)}`);
    if (everywhere) {
      const onAll = await listeners.#listen({ host: '0.0.0.0', port: 0 });
      for (const host of HOST_SEEN_FROM_INSIDE) listeners.targets.push(`tcp=${host}:${portOf(onAll)}`);
    }
    for (const host of everywhere ? ownAddresses() : []) {
      listeners.targets.push(`tcp=${host}:${portOf(await listeners.#listen({ host, port: 0 }))}`);
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

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Where ways out of this host lead, by the kernel's table. Pure. */
export function gatewaysIn(routes: string): string[] {
  const gateways = routes.split('\n').flatMap(line => /^\S+\s+00000000\s+([0-9A-F]{8})\s/.exec(line)?.[1] ?? []);
  const addresses = gateways.map(gateway => [...Buffer.from(gateway, 'hex').reverse()].join('.'));
  return [...new Set(addresses)].filter(address => address !== '0.0.0.0');
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
}
