import type { Plan } from '../policy/plan.js';
import { BackendUnavailable } from '../sandbox/errors.js';
import { hostRootImage } from './base.js';
import type { EngineClient } from './client.js';
import { type ImageFacts, inspectImage } from './image.js';

/** How long an answer about an image is good; a run goes by id, so that a moved tag is at worst this late. */
const FRESH_MS = 10_000;

/** The engine's images as plans name them, asked for once in a while and never pulled. */
export class ImageStore {
  readonly #client: EngineClient;
  readonly #known = new Map<string, { facts: Promise<ImageFacts>; until: number }>();

  constructor(client: EngineClient) {
    this.#client = client;
  }

  /** @throws BackendUnavailable when the image is not there or is of another architecture. */
  resolve(plan: Plan): Promise<ImageFacts> {
    const key = plan.root.kind === 'host' ? `host ${plan.user.uid}:${plan.user.gid}` : plan.root.name;
    const known = this.#known.get(key);
    if (known && performance.now() < known.until) return known.facts;
    const facts = plan.root.kind === 'host' ? hostRootImage(this.#client, plan) : this.find(plan.root.name);
    this.#known.set(key, { facts, until: performance.now() + FRESH_MS });
    facts.catch(() => this.#known.delete(key));
    return facts;
  }

  /** Forgets what it knows: an image was removed, or the engine is another one. */
  forget(): void {
    this.#known.clear();
  }

  /** @throws BackendUnavailable when the image is not there or is of another architecture. */
  async find(reference: string): Promise<ImageFacts> {
    const { label, facts } = this.#client;
    const image = await inspectImage(this.#client, reference);
    if (!image) {
      const tool = facts.kind;
      throw new BackendUnavailable(
        `${label} has no image ${reference}, and a run never pulls one. Bring it with \`${tool} pull ${reference}\` or build it.`,
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
