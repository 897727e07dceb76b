import { afterEach, expect, test, vi } from 'vitest';
import { parseConfig } from '../../../src/config/parse.js';
import { nodeHost } from '../../../src/policy/node-host.js';
import type { Backend } from '../../../src/sandbox/backend.js';
import { Basis } from '../../../src/sandbox/basis.js';

afterEach(() => vi.restoreAllMocks());

const backend = {
  engine: { rootless: false },
  runtimes: [],
  places: { sockets: [], storage: [] },
} as unknown as Backend;

test('the host is looked at once, and again after a look that failed', async () => {
  const basis = new Basis(parseConfig({}));
  const lstat = vi.spyOn(nodeHost, 'lstat').mockRejectedValueOnce(new Error('EMFILE'));
  await expect(basis.hostRoot()).rejects.toThrow('EMFILE');
  const root = await basis.hostRoot();
  const looks = lstat.mock.calls.length;
  expect(await basis.hostRoot()).toBe(root);
  expect(lstat).toHaveBeenCalledTimes(looks);
});

test('so are the hazards of a backend', async () => {
  const basis = new Basis(parseConfig({}));
  vi.spyOn(nodeHost, 'readText').mockRejectedValueOnce(new Error('EMFILE'));
  await expect(basis.facts(backend)).rejects.toThrow('EMFILE');
  const { hazards } = await basis.facts(backend);
  expect((await basis.facts(backend)).hazards).toBe(hazards);
});
