import { type ChildProcess, execFileSync, spawn } from 'node:child_process';

const NAME = `attack-${process.pid}`;
const HOST = `at${process.pid}`.slice(0, 12);
/** A net of four addresses for each process, in the block that is set aside for benchmarks (RFC 2544), so that it is nobody's. */
const NET = (process.pid % (1 << 15)) * 4;
const address = (n: number) => `198.${18 + (NET >> 16)}.${(NET >> 8) & 255}.${(NET & 255) + n}`;

/** A machine in the network: a network namespace with a server, joined to this host by a pair of devices. Needs root. */
export class TestHost implements Disposable {
  readonly address = address(2);
  readonly port = 8077;
  #server: ChildProcess | undefined;

  constructor() {
    try {
      ip(`netns add ${NAME}`);
      ip(`link add ${HOST} type veth peer name eth0 netns ${NAME}`);
      ip(`address add ${address(1)}/30 dev ${HOST}`);
      ip(`link set ${HOST} up`);
      ip(`-n ${NAME} address add ${this.address}/30 dev eth0`);
      ip(`-n ${NAME} link set eth0 up`);
      ip(`-n ${NAME} link set lo up`);
      ip(`-n ${NAME} route add default via ${address(1)}`);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Starts the server, which tells everybody who connects that it is there. */
  async serve(): Promise<void> {
    const code = `require('node:net').createServer(s => { s.on('error', () => {}).end('test host'); })
      .listen(${this.port}, () => console.log('ready'))`;
    this.#server = spawn('ip', ['netns', 'exec', NAME, process.execPath, '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise(resolve => this.#server!.stdout!.once('data', resolve));
  }

  [Symbol.dispose](): void {
    this.#server?.kill();
    for (const command of [`link delete ${HOST}`, `netns delete ${NAME}`]) {
      try {
        ip(command);
      } catch {
        // It was never made.
      }
    }
  }
}

function ip(command: string): void {
  execFileSync('ip', command.split(' '), { stdio: 'pipe' });
}
