import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isDoomed } from '../../../src/supervisor/doomed.js';

test('a process that was killed is known as such at once, one that lives is not', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  expect(isDoomed(child.pid!)).toBe(false);
  child.kill('SIGKILL');
  // Before this process has heard of it.
  expect(isDoomed(child.pid!)).toBe(true);
  await once(child, 'exit');
  expect(isDoomed(child.pid!)).toBe(true);
});
