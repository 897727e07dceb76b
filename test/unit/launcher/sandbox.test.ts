import { describe, expect, test } from 'vitest';
import { createLocalProcess } from '../../../src/launcher/process.js';
import { LaunchedSandbox } from '../../../src/launcher/sandbox.js';

const base = {
  id: 'id',
  image: 'host',
  process: createLocalProcess(),
  explain: (complaint: string) => new Error(`explained: ${complaint}`),
};

describe('LaunchedSandbox', () => {
  test('a launcher that ends before the supervisor is there: its complaint, explained, and all of it removed', async () => {
    let removed = 0;
    const remove = async () => {
      removed++;
    };
    const start = LaunchedSandbox.start({ ...base, command: ['sh', '-c', 'echo why >&2; exit 1'], remove });
    await expect(start).rejects.toThrow('explained: why');
    expect(removed).toBe(1);
  });

  test('a launcher that is not there', async () => {
    await expect(LaunchedSandbox.start({ ...base, command: ['/nonexistent/launcher'] })).rejects.toThrow(
      /explained: .*ENOENT/,
    );
  });

  test('an aborted start ends the launcher', async () => {
    const abort = new AbortController();
    const start = LaunchedSandbox.start({ ...base, command: ['sleep', '60'] }, abort.signal);
    abort.abort(new Error('enough'));
    const began = performance.now();
    await expect(start).rejects.toThrow('enough');
    expect(performance.now() - began).toBeLessThan(5000);
  });
});
