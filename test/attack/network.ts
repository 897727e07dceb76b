import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import type { RunResult } from '../../src/sandbox/result.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { type Attack, folderOf, script } from './attack.js';

/** Where engines keep everything, also those that are not the target. */
const STORAGE = ['/var/lib/docker', '/var/lib/containers'];

/** Tries to reach what listens on the host; prints what it reached. */
const REACH = `
import json, socket, sys
tcp, udp, addresses, paths = json.loads(sys.argv[1])
def attempt(what, family, kind, address, act):
    try:
        with socket.socket(family, kind) as s: s.settimeout(1); act(s, address)
    except OSError: return
    if what: print(what)
def connect(s, address): s.connect(address)
def send(s, address): s.sendto(b'out', address)
for a in addresses:
    family = socket.AF_INET6 if ':' in a else socket.AF_INET
    attempt('tcp ' + a, family, socket.SOCK_STREAM, (a, tcp), connect)
    # Its own loopback takes what nobody hears: there only the host can tell.
    own = a.startswith('127.') or a == '::1'
    attempt('' if own else 'udp ' + a, family, socket.SOCK_DGRAM, (a, udp), send)
for p in paths: attempt('unix ' + p, socket.AF_UNIX, socket.SOCK_STREAM, p.replace('@', chr(0)), connect)
for p in ['/run/docker.sock', '/var/run/docker.sock', '/run/podman/podman.sock', '/run/containerd/containerd.sock',
          '/run/dbus/system_bus_socket', '/run/systemd/private', '/run/systemd/journal/socket', '/dev/log']:
    attempt('unix ' + p, socket.AF_UNIX, socket.SOCK_STREAM, p, connect)
try: print(socket.getaddrinfo('example.test', 80))
except OSError: pass
for name in [name for _, name in socket.if_nameindex()]:
    if not name.startswith(('lo', 'tunl', 'gre', 'erspan', 'ip_vti', 'ip6', 'sit')): print('interface', name)
`;

const LOOPBACKS = ['127.0.0.1', '::1'];

/** Everything on the host that could be reached, by IPv6 too where the host has it, and how often it was. */
export class Listeners implements AsyncDisposable {
  readonly addresses = Object.values(networkInterfaces()).flatMap(list => list!.map(({ address }) => address));
  readonly abstract = `@attack-${randomBytes(8).toString('hex')}`;
  readonly #servers: Server[] = [];
  readonly #six = this.addresses.includes('::1');
  /** On a host with IPv6 such a socket takes both. */
  readonly #udp = createSocket(this.#six ? 'udp6' : 'udp4');
  tcpPort = 0;
  udpPort = 0;
  hits = 0;

  static async open(path: string): Promise<Listeners> {
    const listeners = new Listeners();
    const listen = async (where: { port: number; host: string } | { path: string }) => {
      const server = createServer(socket => {
        listeners.hits++;
        socket.on('error', () => {}).end('host');
      });
      listeners.#servers.push(server.listen(where));
      await once(server, 'listening');
      return server.address();
    };
    const address = await listen({ port: 0, host: listeners.#six ? '::' : '0.0.0.0' });
    listeners.tcpPort = (address as { port: number }).port;
    await listen({ path: listeners.abstract.replace('@', '\0') });
    await listen({ path });
    listeners.#udp.on('message', () => listeners.hits++).bind(0);
    await once(listeners.#udp, 'listening');
    listeners.udpPort = listeners.#udp.address().port;
    return listeners;
  }

  /** The host itself reaches them: where nobody could, nothing would be shown. */
  async reachable(): Promise<void> {
    const loopbacks = LOOPBACKS.filter(each => this.addresses.includes(each));
    const before = this.hits;
    for (const host of loopbacks) {
      const caller = connect({ host, port: this.tcpPort });
      expect(String(await once(caller, 'data')), host).toBe('host');
      caller.destroy();
      const sender = createSocket(host === '::1' ? 'udp6' : 'udp4');
      sender.send('in', this.udpPort, host, () => sender.close());
    }
    await expect.poll(() => this.hits - before).toBe(2 * loopbacks.length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#udp.close();
    for (const server of this.#servers) server.close();
  }
}

/** Nothing on the host is reached by a program that is given where to try, though it can be reached from there. */
export async function reachesNothing(run: (aims: string) => Promise<RunResult>): Promise<RunResult> {
  using elsewhere = folderOf();
  await using host = await Listeners.open(`${elsewhere.path}/socket`);
  const aims = [host.tcpPort, host.udpPort, host.addresses, [host.abstract, `${elsewhere.path}/socket`]];
  const result = await run(JSON.stringify(aims));
  expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 0, stdout: '' });
  expect(host.hits).toBe(0);
  await host.reachable();
  return result;
}

/** Guarantees 2 and 5, with network `deny`. */
export const network: Attack[] = [
  {
    name: 'the host by TCP, UDP, unix sockets, abstract ones, and names',
    guarantee: 2,
    async run({ sandbox }) {
      await reachesNothing(aims => script(sandbox, REACH, [aims]));
    },
  },
  {
    name: 'a folder in which the host listens',
    guarantee: 5,
    async run({ sandbox }) {
      using work = folderOf();
      await using host = await Listeners.open(`${work.path}/agent.sock`);
      const run = script(sandbox, 'import socket; socket.socket(socket.AF_UNIX).connect("agent.sock")', [], {
        policy: { fsWrite: [work.path] },
      });
      await expect(run).rejects.toThrow(/agent\.sock/);
      expect(host.hits).toBe(0);
    },
  },
  {
    name: 'a folder with the engine’s own socket, or its storage',
    guarantee: 5,
    async run({ sandbox, target }) {
      const own = target.socket ? [dirname(target.socket)] : [];
      const storage = [...sandbox.selection.backend!.places.storage, ...STORAGE].filter(path => existsSync(path));
      for (const path of [...own, ...storage, '/run', '/var/run', '/']) await refused(sandbox, path);
    },
  },
  {
    name: 'the system’s own folders',
    guarantee: 9,
    async run({ sandbox }) {
      for (const path of ['/etc', '/usr', '/dev', '/proc', '/sys', '/tmp']) await refused(sandbox, path);
    },
  },
];

async function refused(sandbox: CodeSandbox, path: string): Promise<void> {
  const run = script(sandbox, 'print("in")', [], { policy: { fsRead: [path] } });
  await expect(run, path).rejects.toMatchObject({ name: 'InvalidRequest' });
}
