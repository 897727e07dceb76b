import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { kinds, podmanSettings, removeFolder } from '../support/own-engine.js';
import { processesNaming } from '../support/processes.js';

const OWNER = fileURLToPath(new URL('service-owner.mjs', import.meta.url));

test.runIf(kinds.some(({ kind }) => kind === 'podman'))(
  'a Podman service whose owner was killed ends by itself, and the next one removes its folder',
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'own-service-'));
    const env = { ...process.env, ...podmanSettings(folder, join(folder, 'storage')) };
    const start = async () => {
      const owner = spawn(process.execPath, [OWNER], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      for await (const socket of createInterface({ input: owner.stdout! })) return { owner, socket };
      throw new Error('the owner ended before it said where its service is');
    };
    const kill = async ({ owner }: Awaited<ReturnType<typeof start>>) => {
      const ended = once(owner, 'exit');
      owner.kill('SIGKILL');
      await ended;
    };

    const first = await start();
    expect(statSync(dirname(first.socket)).mode & 0o777).toBe(0o700);
    await kill(first);
    expect(existsSync(dirname(first.socket))).toBe(true);
    const second = await start();
    expect(existsSync(dirname(first.socket))).toBe(false);
    expect(existsSync(dirname(second.socket))).toBe(true);
    await kill(second);
    for (const { socket } of [first, second]) {
      await expect.poll(() => processesNaming(`unix://${socket}`), { timeout: 60_000, interval: 500 }).toEqual([]);
    }
    await removeFolder(dirname(second.socket));
    await removeFolder(folder);
  },
);
