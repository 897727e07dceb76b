import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { currentOwner } from '../../../src/reaper/owner.js';
import { makeOwned } from '../../../src/reaper/owner-file.js';
import { createCodeSandbox } from '../../../src/sandbox/create.js';

test('what dead owners left on this host goes, also where no backend is', async () => {
  await using sandbox = await createCodeSandbox({ order: 'engine', engine: { socket: '/nowhere/engine.sock' } });
  const left = await makeOwned(tmpdir(), 'code-sandbox-run-', { ...currentOwner(), start: '1' });
  await expect(sandbox.prune()).rejects.toThrow(/No sandbox backend is available/);
  expect(existsSync(left)).toBe(false);
});
