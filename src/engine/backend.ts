import { randomBytes } from 'node:crypto';
import { lstat, stat } from 'node:fs/promises';
import { ownLimits, ulimitsOf } from '../hardening/ulimits.js';
import type { Plan, Root } from '../policy/plan.js';
import type { Ids } from '../policy/user.js';
import { type ExpectedMount, expectMounts, ociMounts } from '../probe/expect.js';
import { NAME_PREFIX, toLabels } from '../reaper/labels.js';
import type { Owner } from '../reaper/owner.js';
import type { Backend, Sandbox } from '../sandbox/backend.js';
import { BackendUnavailable, InvalidRequest } from '../sandbox/errors.js';
import { supervisorDir } from '../supervisor/binary.js';
import type { EngineClient } from './client.js';
import { Container } from './container.js';
import { removeContainer } from './containers.js';
import { EngineFailure } from './failure.js';
import type { ImageFacts } from './image.js';
import { ImageStore } from './images.js';
import { createNetwork, removeNetwork } from './network.js';
import { dockerSpec } from './spec/docker.js';
import { type ContainerInput, hidesCounters } from './spec/input.js';
import { podmanSpec } from './spec/podman.js';
import { sweepEngine } from './sweep.js';

/** How long a started sandbox waits for its frame before it ends itself. */
const IDLE_SECONDS = 120;
/** For a sign of life. */
const PING_MS = 2000;
/** Creating makes a file system, which takes long on a busy disk. */
const CREATE_MS = 30_000;
/** Where an image declares no PATH. */
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Added to a run's own time for the deadline after which anybody may remove its container. */
const DEADLINE_SLACK_MS = 60_000;

/** What an engine backend needs to know of the process that it works for. */
export interface EngineBackendOptions {
  /** Of this instance; part of every name, so that an image's labels cannot pass for ours. */
  instance: string;
  owner: Owner;
  /** Folder with hosts, hostname and resolv.conf for sandboxes. */
  etcDir: string;
}

/** Containers of one Docker or Podman engine. */
export class EngineBackend implements Backend {
  readonly name;
  readonly label: string;
  readonly engine: Backend['engine'];
  readonly places: Backend['places'];
  readonly #client: EngineClient;
  readonly #options: EngineBackendOptions;
  readonly #images: ImageStore;
  readonly #ulimits = ulimitsOf(ownLimits());
  readonly #open = new Set<Sandbox>();

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
    this.name = client.facts.kind;
    this.label = client.label;
  }

  /** Takes over a connected client. */
  static async over(client: EngineClient, options: EngineBackendOptions): Promise<EngineBackend> {
    const { endpoint, facts } = client;
    // A rootless engine runs as the owner of its socket; its uid 0 is that user.
    const socket = facts.rootless && 'socketPath' in endpoint ? await stat(endpoint.socketPath) : undefined;
    return new EngineBackend(client, options, socket && { uid: socket.uid, gid: socket.gid });
  }

  async imageRoot(reference: string): Promise<Root> {
    const { env } = await this.#images.named(reference);
    const path = env.find(entry => entry.startsWith('PATH='))?.slice('PATH='.length) ?? DEFAULT_PATH;
    return { kind: 'image', name: reference, mounts: [], path: path.split(':').filter(Boolean), env: {} };
  }

  async alive(): Promise<boolean> {
    try {
      await this.#client.request({ path: '/_ping', deadlineMs: PING_MS });
      return true;
    } catch {
      return false;
    }
  }

  async open(plan: Plan, signal?: AbortSignal): Promise<Sandbox> {
    try {
      return await this.#openWith(plan, await this.#images.resolve(plan), signal).catch(async error => {
        if (!(error instanceof EngineFailure) || error.status !== 404) throw error;
        // The image that was known is gone; a host root's is made anew.
        this.#images.forget(plan);
        return this.#openWith(plan, await this.#images.resolve(plan), signal);
      });
    } catch (error) {
      throw await this.#explain(error, plan);
    }
  }

  async #openWith(plan: Plan, image: ImageFacts, signal?: AbortSignal): Promise<Sandbox> {
    const client = this.#client;
    const { facts } = client;
    const name = `${NAME_PREFIX}${this.#options.instance}-${randomBytes(6).toString('hex')}`;
    const deadline = Date.now() + plan.limits.timeoutMs + IDLE_SECONDS * 1000 + DEADLINE_SLACK_MS;
    const labels = toLabels({ instance: this.#options.instance, owner: this.#options.owner, deadline });
    const networked = plan.network === 'allow' && !(facts.kind === 'podman' && facts.rootless);
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
      idleSeconds: IDLE_SECONDS,
      ...(networked ? { network: name } : {}),
    };
    const dropNetwork = async () => {
      if (networked) await removeNetwork(client, name);
    };
    signal?.throwIfAborted();
    if (networked) await createNetwork(client, name, labels);
    try {
      const created = {
        id: await this.#create(input),
        image: plan.root.kind === 'host' ? 'host' : image.id,
        hidesCounters: hidesCounters(input),
      };
      const sandbox: Container = await Container.start(client, created, async () => {
        this.#open.delete(sandbox);
        await dropNetwork();
      });
      this.#open.add(sandbox);
      return sandbox;
    } catch (error) {
      // By name, since a create that was answered too late or not at all may have made it all the same.
      await removeContainer(client, name).catch(() => {});
      await dropNetwork().catch(() => {});
      throw error;
    }
  }

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
    if (!error.lost) {
      for (const { source, identity } of plan.mounts) {
        const now = await lstat(source, { bigint: true }).catch(() => undefined);
        if (now && (!identity || (now.dev === identity.device && now.ino === identity.inode))) continue;
        return new InvalidRequest(
          `The policy folder ${source} was ${now ? 'replaced' : 'removed'} after it was checked.`,
        );
      }
    }
    return new BackendUnavailable(`${this.label} did not start the sandbox: ${error.message}`, { cause: error });
  }

  /** What a sandbox of this plan shows in /proc/self/mountinfo; anything else fails the probe. */
  expectedMounts(plan: Plan): ExpectedMount[] {
    const covers = (this.#images.peek(plan)?.volumes ?? []).map(target => ({ target, mode: 'ro' as const }));
    return expectMounts(plan, [...ociMounts, ...covers]);
  }

  sweep(): Promise<number> {
    return sweepEngine(this.#client, this.#options.owner);
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#open].map(sandbox => sandbox.close()));
    await this.#client.close();
  }
}
