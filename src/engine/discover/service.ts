import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessService } from '../../aalis.js';
import { sweepFolders } from '../../reaper/folders.js';
import { currentOwner } from '../../reaper/owner.js';
import { makeOwned, removeOwned } from '../../reaper/owner-file.js';
import { messageOf } from '../../sandbox/errors.js';
import { EngineClient } from '../client.js';
import { EngineFailure } from '../failure.js';
import type { HostView } from './host.js';

/** The first start of a rootless Podman sets up its storage. */
const START_MS = 30_000;
const STOP_MS = 3000;
const POLL_MS = 50;
/** The service ends itself when it has heard nothing for so long: its owner was killed. */
const IDLE_SECONDS = 30;
const SIGN_OF_LIFE_MS = 10_000;
/** What a service that is not up yet answers with. Whatever else comes of it comes again. */
const NOT_YET = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EDEADLINE']);
const PREFIX = 'code-sandbox-podman-';

/**
 * Starts an API service of the podman command on a socket of its own, which lives until the client is closed, or
 * shortly longer than this process. The socket is as good as the engine's owner, so it lies in a folder that nobody else can enter.
 * @throws Error with a message for the operator when it does not come up.
 */
export async function startPodmanService(process: ProcessService, host: HostView): Promise<EngineClient> {
  const place = await runtimeFolder(host);
  const owner = currentOwner();
  await sweepFolders(place, PREFIX, owner);
  const folder = await makeOwned(place, PREFIX, owner);
  const socketPath = join(folder, 'podman.sock');
  // With either of these set the command would talk to another service instead of being one.
  const env = { CONTAINER_HOST: undefined, CONTAINER_CONNECTION: undefined };
  const args = ['system', 'service', '--time', String(IDLE_SECONDS), `unix://${socketPath}`];
  // Its conmon writes a file named `oom` into the current folder when a container runs out of memory.
  const service = process.spawn('podman', args, { env, cwd: folder, maxBuffer: 8192 });
  let ended: string | undefined;
  const end = service.wait().then(
    result => {
      ended = result.stderr.trim().slice(-500) || `it exited with ${result.code ?? result.signal}`;
    },
    error => {
      ended = String(error);
    },
  );
  let signs: NodeJS.Timeout | undefined;
  const onClose = async () => {
    clearInterval(signs);
    service.kill('SIGTERM');
    await Promise.race([end, sleep(STOP_MS, undefined, { ref: false })]);
    if (ended === undefined) service.kill('SIGKILL');
    await removeOwned(folder);
  };

  const giveUp = performance.now() + START_MS;
  let last = '';
  let unusable = false;
  while (ended === undefined && !unusable && performance.now() < giveUp) {
    try {
      const client = await EngineClient.connect({ socketPath }, { onClose });
      signs = setInterval(() => void client.request({ path: '/_ping' }).catch(() => {}), SIGN_OF_LIFE_MS);
      signs.unref();
      return client;
    } catch (error) {
      last = messageOf(error);
      unusable = !(error instanceof EngineFailure && NOT_YET.has(error.code ?? ''));
      if (!unusable) await sleep(POLL_MS);
    }
  }
  // Said before it is ended, which is an end as well.
  const late = `did not come up: ${ended ?? `nothing within ${START_MS} ms, at last ${last}`}`;
  const failure = new EngineFailure(`podman system service ${unusable ? `cannot be used: ${last}` : late}`);
  await onClose();
  throw failure;
}

/** A root's socket never lies in the folder of a user, which XDG_RUNTIME_DIR can be after su. */
async function runtimeFolder({ env, uid }: HostView): Promise<string> {
  for (const folder of uid === 0 ? ['/run'] : [env.XDG_RUNTIME_DIR, `/run/user/${uid}`]) {
    if (folder && (await stat(folder).catch(() => undefined))?.isDirectory()) return folder;
  }
  throw new Error('its socket needs a private folder, and XDG_RUNTIME_DIR is not set');
}
