import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { baseEntries, baseImage } from '../policy/baseimage.js';
import type { Plan } from '../policy/plan.js';
import type { EngineClient } from './client.js';
import { type ImageFacts, importImage, inspectImage } from './image.js';

/** Repository of the almost empty images over which the host's system folders are mounted. */
const BASE_REPOSITORY = 'localhost/code-sandbox/host-root';

/**
 * The image under a host root: folders, links and a few generated files of /etc. Its tag is a digest of its bytes, so
 * that it is imported once for each engine, user and layout of the host.
 */
export async function hostRootImage(client: EngineClient, plan: Plan): Promise<ImageFacts> {
  const inside = client.facts.rootless ? { uid: 0, gid: 0 } : plan.user;
  const tar = await buffer(baseImage(baseEntries(plan.root.entries ?? [], [inside])));
  const reference = `${BASE_REPOSITORY}:${createHash('sha256').update(tar).digest('hex').slice(0, 24)}`;
  const present = await inspectImage(client, reference);
  if (present) return present;
  const id = await importImage(client, Readable.from([tar]), { reference });
  const made = await inspectImage(client, id);
  if (!made) throw new Error(`the image ${reference} is missing right after its import`);
  return made;
}
