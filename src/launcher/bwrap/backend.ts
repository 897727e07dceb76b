import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import type { ProcessService } from '../../aalis.js';
import { MASKED_PATHS } from '../../hardening/container.js';
import type { Plan, Root } from '../../policy/plan.js';
import { bwrapMounts, type ExpectedMount, expectMounts } from '../../probe/expect.js';
import type { Owner } from '../../reaper/owner.js';
import type { Backend, Sandbox } from '../../sandbox/backend.js';
import { BackendUnavailable, InvalidRequest } from '../../sandbox/errors.js';
import { supervisorDir } from '../../supervisor/binary.js';
import { isExecutable } from '../executable.js';
import { hostFacts } from '../host-facts.js';
import { type Instance, openInstance } from '../instance.js';
import { hasNetwork, joinNetwork } from '../oci/network.js';
import { LaunchedSandbox } from '../sandbox.js';
import { toolPath } from '../tool-path.js';
import { bwrapArguments } from './arguments.js';
import { explainBwrap, NOT_INSTALLED } from './explain.js';
import { EtcFiles } from './files.js';

/** How long a started sandbox waits for its frame before it ends itself. */
const IDLE_SECONDS = 120;
const VERSION_MS = 5000;
/** First version with --disable-userns. */
const DISABLES_USERNS = [0, 8] as const;

/** What a launcher backend needs to know of the process that it works for. */
export interface LauncherOptions {
  process: ProcessService;
  instance: string;
  owner: Owner;
}

/** What of this host it works with. */
interface Found {
  command: string;
  version: string;
  instance: Instance;
  networked: boolean;
}

/** Sandboxes made by bubblewrap, for hosts without an engine. */
export class BwrapBackend implements Backend {
  readonly name = 'bwrap';
  readonly label: string;
  readonly engine = { rootless: false, readOnlySubmounts: true };
  readonly runtimes = [];
  readonly places: Backend['places'];
  readonly #options: LauncherOptions;
  readonly #command: string;
  readonly #instance: Instance;
  readonly #networked: boolean;
  readonly #disableUserns: boolean;
  readonly #masks = missingMasks();
  readonly #files: EtcFiles;
  readonly #open = new Map<string, Sandbox>();

  private constructor(options: LauncherOptions, { command, version, instance, networked }: Found) {
    this.label = `bubblewrap ${version} (${instance.limiter.label})`;
    this.places = { sockets: [], storage: [instance.folder] };
    this.#options = options;
    this.#command = command;
    this.#instance = instance;
    this.#files = new EtcFiles(instance.folder);
    this.#networked = networked;
    const [major = 0, minor = 0] = version.split('.').map(Number);
    this.#disableUserns = major > DISABLES_USERNS[0] || minor >= DISABLES_USERNS[1];
  }

  /** @throws BackendUnavailable where the command is not there */
  static async find(options: LauncherOptions): Promise<BwrapBackend> {
    const command = toolPath('bwrap');
    if (command === undefined) throw new BackendUnavailable(NOT_INSTALLED);
    const said = await options.process.execFile(command, ['--version'], { timeout: VERSION_MS });
    const version = /\d+(\.\d+)+/.exec(said.stdout)?.[0] ?? '0';
    const networked = await hasNetwork(options.process);
    const instance = await openInstance(options.process, options.owner, 'bwrap');
    return new BwrapBackend(options, { command, version, instance, networked });
  }

  async imageRoot(reference: string): Promise<Root> {
    throw new BackendUnavailable(
      `bubblewrap has no images, and ${reference} is one: start an engine, or leave root.image empty to use the host’s own system folders.`,
    );
  }

  async alive(): Promise<boolean> {
    return isExecutable(this.#command);
  }

  async open(plan: Plan, signal?: AbortSignal): Promise<Sandbox> {
    const networked = plan.network === 'allow';
    if (networked && !this.#networked) throw new InvalidRequest(NO_NETWORK, 'refused');
    const id = `${this.#options.instance}-${randomBytes(6).toString('hex')}`;
    const { entries, filesDir } = await this.#files.for(plan);
    const confinement = await this.#instance.limiter.confine(id, plan.limits);
    const args = bwrapArguments({
      plan,
      entries,
      filesDir,
      supervisorDir: supervisorDir(process.arch),
      cgroups: confinement.mounts,
      masks: this.#masks,
      disableUserns: this.#disableUserns,
      // Only root can be somebody else.
      ...(process.getuid?.() === 0 && plan.user.uid !== 0 ? { become: plan.user } : {}),
      idleSeconds: IDLE_SECONDS,
    });
    const command = [...confinement.prefix, this.#command, ...args];
    let leaveNetwork = () => {};
    const sandbox = await LaunchedSandbox.start(
      {
        id,
        image: 'host',
        process: this.#options.process,
        command: command as [string, ...string[]],
        adopt: async pid => {
          await confinement.adopt(pid);
          if (networked) leaveNetwork = await joinNetwork(this.#options.process, pid);
        },
        explain: complaint => new BackendUnavailable(explainBwrap(complaint, hostFacts())),
        oomKilled: () => confinement.oomKilled(),
        remove: () => {
          leaveNetwork();
          this.#open.delete(id);
          return confinement.remove();
        },
      },
      signal,
    );
    this.#open.set(id, sandbox);
    return sandbox;
  }

  expectedMounts(plan: Plan): ExpectedMount[] {
    return expectMounts(plan, bwrapMounts);
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map(sandbox => sandbox.close()));
    await this.#instance.close();
  }
}

const NO_NETWORK =
  'A network for a sandbox of bubblewrap needs slirp4netns, which is not installed: install it, set policy.network to deny, or start Podman or Docker.';

function missingMasks(): Map<string, 'folder' | 'missing'> {
  const masks = new Map<string, 'folder' | 'missing'>();
  for (const path of MASKED_PATHS) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) masks.set(path, 'missing');
    else if (stats.isDirectory()) masks.set(path, 'folder');
  }
  return masks;
}
