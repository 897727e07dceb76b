import { expect, test } from 'vitest';
import type { EngineFacts } from '../../../src/engine/facts.js';
import { networkFlaw, type StackName, stackOf } from '../../../src/engine/network.js';

const BOTH: StackName[] = ['slirp4netns', 'pasta'];
const docker = { kind: 'docker', rootless: false, sameKernel: true };
const rootless = { kind: 'podman', rootless: true, sameKernel: true };
const rootful = { ...rootless, rootless: false };

test.each<[string, object, StackName[], StackName | undefined]>([
  ['Docker', docker, BOTH, undefined],
  ['rootless Docker', { ...docker, rootless: true }, BOTH, undefined],
  ['rootless Podman', rootless, BOTH, 'slirp4netns'],
  ['rootless Podman 5', { ...rootless, version: '5.4.2' }, BOTH, 'slirp4netns'],
  ['rootless Podman 5 as distributions ship it', { ...rootless, version: '5.4.2' }, ['pasta'], 'pasta'],
  ['rootless Podman 6', { ...rootless, version: '6.0.1' }, BOTH, 'pasta'],
  ['rootless Podman 4.9 with pasta only', { ...rootless, version: '4.9.3' }, ['pasta'], 'pasta'],
  ['rootless Podman 4.3, which does not know pasta', rootless, ['pasta'], 'slirp4netns'],
  ['rootless Podman with neither', rootless, [], 'slirp4netns'],
  ['rootless Podman 5 with neither', { ...rootless, version: '5.4.2' }, [], 'pasta'],
  ['rootless Podman elsewhere', { ...rootless, sameKernel: false }, BOTH, 'slirp4netns'],
  ['rootless Podman 5 elsewhere', { ...rootless, sameKernel: false, version: '5.0.0-rc1' }, [], 'pasta'],
  ['rootful Podman', rootful, BOTH, 'slirp4netns'],
  ['rootful Podman without slirp4netns', rootful, ['pasta'], undefined],
  ['rootful Podman 6', { ...rootful, version: '6.0.1' }, BOTH, undefined],
  ['rootful Podman elsewhere', { ...rootful, sameKernel: false }, BOTH, undefined],
])('what a run’s network is made by: %s', (_, facts, there, stack) => {
  const engine = { version: '4.3.1', ...facts } as unknown as EngineFacts;
  const found = stackOf(engine, tool => there.includes(tool));
  expect(found?.name).toBe(stack);
  // Docker's networks are kept apart but for moments.
  if (!stack && engine.kind === 'podman') expect(networkFlaw(engine, found)).toMatch(/install slirp4netns/);
  else expect(networkFlaw(engine, found)).toBeUndefined();
});

test.each([
  ['5.2.5', false],
  ['5.3.0', true],
  ['6.0.1', true],
])(
  'pasta closes every way to the host’s loopback; with Podman %s to its other addresses as well: %s',
  (version, newer) => {
    const { options } = stackOf({ ...rootless, version } as EngineFacts, stack => stack === 'pasta')!;
    expect(options).toContain('--no-map-gw');
    expect(options.includes('--map-guest-addr')).toBe(newer);
    expect(options.includes('--map-host-loopback')).toBe(newer);
  },
);
