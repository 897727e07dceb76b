import { opendir, readdir, readFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { nodeHost } from '../../../src/policy/node-host.js';

vi.mock('node:fs/promises', async original => {
  const real = await original<typeof import('node:fs/promises')>();
  return { ...real, readdir: vi.fn(real.readdir), readFile: vi.fn(real.readFile), opendir: vi.fn(real.opendir) };
});

const LOOKS = [
  ['readdir', readdir, () => nodeHost.readdir('/nonexistent'), []],
  ['readText', readFile, () => nodeHost.readText('/nonexistent'), ''],
  ['entries', opendir, () => nodeHost.entries('/nonexistent', 9), []],
] as const;

test.each(LOOKS)('%s: what cannot be read is nothing, unless this process is short of means', async (...look) => {
  const [, call, ask, nothing] = look;
  expect(await ask()).toEqual(nothing);
  vi.mocked(call as typeof readdir).mockRejectedValueOnce(Object.assign(new Error('EMFILE'), { code: 'EMFILE' }));
  await expect(ask()).rejects.toThrow('EMFILE');
});
