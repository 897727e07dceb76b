import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { nodeHost } from '../../../src/policy/node-host.js';

vi.mock('node:fs/promises', async original => {
  const real = await original<typeof import('node:fs/promises')>();
  return { ...real, readdir: vi.fn(real.readdir), readFile: vi.fn(real.readFile) };
});

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'host-'));
  mkdirSync(join(home, 'folder'));
  writeFileSync(join(home, 'file'), '');
  symlinkSync('file', join(home, 'link'));
  execFileSync('mkfifo', [join(home, 'other')]);
});
afterAll(() => rmSync(home, { recursive: true }));

test.each(['folder', 'file', 'other'])('holds a %s without waiting for anybody', async name => {
  const held = await nodeHost.hold(join(home, name));
  expect(held.facts).toEqual(await nodeHost.lstat(join(home, name)));
  expect(held.facts.kind).toBe(name);
  await held.close();
});

test('what holds a link does not follow it', async () => {
  const held = await nodeHost.hold(join(home, 'link')).catch(() => undefined);
  expect(held?.facts.kind).not.toBe('file');
  await held?.close();
});

const LOOKS = [
  ['readdir', readdir, () => nodeHost.readdir('/nonexistent'), []],
  ['readText', readFile, () => nodeHost.readText('/nonexistent'), ''],
] as const;

test.each(LOOKS)('%s: what cannot be read is nothing, unless this process is short of means', async (...look) => {
  const [, call, ask, nothing] = look;
  expect(await ask()).toEqual(nothing);
  vi.mocked(call as typeof readdir).mockRejectedValueOnce(Object.assign(new Error('EMFILE'), { code: 'EMFILE' }));
  await expect(ask()).rejects.toThrow('EMFILE');
});
