import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ExecResult, ProcessService, SpawnHandle } from '../../../../src/aalis.js';
import { discover } from '../../../../src/engine/discover/discover.js';
import { startPodmanService } from '../../../../src/engine/discover/service.js';
import { fakeEngine, fakeHttp, json } from '../fake-engine.js';
import { fakeHost } from './fake-host.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const listens = (socketPath: string) => fakeEngine('podman', undefined, undefined, socketPath);

/** A `process` service whose podman listens where it is told to, a little later. */
function podman(
  listen = listens,
): ProcessService & { spawn: ReturnType<typeof vi.fn>; kill: ReturnType<typeof vi.fn> } {
  let end: (result: ExecResult) => void;
  const ended = new Promise<ExecResult>(resolve => {
    end = resolve;
  });
  const kill = vi.fn();
  const spawn = vi.fn((_: string, args: readonly string[]): SpawnHandle => {
    const socketPath = args.at(-1)!.replace('unix://', '');
    const fake = new Promise(resolve => setTimeout(resolve, 100)).then(() => listen(socketPath));
    kill.mockImplementation(async () => {
      await (await fake)[Symbol.asyncDispose]();
      end({ code: null, signal: 'SIGTERM', stdout: '', stderr: '' });
    });
    return { pid: 1, stdin: null, stdout: null, stderr: null, wait: () => ended, kill, unref: () => {} };
  });
  const version = { code: 0, signal: null, stdout: 'podman version 4.3.1', stderr: '' };
  return { spawn, kill, execFile: async () => version };
}

describe('startPodmanService', () => {
  const host = () => fakeHost({ uid: 4_000_000_000, env: { XDG_RUNTIME_DIR: folder } });

  it('serves on a socket in a folder that nobody else can enter, until the client is closed', async () => {
    const process = podman();
    const client = await startPodmanService(process, host());
    const { socketPath } = client.endpoint as { socketPath: string };
    const [command, args, options] = process.spawn.mock.calls[0]!;
    expect([command, ...args]).toEqual(['podman', 'system', 'service', '--time', '30', `unix://${socketPath}`]);
    expect(options.env).toEqual({ CONTAINER_HOST: undefined, CONTAINER_CONNECTION: undefined });
    const { mode } = statSync(dirname(socketPath));
    expect([dirname(dirname(socketPath)), mode & 0o777]).toEqual([folder, 0o700]);
    await client.close();
    expect(process.kill.mock.calls).toEqual([['SIGTERM']]);
    expect(existsSync(dirname(socketPath))).toBe(false);
  });

  it('fails with the words of a command that ends at once, and leaves nothing', async () => {
    const result: ExecResult = { code: 125, signal: null, stdout: '', stderr: 'Error: newuidmap: not permitted\n' };
    const handle = { pid: 1, stdin: null, stdout: null, stderr: null, kill: () => false, unref: () => {} };
    const process: ProcessService = {
      spawn: () => ({ ...handle, wait: async () => result }),
      execFile: async () => result,
    };
    await expect(startPodmanService(process, host())).rejects.toThrow(/did not come up: Error: newuidmap/);
    expect(existsSync(folder) && statSync(folder).nlink).toBe(2);
  });

  it('gives up at once on a Podman that is too old, and says that', async () => {
    const old = (path: string) =>
      fakeHttp(
        (request, response) => {
          response.setHeader('api-version', '1.40').setHeader('libpod-api-version', '3.4.4');
          if (request.url === '/_ping') response.end('OK');
          else json(response, { ServerVersion: '3.4.4', Architecture: 'amd64' });
        },
        undefined,
        path,
      );
    const process = podman(old);
    const why = 'podman system service cannot be used: it is Podman 3.4.4; 4.0 or later is needed';
    await expect(startPodmanService(process, host())).rejects.toThrow(why);
    expect(process.kill.mock.calls).toEqual([['SIGTERM']]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('names what came last of one that never comes up', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 20_000));
    const elsewhere = podman(() => fakeEngine('podman'));
    const why =
      /did not come up: nothing within 30000 ms, at last GET \/_ping at .*: there is no such socket \(ENOENT\)$/;
    await expect(startPodmanService(elsewhere, host())).rejects.toThrow(why);
  });

  it('does without where no folder is private', async () => {
    const refused = startPodmanService(podman(), fakeHost({ uid: 4_000_000_000 }));
    await expect(refused).rejects.toThrow(/XDG_RUNTIME_DIR is not set/);
  });

  it('comes last in the search', async () => {
    const attempts = [];
    for await (const { client, ...attempt } of discover({ engine: 'auto', process: podman(), host: host() })) {
      attempts.push(attempt);
      await client?.close();
    }
    expect(attempts.at(-1)).toMatchObject({ strategy: 'podman command', outcome: 'connected' });
  });
});
