import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { EngineClient } from '../../../src/engine/client.js';
import { importImage, inspectImage } from '../../../src/engine/image.js';
import { fakeEngine, json } from './fake-engine.js';

/** An engine with one image, whose import answers with `progress`. */
async function importing(kind: 'docker' | 'podman', reference: string, progress: string) {
  const calls: string[] = [];
  await using fake = await fakeEngine(kind, async (request, response) => {
    calls.push(request.url!);
    await text(request);
    if (request.method === 'POST') return response.end(progress);
    json(response, { Id: 'sha256:1', Architecture: 'arm64', Config: null });
  });
  await using client = await EngineClient.connect(fake);
  const tar = Readable.from([Buffer.from('tar')]);
  try {
    const id = await importImage(client, tar, { reference, changes: ['LABEL a=b', 'CMD c'] });
    return { id, calls, tar };
  } catch (error) {
    return { error: error as Error, calls, tar };
  }
}

describe('importImage', () => {
  it('imports into Docker under repository and tag', async () => {
    const { id, calls, tar } = await importing('docker', 'host:5000/a/b:1', '{"status":"sha256:1"}');
    expect(id).toBe('sha256:1');
    expect(calls).toEqual([
      '/images/create?fromSrc=-&repo=host%3A5000%2Fa%2Fb&tag=1&changes=LABEL+a%3Db&changes=CMD+c',
      '/images/host%3A5000%2Fa%2Fb%3A1/json',
    ]);
    expect(tar.destroyed).toBe(true);
  });

  it('does not take the port of a registry for a tag', async () => {
    const { calls } = await importing('docker', 'host:5000/a', '{}');
    expect(calls[0]).toContain('repo=host%3A5000%2Fa&tag=latest&');
  });

  it('imports into Podman through its native API', async () => {
    const { id, calls } = await importing('podman', 'localhost/a:1', '{"Id":"sha256:1"}');
    expect(id).toBe('sha256:1');
    expect(calls[0]).toBe('/v4.0.0/libpod/images/import?reference=localhost%2Fa%3A1&changes=LABEL+a%3Db&changes=CMD+c');
  });

  it('fails when Docker reports an error after it has accepted', async () => {
    const { error } = await importing('docker', 'a:1', '{"status":"Importing"}\n{"error":"no space left on device"}');
    expect(error?.message).toBe('the import of a:1 failed: no space left on device');
  });
});

describe('inspectImage', () => {
  it('tells what the image would do of its own accord', async () => {
    const config = {
      Env: ['PATH=/bin'],
      Volumes: { '/data': {} },
      Entrypoint: ['/init'],
      User: 'app',
      Healthcheck: { Test: ['CMD', 'true'] },
    };
    await using fake = await fakeEngine('docker', (_, response) =>
      json(response, { Id: 'sha256:1', Architecture: 'amd64', Config: config }),
    );
    await using client = await EngineClient.connect(fake);
    expect(await inspectImage(client, 'a:1')).toEqual({
      id: 'sha256:1',
      architecture: 'x64',
      env: ['PATH=/bin'],
      volumes: ['/data'],
      entrypoint: ['/init'],
      cmd: [],
      user: 'app',
      workdir: '',
      healthcheck: true,
      labels: {},
      sizeBytes: 0,
      digests: [],
    });
  });

  it('answers undefined for an image that is not there', async () => {
    await using fake = await fakeEngine('docker', (_, response) => json(response, { message: 'No such image' }, 404));
    await using client = await EngineClient.connect(fake);
    expect(await inspectImage(client, 'a:1')).toBeUndefined();
  });
});
