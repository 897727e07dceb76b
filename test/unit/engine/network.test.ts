import { expect, test } from 'vitest';
import type { EngineFacts } from '../../../src/engine/facts.js';
import { makesNetworks, networkFlaw } from '../../../src/engine/network.js';

const SLIRP = '/usr/bin/slirp4netns';

test.each([
  ['Docker', { kind: 'docker', rootless: false, sameKernel: true }, SLIRP, true],
  ['rootless Docker', { kind: 'docker', rootless: true, sameKernel: true }, SLIRP, true],
  ['rootless Podman', { kind: 'podman', rootless: true, sameKernel: true }, '', false],
  ['rootful Podman', { kind: 'podman', rootless: false, sameKernel: true }, SLIRP, false],
  ['rootful Podman without slirp4netns', { kind: 'podman', rootless: false, sameKernel: true }, undefined, true],
  [
    'rootful Podman that has no such stacks',
    { kind: 'podman', rootless: false, sameKernel: true, version: '6.0.1' },
    SLIRP,
    true,
  ],
  ['rootful Podman elsewhere', { kind: 'podman', rootless: false, sameKernel: false }, SLIRP, true],
] as const)('networks that are made for a run: %s', (_, facts, tool, makes) => {
  const engine = { version: '4.3.1', ...facts } as unknown as EngineFacts;
  expect(makesNetworks(engine, tool)).toBe(makes);
  // Docker's networks are kept apart but for moments.
  if (makes && facts.kind === 'podman') expect(networkFlaw(engine, tool)).toMatch(/install slirp4netns/);
  else expect(networkFlaw(engine, tool)).toBeUndefined();
});
