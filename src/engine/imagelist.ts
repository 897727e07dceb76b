import type { EngineClient } from './client.js';

/** Layers of a gigabyte take their time to go. */
const DEADLINE_MS = 120_000;

/** Removes a name of an image, and the image with its last one. @returns whether it was there */
export async function removeImage(client: EngineClient, reference: string): Promise<boolean> {
  const path = `/images/${encodeURIComponent(reference)}`;
  const call = { method: 'DELETE', path, statusCodes: [200, 404], deadlineMs: DEADLINE_MS } as const;
  const { status } = await client.request(call);
  return status === 200;
}

/** Removes nameless images that carry a label and that nothing uses. */
export async function pruneImages(client: EngineClient, label: string): Promise<void> {
  const query = { filters: { dangling: ['true'], label: [label] } };
  await client.request({ method: 'POST', path: '/images/prune', query, deadlineMs: DEADLINE_MS });
}
