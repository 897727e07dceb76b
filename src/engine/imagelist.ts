import type { EngineClient } from './client.js';

/** Removes a name of an image, and the image with its last one. @returns whether it was there */
export async function removeImage(client: EngineClient, reference: string): Promise<boolean> {
  const path = `/images/${encodeURIComponent(reference)}`;
  const { status } = await client.request({ method: 'DELETE', path, statusCodes: [200, 404] });
  return status === 200;
}

/** Removes nameless images that carry a label and that nothing uses. */
export async function pruneImages(client: EngineClient, label: string): Promise<void> {
  const query = { filters: { dangling: ['true'], label: [label] } };
  await client.request({ method: 'POST', path: '/images/prune', query, deadlineMs: 120_000 });
}
