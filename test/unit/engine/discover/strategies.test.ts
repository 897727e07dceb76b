import { describe, expect, it } from 'vitest';
import type { HostView } from '../../../../src/engine/discover/host.js';
import { configured, STRATEGIES } from '../../../../src/engine/discover/strategies.js';
import { fakeHost } from './fake-host.js';

/** Where each strategy would look, by its name; those that do not apply are left out. */
function places(host: HostView): Record<string, string[]> {
  const found = STRATEGIES.map(({ name, locate }) => [name, locate(host)] as const);
  return Object.fromEntries(
    found.flatMap(([name, place]) => (typeof place === 'string' ? [] : [[name, place.addresses]])),
  );
}

describe('STRATEGIES', () => {
  it('prefer what was asked for, then rootless to rootful', () => {
    expect(STRATEGIES.map(({ name }) => name)).toEqual([
      'CONTAINER_HOST',
      'DOCKER_HOST',
      'Docker context',
      'rootless Podman',
      'rootless Docker',
      'rootful Podman',
      'rootful Docker',
      'desktop',
    ]);
  });

  it('look where Linux has its services', () => {
    expect(places(fakeHost({ env: { XDG_RUNTIME_DIR: '/run/user/1000' } }))).toEqual({
      'rootless Podman': ['/run/user/1000/podman/podman.sock'],
      'rootless Docker': ['/run/user/1000/docker.sock'],
      'rootful Podman': ['/run/podman/podman.sock'],
      'rootful Docker': ['/var/run/docker.sock'],
    });
  });

  it('find the session of a user without XDG_RUNTIME_DIR, or with another', () => {
    expect(places(fakeHost())['rootless Podman']).toEqual(['/run/user/1000/podman/podman.sock']);
    expect(places(fakeHost({ env: { XDG_RUNTIME_DIR: '/tmp/x' } }))['rootless Docker']).toEqual([
      '/tmp/x/docker.sock',
      '/run/user/1000/docker.sock',
    ]);
  });

  it('take the environment as it is', () => {
    const env = { CONTAINER_HOST: 'unix:///c.sock', DOCKER_HOST: 'tcp://d:1', DOCKER_TLS_VERIFY: '1' };
    expect(places(fakeHost({ env }))).toMatchObject({ CONTAINER_HOST: ['unix:///c.sock'], DOCKER_HOST: ['tcp://d:1'] });
    const tls = { wanted: true, certPath: '/home/u/.docker' };
    expect(STRATEGIES[1]!.locate(fakeHost({ env }))).toMatchObject({ tls });
    expect(configured('tcp://d:1').locate(fakeHost({ env: { DOCKER_CERT_PATH: '/certs' } }))).toEqual({
      addresses: ['tcp://d:1'],
      tls: { wanted: false, certPath: '/certs' },
    });
  });

  it('look where desktops have theirs', () => {
    const mac = places(fakeHost({ platform: 'darwin', home: '/Users/u', env: { TMPDIR: '/var/folders/x/T/' } }));
    expect(Object.keys(mac)).toEqual(['desktop']);
    expect(mac.desktop).toContain('/Users/u/.docker/run/docker.sock');
    expect(mac.desktop).toContain('/var/folders/x/T/podman/podman-machine-default-api.sock');
    expect(places(fakeHost({ platform: 'win32', uid: -1 })).desktop).toContain('npipe:////./pipe/docker_engine');
  });
});
