import { randomBytes } from 'node:crypto';
import type { ProcessService } from '../../aalis.js';
import { ownLimits, ulimitsOf } from '../../hardening/ulimits.js';
import type { Plan, Root } from '../../policy/plan.js';
import { type ExpectedMount, expectMounts, ociMounts } from '../../probe/expect.js';
import type { Owner } from '../../reaper/owner.js';
import { rootMounts } from '../../roots/fit.js';
import { RootStore } from '../../roots/store.js';
import type { Backend, Sandbox } from '../../sandbox/backend.js';
import { BackendUnavailable, InvalidRequest } from '../../sandbox/errors.js';
import { supervisorDir } from '../../supervisor/binary.js';
import { type Instance, openInstance } from '../instance.js';
import { toolPath } from '../tool-path.js';
import { Bases } from './bases.js';
import { makePlaces, type Places } from './bundle.js';
import { startContainer } from './container.js';
import { bindsOf } from './mounts.js';
import { hasNetwork } from './network.js';
import { findRuntime, type Runtime } from './runtime.js';
import { runtimeConfig } from './spec.js';

/** What the backend needs to know of the process that it works for. */
export interface OciOptions {
  process: ProcessService;
  instance: string;
  owner: Owner;
  /** How long a started sandbox waits for its frame before it ends itself. */
  idleSeconds: number;
  /** Folder with hosts, hostname and resolv.conf for sandboxes. */
  etcDir: string;
  /** Default: the user's own. */
  store?: RootStore;
}

interface Parts {
  runtime: Runtime;
  instance: Instance;
  places: Places;
  networked: boolean;
}

/** Containers without a daemon: an OCI runtime, started by this process. */
export class OciBackend implements Backend {
  readonly name = 'oci';
  readonly label: string;
  readonly engine: Backend['engine'];
  readonly runtimes: readonly string[];
  readonly places: Backend['places'];
  readonly #options: OciOptions;
  readonly #parts: Parts;
  readonly #bases: Bases;
  readonly #store: RootStore;
  readonly #privileged = process.getuid?.() === 0;
  readonly #ulimits = ulimitsOf(ownLimits());
  readonly #open = new Map<string, Sandbox>();

  private constructor(options: OciOptions, parts: Parts) {
    const { runtime, instance, places } = parts;
    this.#options = options;
    this.#parts = parts;
    this.#bases = new Bases(places.bases);
    this.#store = options.store ?? new RootStore();
    this.label = `${runtime.name} ${runtime.version} (${instance.limiter.label})`;
    this.runtimes = [runtime.name];
    // Nothing that is mounted in a read-only folder comes along; but only root may leave such a mount out.
    this.engine = { rootless: false, readOnlySubmounts: this.#privileged };
    this.places = { sockets: [], storage: [instance.folder, this.#store.folder] };
  }

  /**
   * @param name of the runtime
   * @throws BackendUnavailable where it is missing or too old
   */
  static async find(name: string, options: OciOptions): Promise<OciBackend> {
    const runtime = await findRuntime(options.process, name);
    let instance: Instance | undefined;
    try {
      const networked = await hasNetwork(options.process);
      instance = await openInstance(options.process, options.owner, 'oci');
      const places = await makePlaces(instance.folder);
      return new OciBackend(options, { runtime, instance, places, networked });
    } catch (error) {
      await instance?.close();
      throw new BackendUnavailable(`${name} is not used: ${(error as Error).message}.`, { cause: error });
    }
  }

  async imageRoot(reference: string): Promise<Root> {
    const stored = await this.#store.find(reference);
    if (!stored) {
      throw new BackendUnavailable(
        `The root store has no ${reference}, and ${this.#parts.runtime.name} has no images of its own. Take it from an engine with \`code-sandbox images unpack ${reference}\`, or from a tar archive with its option --from.`,
      );
    }
    const { id, path } = stored;
    return { kind: 'image', name: reference, id, ...(await rootMounts(stored.folder)), path, env: {} };
  }

  async alive(): Promise<boolean> {
    return toolPath(this.#parts.runtime.name) !== undefined;
  }

  async open(plan: Plan, signal?: AbortSignal): Promise<Sandbox> {
    const { places, instance, networked, runtime } = this.#parts;
    if (plan.network === 'allow' && !networked) throw new InvalidRequest(NO_NETWORK, 'refused');
    const { uid, gid } = plan.user;
    const inside = runtime.needsRoot ? { uid: 0, gid: 0 } : { uid, gid };
    const fixed = {
      inside,
      supervisorDir: supervisorDir(process.arch),
      etcDir: this.#options.etcDir,
      ...(plan.network === 'allow' ? { resolver: places.resolver } : {}),
      ulimits: this.#ulimits,
      privileged: this.#privileged,
      idleSeconds: this.#options.idleSeconds,
    };
    const base = await this.#bases.acquire(plan, inside, root => bindsOf({ ...fixed, plan: { ...plan, root } }));
    const id = `${this.#options.instance}-${randomBytes(6).toString('hex')}`;
    const sandbox = await startContainer(
      {
        id,
        plan,
        process: this.#options.process,
        runtime,
        places,
        limiter: instance.limiter,
        config: cgroups => runtimeConfig({ ...fixed, plan: { ...plan, root: base.root }, base: base.path, cgroups }),
        onRemoved: () => {
          this.#open.delete(id);
          base.release();
        },
      },
      signal,
    );
    this.#open.set(id, sandbox);
    return sandbox;
  }

  expectedMounts(plan: Plan): ExpectedMount[] {
    const expected = expectMounts(plan, ociMounts);
    if (plan.root.kind === 'host') return expected;
    // A folder of an image may be shown entry by entry instead.
    const own = new Set(plan.root.mounts.map(({ target }) => target));
    return expected.map(mount => (own.has(mount.target) ? { ...mount, optional: true, under: true } : mount));
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map(sandbox => sandbox.close()));
    await this.#parts.instance.close();
  }
}

const NO_NETWORK =
  'A network for a container without an engine needs slirp4netns, which is not installed: install it, set policy.network to deny, or start Podman or Docker.';
