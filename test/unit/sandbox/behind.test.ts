import { readdirSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/backend.js';
import { trailerOf } from '../../../src/supervisor/trailer.js';
import { workspace } from '../../support/workspace.js';
import { sandboxOver } from './scene.js';

const isOpen = (path: string) =>
  readdirSync('/proc/self/fd').some(fd => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  });

test('a sandbox is removed behind the result: once all is done that the result waits for', async () => {
  using work = workspace();
  const seen: string[] = [];
  const note = (what: string) => seen.push(`${what}, the folder is ${isOpen(work.path) ? 'held' : 'let go of'}`);
  const open = async (): Promise<Sandbox> => ({
    id: 'container',
    image: 'fake',
    ended: false,
    run: async () => {
      note('it runs');
      return { trailer: trailerOf('exited', { code: 0, signal: null, wallMicros: 1 }) };
    },
    stop: async () => {},
    close: async () => void note('it is removed'),
  });
  await using sandbox = sandboxOver({ open }, () => Promise.reject(new Error('not asked')));
  const policy = { fsRead: [], fsWrite: [work.path], network: 'deny' as const };
  expect(await sandbox.run({ cmd: 'true', args: [], policy })).toMatchObject({ code: 0 });
  expect(seen).toEqual(['it runs, the folder is held', 'it is removed, the folder is let go of']);
});
