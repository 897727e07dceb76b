import { networkInterfaces } from 'node:os';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Guarantee } from '../../src/probe/report.js';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { examine } from '../../src/sandbox/doctor.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { python } from '../support/request.js';
import { configFor, networksOn, targets } from '../support/targets.js';
import { folderOf, script } from './attack.js';
import { TestHost } from './hosts.js';
import { Listeners } from './network.js';

const ALLOW = { policy: { network: 'allow' as const }, timeout: 20_000 };
const isRoot = process.getuid!() === 0;

/** Says what an address answers. */
const CALL = `import socket, sys
for where in sys.argv[1:]:
    host, _, port = where.rpartition(':')
    try:
        with socket.create_connection((host, int(port)), 3) as s: s.settimeout(3); print(s.recv(99).decode())
    except OSError as error: print('no')
`;

/** Says whether an address is met within a few seconds. */
const CALL_ON = `import socket, sys, time
host, _, port = sys.argv[1].rpartition(':')
until = time.monotonic() + 4
met = False
while time.monotonic() < until and not met:
    try: socket.create_connection((host, int(port)), 0.2); met = True
    except OSError: time.sleep(0.02)
print('met' if met else 'no')
`;

/** The address by which it goes out. */
const OWN = `import socket
probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); probe.connect(('198.18.77.2', 9))
own = probe.getsockname()[0]
`;

/** Tells its own address and waits for a neighbour until stdin ends. */
const WAIT = `import select, sys
${OWN}
server = socket.socket(); server.bind(('0.0.0.0', 8078)); server.listen()
print(own, flush=True)
if server in select.select([server, sys.stdin], [], [])[0]: server.accept()[0].send(b'neighbour'); print('met')
else: print('alone')
`;

/** Guarantee 2 with network `allow`. */
describe.each(targets)('network allow on $name', target => {
  let sandbox: CodeSandbox;
  beforeAll(async () => {
    sandbox = await createCodeSandbox(configFor(target));
  });
  afterAll(() => sandbox.close());

  /** A run that waits for others until it leaves, and then has said whether any came. */
  async function waits() {
    const stdin = new PassThrough();
    const address = Promise.withResolvers<string>();
    const onStdout = (chunk: Buffer) => address.resolve(chunk.toString().trim());
    const waiting = python(sandbox, WAIT, ALLOW, { stdin, onStdout });
    waiting.catch(address.reject);
    const leaves = async () => {
      stdin.end();
      return (await waiting).stdout;
    };
    return { address: await address.promise, leaves };
  }

  test.runIf(isRoot)('a machine in the network is reached', async () => {
    using there = new TestHost();
    await there.serve();
    const where = `${there.address}:${there.port}`;
    expect((await script(sandbox, CALL, [where], ALLOW)).stdout).toBe('test host\n');
    expect((await script(sandbox, CALL, [where])).stdout).toBe('no\n');
  });

  test('another run is not reached', async () => {
    const { address, leaves } = await waits();
    const calling = await script(sandbox, CALL, [`${address}:8078`], ALLOW);
    expect(await leaves()).toMatch(/alone\n$/);
    expect(calling.stdout).toBe('no\n');
    // Docker lifts its rules for a moment whenever a network is made, which the probe may meet.
    const kept = /another run is not reachable at|each run has the address|another run answers at .* only once/;
    expect((await sandbox.proveNetwork()).evidence.join()).toMatch(kept);
  });

  // Docker lifts its rules for a moment whenever a network is made, as docs/security.md says.
  test.skipIf(target.kind === 'docker')('nor while a third one comes and goes', async () => {
    const { address, leaves } = await waits();
    const calling = script(sandbox, CALL_ON, [`${address}:8078`], ALLOW);
    let over = false;
    const end = () => {
      over = true;
    };
    calling.then(end, end);
    while (!over) await python(sandbox, 'pass', ALLOW);
    expect(await leaves()).toMatch(/alone\n$/);
    expect((await calling).stdout).toBe('no\n');
  });

  test('the host’s loopback and its unix sockets are not reached, abstract or not', async () => {
    using elsewhere = folderOf();
    await using host = await Listeners.open(`${elsewhere.path}/socket`);
    const code = `import socket, sys
for path in sys.argv[1:]:
    try: socket.socket(socket.AF_UNIX).connect(path.replace('@', chr(0))); print(path)
    except OSError: pass`;
    const paths = [
      host.abstract,
      `${elsewhere.path}/socket`,
      target.socket ?? '/run/podman/podman.sock',
      '/run/docker.sock',
    ];
    expect((await script(sandbox, code, paths, ALLOW)).stdout).toBe('');
    expect((await script(sandbox, CALL, [`127.0.0.1:${host.tcpPort}`], ALLOW)).stdout).toBe('no\n');
    expect(host.hits).toBe(0);
  });

  test.skipIf(target.kind === 'docker')('no address that a stack can show leads to the host', async () => {
    using elsewhere = folderOf();
    await using host = await Listeners.open(`${elsewhere.path}/socket`);
    const ways = ['10.0.2.2', '169.254.1.2'].map(address => `${address}:${host.tcpPort}`);
    expect((await script(sandbox, CALL, ways, ALLOW)).stdout).toBe('no\nno\n');
    expect(host.hits).toBe(0);
  });

  // Not kept, and doctor and docs/security.md say so: only the operator's firewall can keep a run from these.
  test('the host’s other addresses are reached, as documented', async () => {
    using elsewhere = folderOf();
    await using host = await Listeners.open(`${elsewhere.path}/socket`);
    // With pasta a run has the address by which this host goes out, as its own.
    const own = (await script(sandbox, `${OWN}print(own)`, [], ALLOW)).stdout.trim();
    const address = Object.values(networkInterfaces())
      .flatMap(list => list!)
      .find(({ family, internal, address }) => family === 'IPv4' && !internal && address !== own)?.address;
    expect((await script(sandbox, CALL, [`${address}:${host.tcpPort}`], ALLOW)).stdout).toBe('host\n');
    const { networkAllow } = await examine(sandbox);
    expect(networkAllow).toMatchObject({ id: 2, status: 'degraded' });
    expect((networkAllow as Guarantee).evidence.join()).toContain(`the host answers at ${address}`);
  });

  test.runIf(target.socket)('no network is left behind', async () => {
    await python(sandbox, 'print(1)', ALLOW);
    await sandbox.close();
    expect(networksOn(target.kind, target.socket!)).toEqual([]);
  });
});
