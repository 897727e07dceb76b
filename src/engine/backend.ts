import { randomBytes } from 'node:crypto';
import { lstat, stat } from 'node:fs/promises';
import { hasOwnKernel } from '../hardening/runtimes.js';
import { ownLimits, ulimitsOf } from '../hardening/ulimits.js';
import { toolPath } from '../launcher/tool-path.js';
import type { Plan, Root } from '../policy/plan.js';
import type { Ids } from '../policy/user.js';
import { type ExpectedMount, expectMounts, ociMounts } from '../probe/expect.js';
import { NAME_PREFIX, toLabels } from '../reaper/labels.js';
import type { Owner } from '../reaper/owner.js';
import { pathOf } from '../roots/path.js';
import type { Backend, Sandbox } from '../sandbox/backend.js';
import { beforeAbort } from '../sandbox/before-abort.js';
import { BackendUnavailable, InvalidRequest, isShortage } from '../sandbox/errors.js';
import { supervisorDir } from '../supervisor/binary.js';
import type { EngineClient } from './client.js';
import { Container } from './container.js';
import { removeContainer } from './containers.js';
import { EngineFailure } from './failure.js';
import type { ImageFacts } from './image.js';
import { ImageStore } from './images.js';
import { createNetwork, networkFlaw, removeNetwork, type Stack, stackOf } from './network.js';
import { HostCounterReader } from './oom.js';
import { dockerSpec } from './spec/docker.js';
import { type ContainerInput, coveredBy, hidesCounters } from './spec/input.js';
import { podmanSpec } from './spec/podman.js';
import { sweepEngine } from './sweep.js';

/** For a sign of life. Two, and the pauses before them, take less than the 5 s within which a loss is told (attendance.ts). */
export const PING_MS = 1800;
/** Creating makes a file system, which takes long on a busy disk. */
const CREATE_MS = 30_000;
/** Added to a run's own time for the deadline after which anybody may remove its container. */
const DEADLINE_SLACK_MS = 60_000;

/** What an engine backend needs to know of the process that it works for. */
export interface EngineBackendOptions {
  /** Of this instance; part of every name, so that an image's labels cannot pass for ours. */
  instance: string;
  owner: Owner;
  /** For SELinux; see {@link ContainerInput}. */
  relabel?: 'z' | 'Z' | undefined;
  /** How long a started sandbox waits for its frame before it ends itself. */
  idleSeconds: number;
  /** Folder with hosts, hostname and resolv.conf for sandboxes. */
  etcDir: string;
}

/** Containers of one Docker or Podman engine. */
export class EngineBackend implements Backend {
  readonly name;
  readonly label: string;
  readonly engine: Backend['engine'];
  readonly runtimes: readonly string[];
  readonly places: Backend['places'];
  readonly #client: EngineClient;
  readonly #options: EngineBackendOptions;
  readonly #images: ImageStore;
  readonly #ulimits = ulimitsOf(ownLimits());
  readonly #counters: HostCounterReader;
  /** By name, from before the create until the removal was tried. */
  readonly #open = new Map<string, Promise<Sandbox>>();

  private constructor(client: EngineClient, options: EngineBackendOptions, user: Ids | undefined) {
    this.engine = { rootless: client.facts.rootless, user };
    const { endpoint, facts } = client;
    this.places = {
      sockets: 'socketPath' in endpoint ? [endpoint.socketPath] : [],
      storage: facts.storageRoot ? [facts.storageRoot] : [],
    };
    this.#client = client;
    this.#options = options;
    this.#images = new ImageStore(client);
    this.#counters = new HostCounterReader(client);
    this.name = client.facts.kind;
    this.label = client.label;
    this.runtimes = facts.runtimes;
  }

