import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesNaming } from './processes.js';
import { type Target, targets } from './targets.js';

/** Kinds of engine that this user can start for itself, as the targets of the other suites. */
export const kinds = targets.filter(({ socket }) => socket !== undefined);

const START_MS = 60_000;

/** What an engine of a test's own shall be like. */
export interface OwnEngineOptions {
  /** Folder for its images and containers; default: in a folder of its own. */
  storage?: string;
  /** More lines for the `[containers]` table of Podman's containers.conf. */
  containersConf?: string;
  /** The same for its `[engine]` table. */
  engineConf?: string;
  /** The same for its `[network]` table. */
  networkConf?: string;
  /** In a network namespace of its own, where no other engine's firewall rules are. */
  apart?: boolean;
}

/** An engine that belongs to one test, with state of its own: it may be killed, stopped and filled. */
export class OwnEngine implements AsyncDisposable {
  readonly target: Target;
  readonly folder = mkdtempSync(join(tmpdir(), 'own-engine-'));
  readonly #command: string[];
  readonly #env: Record<string, string>;
  #daemon: ChildProcess | undefined;

  private constructor(like: Target, options: OwnEngineOptions) {
    const socket = join(this.folder, 'engine.sock');
    // As one user only, whom the folders of these tests belong to, since it is proven anew each time.
    this.target = { ...like, socket, runAs: '0:0' };
    const storage = options.storage ?? join(this.folder, 'storage');
    const docker = like.kind === 'docker';
    this.#env = docker ? {} : podmanSettings(this.folder, storage, options);
    const command = docker
      ? ['dockerd', '--config-file', dockerSettings(this.folder, storage)]
      : ['podman', 'system', 'service', '--time', '0', `unix://${socket}`];
    this.#command = options.apart ? ['unshare', '--net', '--', ...command] : command;
  }

  static async start(like: Target, options: OwnEngineOptions = {}): Promise<OwnEngine> {
    const engine = new OwnEngine(like, options);
    try {
      await engine.start();
      return engine;
    } catch (error) {
      await engine[Symbol.asyncDispose]();
      throw error;
    }
  }

  get socket(): string {
    return this.target.socket!;
  }

  /** Starts it, again after `kill`, with the state that it has. */
  async start(): Promise<void> {
    const log = openSync(join(this.folder, 'log'), 'a');
    const [command, ...args] = this.#command;
    const env = { ...process.env, ...this.#env };
    // A group of its own: a rootless Podman is two processes, the second of which outlives the first.
    this.#daemon = spawn(command!, args, { env, stdio: ['ignore', log, log], detached: true });
    closeSync(log);
    const giveUp = performance.now() + START_MS;
    while (!(await answers(this.socket))) {
      if (performance.now() > giveUp || this.#daemon.exitCode !== null) {
        throw new Error(`${command} did not start: ${readFileSync(join(this.folder, 'log'), 'utf8').slice(-2000)}`);
      }
      await sleep(50);
    }
  }

  /** SIGKILL, at once. Docker's containerd follows it a moment later, and must not be met by the next start. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
    const containerd = join(this.folder, 'exec/containerd/containerd.pid');
    while (existsSync(containerd) && existsSync(`/proc/${readFileSync(containerd, 'utf8')}`)) await sleep(20);
  }

  /** Stops it in the middle of whatever it does: it accepts, and never answers. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  /** Runs the engine's own command line on it. */
  command(...args: string[]): string {
    const [tool, ...where] = this.target.kind === 'docker' ? ['docker', '--host', `unix://${this.socket}`] : ['podman'];
    return execFileSync(tool!, [...where, ...args], { env: { ...process.env, ...this.#env }, encoding: 'utf8' });
  }

  /** Removes the images that host roots stand on, which the next run makes anew. @returns how many there were */
  async removeHostRoots(): Promise<number> {
    const listed = this.command('images', '--format', '{{.Repository}}:{{.Tag}}').split('\n');
    const ours = listed.filter(reference => reference.includes('code-sandbox/host-root'));
    if (ours.length > 0) await persist(() => this.command('rmi', '--force', ...ours));
    return ours.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#daemon?.exitCode === null && this.#daemon.signalCode === null) {
      this.thaw();
      await this.#empty();
      await this.#end('SIGTERM');
    }
    this.#endPause();
    endWorkersOf(this.folder);
    await removeFolder(this.folder);
  }

  #empty(): Promise<void> {
    return persist(() => {
      const containers = this.command('ps', '--all', '--quiet').split('\n').filter(Boolean);
      if (containers.length > 0) this.command('rm', '--force', ...containers);
    });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const ended = once(this.#daemon!, 'exit');
    this.#signal(signal);
    await ended;
  }

  #signal(signal: NodeJS.Signals): void {
    process.kill(-this.#daemon!.pid!, signal);
  }

  /** The process that keeps a rootless Podman's user namespace. */
  #endPause(): void {
    try {
      process.kill(Number(readFileSync(join(this.folder, 'tmp/pause.pid'), 'utf8')), 'SIGKILL');
    } catch {
      // It has none.
    }
  }
}

/** What is being removed by others may be gone, or not yet to be removed. */
async function persist(remove: () => void): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return remove();
    } catch (error) {
      if (attempt === 20) throw error;
      await sleep(500);
    }
  }
}

