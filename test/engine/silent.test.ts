import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { shell } from '../support/request.js';

test('a socket that accepts and never answers: 32 runs at once are rejected in bounded time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'silent-'));
  const socket = join(folder, 'engine.sock');
  const sockets = new Set<Socket>();
  const server = createServer(connection => sockets.add(connection.resume().on('error', () => {})));
  await new Promise<void>(resolve => server.listen(socket, resolve));
  const started = performance.now();
  const sandbox = await createCodeSandbox({ order: 'engine', engine: { socket } });
  expect(sandbox.available).toBe(false);
  expect(sandbox.backend).toContain('does not answer');
  const runs = Array.from({ length: 32 }, () => shell(sandbox, 'true').catch((error: Error) => error));
  for (const outcome of await Promise.all(runs)) expect(outcome).toMatchObject({ name: 'BackendUnavailable' });
  expect(performance.now() - started).toBeLessThan(15_000);
  await sandbox.close();
  for (const connection of sockets) connection.destroy();
  server.close();
  rmSync(folder, { recursive: true });
});
