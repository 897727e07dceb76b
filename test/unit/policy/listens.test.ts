import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, symlinkSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { listens } from '../../../src/policy/listens.js';
import { workspace } from '../../support/workspace.js';

test('a socket on which somebody listens, however long the way to it, and one that nobody is bound to', async () => {
  using work = workspace();
  const folder = join(work.path, 'd'.repeat(120));
  mkdirSync(folder);
  const server = createServer().listen(join(work.path, 's'));
  await new Promise(resolve => server.once('listening', resolve));
  expect(await listens(join(work.path, 's'))).toBe(true);
  server.close();
  expect(await listens(join(work.path, 's'))).toBe(false);
  expect(await listens(join(folder, 's'))).toBe(false);
});

test.skipIf(process.platform !== 'linux')('a FIFO or a link in the place of its folder holds nobody up', async () => {
  using work = workspace();
  const fifo = join(work.path, 'fifo');
  execFileSync('mkfifo', [fifo]);
  symlinkSync(fifo, join(work.path, 'link'));
  try {
    // As many as the threads that look at files: were they held, nothing else would be looked at.
    const asked = Promise.all([1, 2, 3, 4].map(n => listens(join(fifo, String(n)))));
    expect(await Promise.race([asked, sleep(5000, 'held')])).toEqual([false, false, false, false]);
    expect(await Promise.race([listens(join(work.path, 'link/s')), sleep(5000, 'held')])).toBe(false);
    expect((await stat(work.path)).isDirectory()).toBe(true);
  } finally {
    // Lets go of whoever waits for a writer.
    closeSync(openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK));
  }
});
