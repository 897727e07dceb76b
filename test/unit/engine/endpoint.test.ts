import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endpointLabel, parseEndpoint } from '../../../src/engine/endpoint.js';

describe('parseEndpoint', () => {
  it.each([
    ['unix:///run/podman/podman.sock', { socketPath: '/run/podman/podman.sock' }, 'unix:///run/podman/podman.sock'],
    ['/var/run/docker.sock', { socketPath: '/var/run/docker.sock' }, 'unix:///var/run/docker.sock'],
    ['npipe:////./pipe/docker_engine', { socketPath: '//./pipe/docker_engine' }, 'npipe:////./pipe/docker_engine'],
    ['tcp://127.0.0.1:80', { host: '127.0.0.1', port: 80 }, 'tcp://127.0.0.1:80'],
    ['tcp://engine', { host: 'engine', port: 2375 }, 'tcp://engine:2375'],
    ['http://[::1]:2375', { host: '::1', port: 2375 }, 'tcp://[::1]:2375'],
  ])('reads %s', (address, endpoint, label) => {
    expect(parseEndpoint(address)).toEqual(endpoint);
    expect(endpointLabel(endpoint)).toBe(label);
  });

  it.each([
    ['ssh://user@host', /through SSH.*forward its socket/s],
    ['unix://', /no absolute path/],
    ['unix://run/x.sock', /no absolute path/],
    ['tcp://', /no host/],
    ['fd://', /no address of an engine/],
    ['localhost:2375', /no address of an engine/],
  ])('refuses %s', (address, message) => {
    expect(() => parseEndpoint(address)).toThrow(message);
  });

  it('reads the certificates where TLS is asked for', () => {
    const certPath = mkdtempSync(join(tmpdir(), 'certs-'));
    for (const name of ['ca', 'cert', 'key']) writeFileSync(join(certPath, `${name}.pem`), name);
    expect(parseEndpoint('tcp://engine', { wanted: true, certPath })).toEqual({
      host: 'engine',
      port: 2376,
      tls: { ca: Buffer.from('ca'), cert: Buffer.from('cert'), key: Buffer.from('key') },
    });
    rmSync(certPath, { recursive: true });
    expect(() => parseEndpoint('https://engine', { wanted: false, certPath })).toThrow(
      new RegExp(`ca\\.pem cannot be read: ENOENT.*${certPath}.*DOCKER_CERT_PATH`),
    );
  });
});