  get networkFlaw(): string | undefined {
    return networkFlaw(this.#client.facts, this.#stack());
  }

  /** Takes over a connected client. */
  static async over(client: EngineClient, options: EngineBackendOptions): Promise<EngineBackend> {
    const { endpoint, facts } = client;
    // A rootless engine runs as the owner of its socket; its uid 0 is that user.
    const socket = facts.rootless && 'socketPath' in endpoint ? await stat(endpoint.socketPath) : undefined;
    return new EngineBackend(client, options, socket && { uid: socket.uid, gid: socket.gid });
  }

  async imageRoot(reference: string): Promise<Root> {
    const { id, env } = await this.#images.named(reference);
    return { kind: 'image', name: reference, id, mounts: [], path: pathOf(env), env: {} };
  }

  async alive(): Promise<boolean> {
    try {
      await this.#client.request({ path: '/_ping', deadlineMs: PING_MS });
      return true;
    } catch (error) {
      return isShortage(error);
    }
  }

  async open(plan: Plan, signal?: AbortSignal): Promise<Sandbox> {
    try {
      return await this.#openWith(plan, await this.#imageOf(plan, signal), signal).catch(async error => {
        // Docker says so with status 404, Podman with 500: what is asked about the image itself is the same on both.
        if (!(error instanceof EngineFailure) || error.lost || (await this.#images.isThere(plan))) throw error;
        // The image that was known is gone; a host root's is made anew.
        this.#images.forget(plan);
        return this.#openWith(plan, await this.#imageOf(plan, signal), signal);
      });
    } catch (error) {
      throw await this.#explain(error, plan);
    }
  }

  /** Others may wait for the same image, so that it goes on being made. */
  #imageOf(plan: Plan, signal?: AbortSignal): Promise<ImageFacts> {
    return beforeAbort(this.#images.resolve(plan), signal);
  }

  async #openWith(plan: Plan, image: ImageFacts, signal?: AbortSignal): Promise<Sandbox> {
    signal?.throwIfAborted();
    const name = `${NAME_PREFIX}${this.#options.instance}-${randomBytes(6).toString('hex')}`;
    const opening = this.#openAs(name, plan, image, signal);
    this.#open.set(name, opening);
    opening.catch(() => this.#open.delete(name));
    return opening;
  }

  async #openAs(name: string, plan: Plan, image: ImageFacts, signal?: AbortSignal): Promise<Sandbox> {
    const client = this.#client;
    const { facts } = client;
    const deadline = Date.now() + plan.limits.timeoutMs + this.#options.idleSeconds * 1000 + DEADLINE_SLACK_MS;
    const labels = toLabels({ instance: this.#options.instance, owner: this.#options.owner, deadline });
    const stack = plan.network === 'allow' ? this.#stack() : undefined;
    const networked = plan.network === 'allow' && !stack;
    const input: ContainerInput = {
      engine: facts.kind,
      plan,
      name,
      labels,
      image,
      supervisorDir: supervisorDir(facts.architecture),
      etcDir: this.#options.etcDir,
      rootless: facts.rootless,
      cgroupVersion: facts.cgroupVersion,
      runtime: plan.runtime ?? facts.defaultRuntime,
      ulimits: this.#ulimits,
      relabel: this.#options.relabel,
      idleSeconds: this.#options.idleSeconds,
      ...(networked ? { network: name } : {}),
      ...(stack ? { stack } : {}),
    };
    const drop = async () => {
      try {
        if (networked) await removeNetwork(client, name);
      } finally {
        this.#open.delete(name);
      }
    };
    try {
      if (networked) await createNetwork(client, name, labels);
      const created = {
        id: await this.#create(input),
        image: plan.root.kind === 'host' ? 'host' : image.id,
        counters: hidesCounters(input) ? this.#counters : undefined,
        hidesInodes: hasOwnKernel(input.runtime),
      };
      const sandbox = await Container.start(client, created, drop, signal);
      const swapped = created.hidesInodes ? await swappedFolder(plan) : undefined;
      if (swapped) throw swapped;
      return sandbox;
    } catch (error) {
      // By name, since a create that was answered too late or not at all may have made it all the same.
      await removeContainer(client, name).catch(() => {});
      await drop().catch(() => {});
      throw error;
    }
  }

  /** What a container's network is made by. It may be installed while this process runs. */
  #stack(): Stack | undefined {
    return stackOf(this.#client.facts, stack => toolPath(stack) !== undefined);
  }

  /** Not broken off when the run is aborted: what the engine goes on making could not be removed yet, and would be left. */
  async #create(input: ContainerInput): Promise<string> {
    const call =
      this.#client.facts.kind === 'podman'
        ? { path: '/libpod/containers/create', body: podmanSpec(input) }
        : { path: '/containers/create', query: { name: input.name }, body: dockerSpec(input) };
    const { body } = await this.#client.request<{ Id: string }>({ method: 'POST', deadlineMs: CREATE_MS, ...call });
    return body.Id;
  }

  /** Tells the request's fault from the platform's, and says which folder it was. */
  async #explain(error: unknown, plan: Plan): Promise<unknown> {
    if (!(error instanceof EngineFailure)) return error;
    const swapped = error.lost ? undefined : await swappedFolder(plan);
    if (swapped) return swapped;
    return new BackendUnavailable(`${this.label} did not start the sandbox: ${error.message}`, { cause: error });
  }

  /** What a sandbox of this plan shows in /proc/self/mountinfo; anything else fails the probe. */
  expectedMounts(plan: Plan): ExpectedMount[] {
    const { kind, defaultRuntime } = this.#client.facts;
    const covered = coveredBy(kind, this.#images.peek(plan)?.volumes ?? []);
    const covers = covered.map(target => ({ target, mode: 'ro' as const, types: ['tmpfs'] }));
    const runtime = plan.runtime ?? defaultRuntime;
    return expectMounts({ ...plan, runtime }, [...ociMounts, ...covers]);
  }

  sweep(): Promise<number> {
    const { owner, instance } = this.#options;
    return sweepEngine(this.#client, { owner, instance, needs: name => this.#open.has(name) });
  }

  async close(lost?: 'lost'): Promise<void> {
    if (!lost) await Promise.allSettled([...this.#open.values()].map(opening => opening.then(each => each.close())));
    await this.#client.close(lost);
  }
}

/** The refusal of the first folder that is no longer what it was when it was checked. */
async function swappedFolder(plan: Plan): Promise<InvalidRequest | undefined> {
  for (const { source, identity } of plan.mounts) {
    const now = await lstat(source, { bigint: true }).catch(() => undefined);
    if (now && (!identity || (now.dev === identity.device && now.ino === identity.inode))) continue;
    return new InvalidRequest(
      `The policy folder ${source} was ${now ? 'replaced' : 'removed'} after it was checked.`,
      'refused',
    );
  }
  return undefined;
}
