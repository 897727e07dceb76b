import type { Plan } from '../policy/plan.js';
import { BackendUnavailable } from '../sandbox/errors.js';
import { hostRootImage } from './base.js';
import type { EngineClient } from './client.js';
import { type ImageFacts, inspectImage } from './image.js';

/** How long an answer about an image is good; a run goes by id, so that a moved tag is at worst this late. */
const FRESH_MS = 10_000;

interface Known {
  facts: Promise<ImageFacts>;
  settled?: ImageFacts;
  until: number;
}

/** The engine's images as plans name them, asked for once in a while and never pulled. */
export class ImageStore {
  readonly #client: EngineClient;
  readonly #known = new Map<string, Known>();

  constructor(client: EngineClient) {
    this.#client = client;
  }

  /** The image that a plan's root stands on. @throws BackendUnavailable when it is not there or for another machine. */
  resolve(plan: Plan): Promise<ImageFacts> {
    if (plan.root.kind === 'image') return this.named(plan.root.id ?? plan.root.name);
    return this.#remember(keyOf(plan), () => hostRootImage(this.#client, plan));
  }

  /** @throws BackendUnavailable when the image is not there or is of another architecture */
  named(reference: string): Promise<ImageFacts> {
    return this.#remember(reference, () => this.#find(reference));
  }

  /** What is known about a plan's image without asking the engine. */
  peek(plan: Plan): ImageFacts | undefined {
    return this.#known.get(keyOf(plan))?.settled;
  }

  /** Forgets a plan's image: the engine says that it is gone. */
  forget(plan: Plan): void {
    this.#known.delete(keyOf(plan));
  }

  #remember(key: string, ask: () => Promise<ImageFacts>): Promise<ImageFacts> {
    const known = this.#known.get(key);
    if (known && performance.now() < known.until) return known.facts;
    const entry: Known = { facts: ask(), until: performance.now() + FRESH_MS };
    this.#known.set(key, entry);
    entry.facts.then(
      facts => {
        entry.settled = facts;
      },
      () => this.#known.delete(key),
    );
    return entry.facts;
  }

  async #find(reference: string): Promise<ImageFacts> {
    const { label, facts } = this.#client;
    const image = await inspectImage(this.#client, reference);
    if (!image) {
      throw new BackendUnavailable(
        `${label} has no image ${reference}, and a run never pulls one. Bring it with \`${facts.kind} pull ${reference}\` or build it.`,
      );
    }
    if (image.architecture !== facts.architecture) {
      throw new BackendUnavailable(
        `Image ${reference} is for ${image.architecture}, but ${label} runs on ${facts.architecture}. Build or pull it for that.`,
      );
    }
    return image;
  }
}

function keyOf({ root, user }: Plan): string {
  return root.kind === 'host' ? `host ${user.uid}:${user.gid}` : (root.id ?? root.name);
}
