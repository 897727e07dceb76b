import { describe, expect, it } from 'vitest';
import { currentContext } from '../../../../src/engine/discover/context.js';
import { fakeHost } from './fake-host.js';

/** Contexts lie in a folder named for the SHA-256 of their name, here `remote`. */
const DIGEST = 'b71199ebd070b36beab7317920c2c2f1d777df8d05e5527d8458fda57cb17a7a';
const META = JSON.stringify({ Name: 'remote', Endpoints: { docker: { Host: 'unix:///remote.sock' } } });
const tls = { wanted: false, certPath: `/home/u/.docker/contexts/tls/${DIGEST}/docker` };
const files = {
  '/home/u/.docker/config.json': '{"currentContext":"remote"}',
  [`/home/u/.docker/contexts/meta/${DIGEST}/meta.json`]: META,
};

describe('currentContext', () => {
  it('is the one of the configuration', () => {
    expect(currentContext(fakeHost({ files }))).toEqual({ addresses: ['unix:///remote.sock'], tls });
  });

  it('is that of DOCKER_CONTEXT before that, in the folder of DOCKER_CONFIG', () => {
    const env = { DOCKER_CONTEXT: 'remote', DOCKER_CONFIG: '/cfg' };
    const elsewhere = {
      '/cfg/config.json': '{"currentContext":"other"}',
      [`/cfg/contexts/meta/${DIGEST}/meta.json`]: META,
    };
    expect(currentContext(fakeHost({ env, files: elsewhere }))).toMatchObject({ addresses: ['unix:///remote.sock'] });
    expect(currentContext(fakeHost({ env: { DOCKER_CONTEXT: 'default' }, files }))).toMatch(/default/);
  });

  it('asks for TLS where the context has certificates', () => {
    const host = fakeHost({ files: { ...files, [`${tls.certPath}/cert.pem`]: 'PEM' } });
    expect(currentContext(host)).toMatchObject({ tls: { ...tls, wanted: true } });
  });

  it.each([
    ['there is no configuration', {}],
    ['it is broken', { '/home/u/.docker/config.json': '{' }],
    ['it names none', { '/home/u/.docker/config.json': '{}' }],
  ])('does not apply where %s', (_, none) => {
    expect(currentContext(fakeHost({ files: none }))).toBe('the docker command has no context but the default one');
  });

  it('says which file is at fault', () => {
    const config = { '/home/u/.docker/config.json': '{"currentContext":"remote"}' };
    expect(() => currentContext(fakeHost({ files: config }))).toThrow(/"remote".*meta\.json names no address/);
  });
});
