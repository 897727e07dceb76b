import { describe, expect, it } from 'vitest';
import { EngineClient } from '../../../src/engine/client.js';
import { inspectContainer, killContainer, listContainers, removeContainer } from '../../../src/engine/containers.js';
import { fakeEngine, json } from './fake-engine.js';

/** An engine that gives the answers in their order, the last one for ever, and keeps what it was asked. */
async function scripted(kind: 'docker' | 'podman', answers: Array<[status: number, body?: unknown]>) {
  const calls: string[] = [];
  const fake = await fakeEngine(kind, (request, response) => {
    const [status, body = {}] = answers[Math.min(calls.length, answers.length - 1)]!;
    calls.push(`${request.method} ${request.url}`);
    json(response, body, status);
  });
  const client = await EngineClient.connect(fake);
  const dispose = async () => {
    await client.close();
    await fake[Symbol.asyncDispose]();
  };
  return { client, calls, [Symbol.asyncDispose]: dispose };
}

describe('removeContainer', () => {
  it('removes by force, with volumes, and without Podman’s patience', async () => {
    await using docker = await scripted('docker', [[200]]);
    await removeContainer(docker.client, 'c1');
    expect(docker.calls).toEqual(['DELETE /containers/c1?force=true&v=true']);
    await using podman = await scripted('podman', [[200]]);
    await removeContainer(podman.client, 'c1');
    expect(podman.calls).toEqual(['DELETE /v4.0.0/libpod/containers/c1?force=true&volumes=true&timeout=0']);
  });

  it('tries again while the engine is busy with it', async () => {
    await using engine = await scripted('podman', [
      [409, { message: 'removal of container c1 is already in progress' }],
      [500, { message: 'container state improper' }],
      [404, { message: 'no such container' }],
    ]);
    await removeContainer(engine.client, 'c1');
    expect(engine.calls).toHaveLength(3);
  });

  it('gives up on one that never goes', async () => {
    await using engine = await scripted('docker', [[500, { message: 'device or resource busy' }]]);
    await expect(removeContainer(engine.client, 'c1', 300)).rejects.toThrow(/device or resource busy/);
    expect(engine.calls.length).toBeGreaterThan(1);
  });

  it('does not try again what is refused for another reason', async () => {
    await using engine = await scripted('docker', [[403, { message: 'forbidden' }]]);
    await expect(removeContainer(engine.client, 'c1')).rejects.toThrow(/forbidden/);
    expect(engine.calls).toHaveLength(1);
  });
});

describe('killContainer', () => {
  const state = (Running: boolean) => ({ Id: 'c1', Image: 'i', State: { Running }, Config: { Labels: null } });

  it.each([409, 500])('takes status %i for done when the container has ended', async status => {
    await using engine = await scripted('docker', [[status], [200, state(false)]]);
    await killContainer(engine.client, 'c1', 'TERM');
    expect(engine.calls).toEqual(['POST /containers/c1/kill?signal=TERM', 'GET /containers/c1/json']);
  });

  it('takes a container that is gone for done', async () => {
    await using gone = await scripted('docker', [[404, { message: 'No such container: c1' }]]);
    await killContainer(gone.client, 'c1');
    await using raced = await scripted('podman', [[500], [500, { message: 'no such container' }]]);
    await killContainer(raced.client, 'c1');
  });

  it('fails when it still runs', async () => {
    await using engine = await scripted('podman', [
      [500, { message: 'crun: broken' }],
      [200, state(true)],
    ]);
    await expect(killContainer(engine.client, 'c1')).rejects.toThrow(/crun: broken/);
  });
});

describe('reading containers', () => {
  it('answers undefined for one that is not there', async () => {
    await using engine = await scripted('docker', [[404, { message: 'No such container: c1' }]]);
    expect(await inspectContainer(engine.client, 'c1')).toBeUndefined();
  });

  it('lists by label, in any state', async () => {
    const row = { Id: 'c1', Names: ['/sandbox-1'], Labels: null };
    const filters = encodeURIComponent('{"label":["owner=1","sandbox"]}');
    for (const [kind, prefix] of [['docker', ''] as const, ['podman', '/v4.0.0/libpod'] as const]) {
      await using engine = await scripted(kind, [[200, [row]]]);
      const listed = await listContainers(engine.client, ['owner=1', 'sandbox']);
      expect(listed).toEqual([{ id: 'c1', names: ['sandbox-1'], labels: {} }]);
      expect(engine.calls).toEqual([`GET ${prefix}/containers/json?all=true&filters=${filters}`]);
    }
  });
});
