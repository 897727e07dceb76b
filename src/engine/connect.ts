import { BackendUnavailable } from '../sandbox/errors.js';
import type { EngineClient } from './client.js';
import { type DiscoverOptions, discover } from './discover/discover.js';
import { lineOf } from './discover/line.js';

/** Connects to the first engine that is found. @throws BackendUnavailable that names all places that were tried. */
export async function connectEngine(options: DiscoverOptions): Promise<EngineClient> {
  const reasons: string[] = [];
  for await (const { client, ...attempt } of discover(options)) {
    if (client) return client;
    if (attempt.outcome === 'declined') reasons.push(lineOf(attempt));
  }
  const why =
    reasons.length > 0 ? `${reasons.join('; ')}; start it, or name another socket` : 'install Podman or Docker';
  throw new BackendUnavailable(`No container engine was found: ${why}.`);
}
