import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { targets } from '../support/targets.js';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const [target] = targets.filter(({ socket }) => socket);

test.runIf(target)('doctor --all shows every kind of backend, with its guarantees and what a run takes', async () => {
  const args = ['doctor', '--all', '--json', ...target!.cli];
  const { stdout, exitCode } = await execa(process.execPath, [main, ...args], { stdin: 'ignore' });
  expect(exitCode).toBe(0);
  const found = JSON.parse(stdout);
  expect(found).toMatchObject([target!.kind, 'oci', 'bwrap'].map(backend => ({ backend, available: true })));
  for (const { guarantees, runMs } of found) {
    expect(guarantees).toHaveLength(13);
    expect(runMs).toBeGreaterThan(0);
  }
});