/**
 * Ends processes whose arguments name a folder of its own: a Podman that is killed while it makes a container may leave a
 * conmon and a crun that wait for each other.
 */
function endWorkersOf(folder: string): void {
  for (const pid of processesNaming(`${folder}/`)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

function dockerSettings(folder: string, storage: string): string {
  const file = join(folder, 'daemon.json');
  const ulimit = (Name: string, Soft: number, Hard: number) => ({ Name, Soft, Hard });
  const settings = {
    hosts: [`unix://${join(folder, 'engine.sock')}`],
    'data-root': storage,
    'exec-root': join(folder, 'exec'),
    pidfile: join(folder, 'pid'),
    'containerd-namespace': folder.split('-').pop(),
    'containerd-plugins-namespace': `${folder.split('-').pop()}-plugins`,
    bridge: 'none',
    iptables: false,
    'ip-masq': false,
    'default-ulimits': { nofile: ulimit('nofile', 1024, 20_000), nproc: ulimit('nproc', 1024, 4096) },
  };
  writeFileSync(file, JSON.stringify(settings));
  return file;
}

/** Writes the settings of a Podman of its own; answers the environment that makes the command use them. */
export function podmanSettings(
  folder: string,
  storage: string,
  { containersConf = '', engineConf = '', networkConf = '' }: OwnEngineOptions = {},
): Record<string, string> {
  const [conf, store] = [join(folder, 'containers.conf'), join(folder, 'storage.conf')];
  mkdirSync(join(folder, 'run'));
  writeFileSync(
    conf,
    `[containers]
default_ulimits = ["nofile=1024:20000", "nproc=1024:4096"]
${containersConf}
[engine]
${engineConf}
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "crun"
tmp_dir = "${folder}/tmp"
lock_type = "file"
[network]
${networkConf}
network_backend = "netavark"
network_config_dir = "${folder}/networks"
`,
  );
  writeFileSync(
    store,
    `[storage]\ndriver = "overlay"\ngraphroot = "${storage}"\nrootless_storage_path = "${storage}"\nrunroot = "${folder}/run"\n`,
  );
  return { CONTAINERS_CONF: conf, CONTAINERS_STORAGE_CONF: store };
}

/** Podman's clean-up of ended containers may still be at work in there. */
export async function removeFolder(folder: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      for (const mount of mountsBelow(folder)) execFileSync('umount', ['--lazy', mount]);
      // What an image holds may be read-only, or belong to one of an ordinary user's subordinate ids.
      const inside = process.getuid!() === 0 ? [] : ['podman', 'unshare'];
      const [command, ...args] = [...inside, 'rm', '-rf', folder];
      execFileSync(command!, args);
      return;
    } catch (error) {
      if (attempt === 50) throw error;
      await sleep(200);
    }
  }
}

function mountsBelow(folder: string): string[] {
  const points = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map(line => line.split(' ')[1] ?? '');
  return points.filter(point => point.startsWith(`${folder}/`)).reverse();
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise(resolve => {
    const call = get({ socketPath, path: '/_ping', agent: false, timeout: 2000 }, answer => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    call.on('timeout', () => call.destroy()).on('error', () => resolve(false));
  });
}
