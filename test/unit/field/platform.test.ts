import { expect, test } from 'vitest';
import type { EngineClient } from '../../../src/engine/client.js';
import { explain } from '../../../src/engine/discover/explain.js';
import { STRATEGIES } from '../../../src/engine/discover/strategies.js';
import { networkFailure } from '../../../src/engine/failure.js';
import { ImageStore } from '../../../src/engine/images.js';
import { explainBwrap } from '../../../src/launcher/bwrap/explain.js';

/** Cases from the field that need a host or an engine that is not at hand; docs/field-cases.md lists them all. */
test('case 37: an image for another architecture is refused before the run', async () => {
  const body = { Id: 'sha256:1', Architecture: 'arm64', Config: {} };
  const client = {
    label: 'Podman 5.0',
    facts: { kind: 'podman', architecture: 'x64' },
    request: async () => ({ status: 200, headers: {}, body }),
  } as unknown as EngineClient;
  await expect(new ImageStore(client).named('python:3')).rejects.toThrow(/python:3 is for arm64, .* runs on x64/);
});

test('case 39: where rootless Podman is gone, the message names lingering', () => {
  const gone = networkFailure('GET /_ping', Object.assign(new Error('no'), { code: 'ECONNREFUSED' }));
  const reasons = STRATEGIES.map(strategy => explain(gone, strategy, true).reason);
  expect(reasons.some(reason => reason.includes('loginctl enable-linger'))).toBe(true);
});

const host = {
  apparmorRestricts: false,
  cloneForbidden: false,
  noUserNamespaces: false,
  inContainer: false,
  filtered: false,
};
const REFUSED = 'bwrap: setting up uid map: Permission denied';

test('case 40: bubblewrap that Ubuntu restricts: says what to do, and never to weaken the sandbox', () => {
  const said = explainBwrap(REFUSED, { ...host, apparmorRestricts: true });
  expect(said).toMatch(/AppArmor/);
  expect(said).toMatch(/bwrap-userns-restrict/);
  expect(said).not.toMatch(/unshare-net|share-net/);
});

test('case 41: bubblewrap inside a container: says that it is one', () => {
  expect(explainBwrap(REFUSED, { ...host, inContainer: true })).toMatch(/runs in a container/);
});
