import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../../../src/engine/client.js';
import { EngineFailure } from '../../../src/engine/failure.js';
import { type Fake, fakeEngine, fakeHttp, fakeSocket, json } from './fake-engine.js';

const lost = { name: 'EngineFailure', lost: true };

async function nothingOpen(fake: Fake): Promise<void> {
  await vi.waitFor(() => expect(fake.sockets.size).toBe(0));
}

describe('EngineClient.connect', () => {
  it('reads what Docker says about itself', async () => {
    await using fake = await fakeEngine('docker');
    await using client = await EngineClient.connect(fake);
    expect(client.facts).toMatchObject({ kind: 'docker', apiVersion: '1.41', rootless: true, architecture: 'x64' });
    expect(client.facts).toMatchObject({ cgroupVersion: 2, seccomp: 'default', sameKernel: false, warnings: [] });
    expect(client.label).toBe('Docker 4.3.1 (rootless)');
  });

  it('knows Podman by its native API', async () => {
    await using fake = await fakeEngine('podman');
    await using client = await EngineClient.connect(fake);
    expect(client.facts.kind).toBe('podman');
  });

  it('does not listen to DOCKER_HOST and its relatives', async () => {
    vi.stubEnv('DOCKER_HOST', 'tcp://127.0.0.1:1');
    vi.stubEnv('DOCKER_TLS_VERIFY', '1');
    vi.stubEnv('DOCKER_PATH_PREFIX', '/elsewhere');
    vi.stubEnv('DOCKER_CLIENT_TIMEOUT', '1');
    await using fake = await fakeEngine('docker');
    await using client = await EngineClient.connect(fake);
    expect(client.facts.kind).toBe('docker');
    vi.unstubAllEnvs();
  });

  it('gives up on an engine that accepts and never answers, and lets go of the connection', async () => {
    await using fake = await fakeSocket();
    const start = performance.now();
    await expect(EngineClient.connect(fake, { deadlineMs: 100 })).rejects.toMatchObject({ ...lost, code: 'EDEADLINE' });
    expect(performance.now() - start).toBeLessThan(10_000);
    await nothingOpen(fake);
  });

  it.each([
    ['speaks something else', () => fakeSocket(socket => socket.end('220 mail ready\r\n')), /does not speak HTTP/],
    ['breaks off', () => fakeSocket(socket => socket.destroy()), /broken off|hang up/],
    ['is a web server', () => fakeHttp((_, response) => response.end('hello')), /neither Docker nor Podman/],
    ['refuses', () => fakeHttp((_, response) => response.writeHead(500).end('no')), /no \(status 500\)/],
  ])('refuses what %s', async (_, start, message) => {
    await using fake = await start();
    await expect(EngineClient.connect(fake)).rejects.toThrow(message);
  });

  it('says so when docker-modem chokes on the environment', async () => {
    vi.stubEnv('DOCKER_HOST', 'tcp://:::');
    await expect(EngineClient.connect({ socketPath: '/x.sock' })).rejects.toThrow(/DOCKER_HOST .* correct or unset it/);
    vi.unstubAllEnvs();
  });

  it('tells a missing socket', async () => {
    const failure = EngineClient.connect({ socketPath: '/nonexistent/engine.sock' });
    await expect(failure).rejects.toMatchObject({ ...lost, code: 'ENOENT' });
  });
});

