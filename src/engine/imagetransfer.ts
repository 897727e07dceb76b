import type { Readable, Writable } from 'node:stream';
import type { EngineClient } from './client.js';
import { splitReference } from './image.js';
import { followProgress, type Progress } from './progress.js';

/** Long enough for gigabytes over a slow line; what hangs ends all the same. */
const DEADLINE_MS = 3_600_000;

/** Brings an image from a registry. @throws EngineFailure with the registry's answer. */
export async function pullImage(
  client: EngineClient,
  reference: string,
  onEvent?: (event: Progress) => void,
): Promise<void> {
  const { repo, tag } = splitReference(reference);
  const query = reference.includes('@') ? { fromImage: reference } : { fromImage: repo, tag };
  const call = { method: 'POST', path: '/images/create', query, deadlineMs: DEADLINE_MS } as const;
  await followProgress(client, call, `the pull of ${reference}`, onEvent);
}

/** Writes images, with all their layers and names, as one tar archive. */
export async function saveImages(client: EngineClient, references: string[], into: Writable): Promise<void> {
  // Podman takes only the first of repeated parameters here where its own API is not used.
  const call =
    client.facts.kind === 'podman'
      ? { path: '/libpod/images/export', query: { references, format: 'docker-archive' } }
      : { path: '/images/get', query: { names: references } };
  await client.request({ ...call, into, deadlineMs: DEADLINE_MS });
}

/** Takes in what {@link saveImages} of any engine wrote, and answers the names of the images. */
export async function loadImages(client: EngineClient, tar: Readable): Promise<string[]> {
  const names: string[] = [];
  const call = { method: 'POST', path: '/images/load', body: tar, deadlineMs: DEADLINE_MS } as const;
  await followProgress(client, call, 'the load of the archive', ({ stream }) => {
    const [, loaded] = /Loaded image(?:\(s\)|s)?(?: ID)?: (.*)/.exec(stream ?? '') ?? [];
    if (loaded) names.push(...loaded.split(/,\s*/).filter(Boolean));
  });
  return names;
}

/** Gives an image one more name. */
export async function tagImage(client: EngineClient, image: string, reference: string): Promise<void> {
  const path = `/images/${encodeURIComponent(image)}/tag`;
  await client.request({ method: 'POST', path, query: splitReference(reference) });
}
