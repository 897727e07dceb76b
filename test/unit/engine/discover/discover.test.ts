import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProcessService } from '../../../../src/aalis.js';
import { type Attempt, type DiscoverOptions, discover } from '../../../../src/engine/discover/discover.js';
import { fakeEngine, fakeSocket } from '../fake-engine.js';
import { fakeHost } from './fake-host.js';

/** A host on which no command can be started. */
const noCommands: ProcessService = {
  spawn: () => {
    throw new Error('unexpected');
  },
  execFile: async () => {
    throw new Error('ENOENT');
  },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'discover-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** All attempts, by strategy; clients are closed at once. */
async function all(
  env: Record<string, string>,
  options: Partial<DiscoverOptions> = {},
): Promise<Record<string, Attempt>> {
  const found: Record<string, Attempt> = {};
  const host = fakeHost({ uid: 4_000_000_000, home: folder, env });
  for await (const attempt of discover({ engine: 'auto', process: noCommands, host, deadlineMs: 10_000, ...options })) {
    await attempt.client?.close();
    found[attempt.strategy] = attempt;
  }
  return found;
}

describe('discover', () => {
  it('goes on, with a reason for each, and leaves the choice to its caller', async () => {
    await using podman = await fakeEngine('podman');
    await using docker = await fakeEngine('docker');
    const found = await all({ CONTAINER_HOST: `unix://${podman.socketPath}`, DOCKER_HOST: docker.socketPath });
    expect(found.CONTAINER_HOST).toMatchObject({ outcome: 'connected', reason: 'Podman 4.3.1 (rootless)' });
    expect(found.DOCKER_HOST).toMatchObject({ outcome: 'connected', endpoint: `unix://${docker.socketPath}` });
    expect(found['rootless Docker']).toMatchObject({ outcome: 'not-applicable' });
    expect(found['rootless Docker']!.reason).toMatch(/no such socket .*systemctl --user/);
    expect(found['podman command']!.reason).toMatch(/no podman in the system’s folders/);
  });

  it('is lazy: what nobody asks for is not tried', async () => {
    await using first = await fakeEngine('docker');
    await using second = await fakeEngine('docker');
    const env = { CONTAINER_HOST: first.socketPath, DOCKER_HOST: second.socketPath };
    for await (const { client } of discover({ engine: 'auto', process: noCommands, host: fakeHost({ env }) })) {
      await client?.close();
      break;
    }
    expect(second.sockets.size).toBe(0);
  });

  it('tries a socket once, by whatever path', async () => {
    await using engine = await fakeEngine('docker');
    const link = join(folder, 'docker.sock');
    symlinkSync(engine.socketPath, link);
    const found = await all({ CONTAINER_HOST: engine.socketPath, DOCKER_HOST: link });
    expect(found.CONTAINER_HOST!.outcome).toBe('connected');
    expect(found.DOCKER_HOST).toMatchObject({
      outcome: 'not-applicable',
      reason: 'it is the same socket as that of CONTAINER_HOST',
    });
  });

  it('keeps to the kind that is asked for', async () => {
    await using docker = await fakeEngine('docker');
    const found = await all({ CONTAINER_HOST: '/c.sock', DOCKER_HOST: docker.socketPath }, { engine: 'podman' });
    expect(found.DOCKER_HOST).toMatchObject({ outcome: 'declined' });
    expect(found.DOCKER_HOST!.reason).toBe('it is Docker 4.3.1 (rootless); the configuration asks for podman');
    expect(found['rootful Docker']!.reason).toBe('the configuration asks for podman');
    expect((await all({}, { engine: 'docker' }))['podman command']!.reason).toBe('the configuration asks for docker');
  });

  it('tries nothing else where the configuration names an engine', async () => {
    await using docker = await fakeEngine('docker');
    const found = await all({ DOCKER_HOST: docker.socketPath }, { endpoint: join(folder, 'missing.sock') });
    expect(Object.keys(found)).toEqual(['configuration']);
    expect(found.configuration).toMatchObject({ outcome: 'declined', reason: 'there is no such socket' });
  });

  it('tells what is stale, silent or a stranger apart', async () => {
    await using silent = await fakeSocket();
    await using stranger = await fakeSocket(socket => socket.end('220 mail\r\n'));
    const stale = join(folder, 'stale.sock');
    writeFileSync(stale, '');
    const reason = async (address: string, options: Partial<DiscoverOptions> = {}) =>
      (await all({ DOCKER_HOST: address }, options)).DOCKER_HOST!.reason;
    expect(await reason(stale)).toMatch(/nothing listens there: .*stale/);
    expect(await reason(silent.socketPath, { deadlineMs: 200 })).toMatch(/does not answer: .* within 200 ms/);
    expect(await reason(stranger.socketPath)).toMatch(/does not speak HTTP/);
    expect(await reason('ssh://u@h')).toMatch(/through SSH/);
  });
});