describe('EngineClient.request', () => {
  it('sends query and JSON body as they are meant, and Podman paths with their version', async () => {
    await using fake = await fakeEngine('podman', async (request, response) =>
      json(response, [request.method, request.url, request.headers['content-type'], await text(request)]),
    );
    await using client = await EngineClient.connect(fake);
    const query = { all: true, filters: { label: ['a=b&c'] }, changes: ['X', 'Y'], none: undefined };
    const { body } = await client.request({ method: 'POST', path: '/libpod/x', query, body: { image: 'ü' } });
    const url = '/v4.0.0/libpod/x?all=true&filters=%7B%22label%22%3A%5B%22a%3Db%26c%22%5D%7D&changes=X&changes=Y';
    expect(body).toEqual(['POST', url, 'application/json', '{"image":"ü"}']);
    expect((await client.request({ path: '/y' })).body).toEqual(['GET', '/y', null, '']);
  });

  it('streams a body, and destroys it in the end', async () => {
    await using fake = await fakeEngine('docker', async (request, response) =>
      json(response, (await text(request)).length),
    );
    await using client = await EngineClient.connect(fake);
    const body = Readable.from([Buffer.alloc(100_000), Buffer.alloc(200_000)]);
    expect((await client.request({ method: 'POST', path: '/x', body })).body).toBe(300_000);
    expect(body.destroyed).toBe(true);
  });

  it('passes on the failure of a body', async () => {
    await using fake = await fakeEngine('docker', request => request.resume());
    await using client = await EngineClient.connect(fake);
    const body = new Readable({
      read() {
        this.destroy(new Error('the disk is broken'));
      },
    });
    await expect(client.request({ method: 'POST', path: '/x', body })).rejects.toThrow('the disk is broken');
  });

  it.each([
    ['Docker', { message: 'no such thing' }, 'no such thing'],
    ['Podman', { cause: 'deep down', message: 'no such thing: deep down' }, 'no such thing: deep down'],
    ['a proxy', 'Bad Gateway', '"Bad Gateway"'],
  ])('fails with the words of %s when refused, and is not lost', async (_, body, words) => {
    await using fake = await fakeEngine('docker', (_request, response) => json(response, body, 409));
    await using client = await EngineClient.connect(fake);
    const failure = await client.request({ method: 'DELETE', path: '/x' }).catch(error => error);
    expect(failure).toBeInstanceOf(EngineFailure);
    expect(failure).toMatchObject({ status: 409, lost: false });
    expect(failure.message).toBe(`DELETE /x at unix://${fake.socketPath}: ${words} (status 409)`);
    expect((await client.request({ path: '/x', statusCodes: [409] })).status).toBe(409);
  });

  it('is over at its deadline, also in the middle of an answer', async () => {
    await using fake = await fakeEngine('docker', (_, response) => response.write('{"begun":'));
    await using client = await EngineClient.connect(fake);
    const failure = client.request({ path: '/x', deadlineMs: 100 });
    await expect(failure).rejects.toMatchObject({ ...lost, message: expect.stringContaining('within 100 ms') });
    await nothingOpen(fake);
  });

  it('is lost when the answer breaks off or is garbage', async () => {
    await using fake = await fakeEngine('docker', (request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.url === '/garbage') return response.end('{oops');
      response.write('{"begun":', () => request.socket.destroy());
    });
    await using client = await EngineClient.connect(fake);
    await expect(client.request({ path: '/broken' })).rejects.toMatchObject(lost);
    await expect(client.request({ path: '/garbage' })).rejects.toThrow(/not JSON: \{oops/);
  });

  it('rejects with the reason of the caller that gave up', async () => {
    await using fake = await fakeEngine('docker');
    await using client = await EngineClient.connect(fake);
    const caller = new AbortController();
    const failure = client.request({ path: '/x', signal: caller.signal });
    caller.abort(new Error('changed my mind'));
    await expect(failure).rejects.toThrow('changed my mind');
    await expect(client.request({ path: '/x', signal: caller.signal })).rejects.toThrow('changed my mind');
    await nothingOpen(fake);
  });

  it('answers 32 calls at once when half of them hang', async () => {
    await using fake = await fakeEngine('docker', (request, response) => {
      if (request.url === '/fast') response.end('done');
    });
    await using client = await EngineClient.connect(fake);
    const calls = Array.from({ length: 32 }, (_, n) =>
      client.request({ path: n % 2 ? '/fast' : '/hangs', deadlineMs: 1500 }),
    );
    const outcomes = (await Promise.allSettled(calls)).map(({ status }) => status);
    expect(outcomes.filter(status => status === 'fulfilled')).toHaveLength(16);
  });

  it('hands on progress line by line, as it comes', async () => {
    await using fake = await fakeEngine('docker', async (_, response) => {
      for (const part of ['{"a":1}\r\n\n{"b"', ':2}\n', '{"c":3}']) {
        response.write(part);
        await sleep(10);
      }
      response.end();
    });
    await using client = await EngineClient.connect(fake);
    const lines: unknown[] = [];
    await client.request({ path: '/x', onLine: line => lines.push(line) });
    expect(lines).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
  });

  it('takes progress that breaks off for a failure, not for the end', async () => {
    await using fake = await fakeEngine('docker', (_, response) => {
      response.write('{"a":1}\n');
      setTimeout(() => response.destroy(), 20);
    });
    await using client = await EngineClient.connect(fake);
    await expect(client.request({ path: '/x', onLine: () => {} })).rejects.toThrow('the connection was broken off');
  });

  it('writes an answer of any size to where it belongs', async () => {
    await using fake = await fakeEngine('docker', (_, response) => response.end(Buffer.alloc(100_000, 'x')));
    await using client = await EngineClient.connect(fake);
    const into = new PassThrough();
    const [bytes] = await Promise.all([buffer(into), client.request({ path: '/x', into })]);
    expect(bytes).toHaveLength(100_000);
  });
});

describe('EngineClient.attach', () => {
  it.each([
    ['docker', '/containers/c1/attach'],
    ['podman', '/v4.0.0/libpod/containers/c1/attach'],
  ] as const)('joins the raw streams of %s, and sends nothing of its own', async (kind, path) => {
    const received: string[] = [];
    await using fake = await fakeEngine(kind, undefined, (request, socket, head) => {
      received.push(request.url!, String(head));
      socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\nfirst');
      socket.on('data', chunk => socket.write(chunk)).on('error', () => {});
    });
    await using client = await EngineClient.connect(fake);
    const stream = await client.attach('c1', { deadlineMs: 1000 });
    expect(String((await once(stream, 'data'))[0])).toBe('first');
    stream.write('echo');
    expect(String((await once(stream, 'data'))[0])).toBe('echo');
    expect(received).toEqual([`${path}?stream=true&stdin=true&stdout=true&stderr=true`, '']);
    await client.close();
    expect(stream.destroyed).toBe(true);
  });

  it('fails with the words of an engine that refuses', async () => {
    await using fake = await fakeEngine('docker', (_, response) => json(response, { message: 'not found' }, 409));
    await using client = await EngineClient.connect(fake);
    await expect(client.attach('c1')).rejects.toMatchObject({ status: 409, lost: false });
  });

  it('has a deadline', async () => {
    await using fake = await fakeEngine('docker');
    await using client = await EngineClient.connect(fake);
    await expect(client.attach('c1', { deadlineMs: 100 })).rejects.toMatchObject({ ...lost, code: 'EDEADLINE' });
    await nothingOpen(fake);
  });
});

describe('EngineClient.close', () => {
  it('ends open calls and what was started for it, once', async () => {
    await using fake = await fakeEngine('docker');
    const onClose = vi.fn(async () => {});
    const client = await EngineClient.connect(fake, { onClose });
    const call = client.request({ path: '/hangs' });
    const outcome = expect(call).rejects.toThrow(/was let go of/);
    await Promise.all([client.close(), client.close()]);
    await outcome;
    expect(onClose).toHaveBeenCalledOnce();
  });
});
