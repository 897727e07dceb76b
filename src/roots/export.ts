import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { EngineClient } from '../engine/client.js';
import { removeContainer } from '../engine/containers.js';
import { inspectImage } from '../engine/image.js';
import { NAME_PREFIX, toLabels } from '../reaper/labels.js';
import type { Owner } from '../reaper/owner.js';
import { BackendUnavailable } from '../sandbox/errors.js';
import { pathOf } from './path.js';
import type { RootStore, StoredRoot } from './store.js';

/** Gigabytes from a slow disk; what hangs ends all the same. */
const DEADLINE_MS = 3_600_000;

/**
 * Takes an image's file system from an engine into the store, unless it is there already. No program of the image runs.
 * @throws BackendUnavailable when the engine has no such image, or it cannot be unpacked
 */
export async function takeFromEngine(
  store: RootStore,
  client: EngineClient,
  reference: string,
  owner: Owner,
): Promise<StoredRoot> {
  const image = await inspectImage(client, reference);
  if (!image) throw new BackendUnavailable(`${client.label} has no image ${reference}; build or pull it first.`);
  const id = image.id.replace(/^sha256:/, '');
  const present = await store.byId(id).catch(() => undefined);
  if (present) {
    await store.names.set({ name: reference, id });
    return present;
  }
  const container = await createFor(client, image.id, owner);
  try {
    const archive = new PassThrough();
    const call = { path: `/containers/${container}/export`, into: archive, deadlineMs: DEADLINE_MS };
    const [stored] = await Promise.all([
      store.add(archive, { name: reference, path: pathOf(image.env), id }),
      client.request(call).catch(error => archive.destroy(error)),
    ]);
    return stored;
  } finally {
    await removeContainer(client, container);
  }
}

/** A container that is never started: engines export those only, not images. */
async function createFor(client: EngineClient, image: string, owner: Owner): Promise<string> {
  const instance = randomBytes(8).toString('hex');
  const labels = toLabels({ instance, owner, deadline: Date.now() + DEADLINE_MS });
  const body = { Image: image, Cmd: ['-'], Entrypoint: ['-'], Labels: labels, NetworkDisabled: true };
  const query = { name: `${NAME_PREFIX}${instance}-export` };
  const answer = await client.request<{ Id: string }>({ method: 'POST', path: '/containers/create', query, body });
  return answer.body.Id;
}
