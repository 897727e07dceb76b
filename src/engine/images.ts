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
    const { kind, id, name } = plan.root;
    if (kind === 'image') return this.#remember(id ?? name, () => this.#find(id ?? name, name));
    return this.#remember(keyOf(plan), () => hostRootImage(this.#client, plan));
  }

  /** @throws BackendUnavailable when the image is not there or is of another architecture */
  named(reference: string): Promise<ImageFacts> {
    return this.#remember(reference, () => this.#find(reference, reference));
  }

  /** What is known about a plan's image without asking the engine. */
  peek(plan: Plan): ImageFacts | undefined {
    return this.#known.get(keyOf(plan))?.settled;
  }

  /** Asks the engine whether the image that is known for a plan still exists. */
  async isThere(plan: Plan): Promise<boolean> {
    const known = this.peek(plan);
    return known !== undefined && (await inspectImage(this.#client, known.id)) !== undefined;
  }

  /** Forgets a plan's image under all its names: the engine says that it is gone. */
  forget(plan: Plan): void {
    const gone = this.#known.get(keyOf(plan));
    for (const [key, entry] of this.#known) if (entry.settled === gone?.settled) this.#known.delete(key);
  }

  #remember(key: string, ask: () => Promise<ImageFacts>): Promise<ImageFacts> {
    const known = this.#known.get(key);
    if (known && performance.now() < known.until) return known.facts;
    const entry: Known = { facts: ask(), until: performance.now() + FRESH_MS };
    this.#known.set(key, entry);
    entry.facts.then(
      facts => {
        entry.settled = facts;
        // Plans name the id, once it is known.
        this.#known.set(facts.id, entry);
      },
      () => this.#known.delete(key),
    );
    return entry.facts;
  }

  /** @param name what to call it in messages */
  async #find(reference: string, name: string): Promise<ImageFacts> {
    const { label, facts } = this.#client;
    const image = await inspectImage(this.#client, reference);
    if (!image) {
      throw new BackendUnavailable(
        `${label} has no image ${name}, and a run never pulls one. ${howToGet(name, facts.kind)}`,
      );
    }
    if (image.architecture !== facts.architecture) {
      throw new BackendUnavailable(
        `Image ${name} is for ${image.architecture}, but ${label} runs on ${facts.architecture}. Build or pull it for that.`,
      );
    }
    return image;
  }
}

/** A bare word is meant as a name of the catalog, which has none such: it would have been given as its reference. */
function howToGet(name: string, engine: string): string {
  if (/[/:@]/.test(name)) return `Bring it with \`${engine} pull ${name}\` or build it.`;
  return `Nor is it in the catalog: name the folder that holds it in imageDirs (--dir), then build it with \`code-sandbox images build ${name}\`; an image of a registry goes by its whole reference.`;
}

function keyOf({ root, user }: Plan): string {
  return root.kind === 'host' ? `host ${user.uid}:${user.gid}` : (root.id ?? root.name);
}
