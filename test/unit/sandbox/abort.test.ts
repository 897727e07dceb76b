import { expect, test, vi } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/backend.js';
import type { Selection } from '../../../src/sandbox/select.js';
import { backendThat, sandboxOver } from './scene.js';

const unasked = () => Promise.reject(new Error('not asked'));
const request = (network: 'deny' | 'allow' = 'deny') => ({
  cmd: 'true',
  args: [],
  policy: { fsRead: [], fsWrite: [], network },
});
const left = { name: 'RunFailed', message: 'The run was aborted before its program started.' };

test('a run that waits for the search for a backend leaves when it is aborted, and what is found then is closed with the rest', async () => {
  const search = Promise.withResolvers<Selection>();
  const close = vi.fn(async () => {});
  const sandbox = sandboxOver({}, unasked, { search: () => search.promise });
  const leave = new AbortController();
  const running = expect(sandbox.run(request(), { signal: leave.signal })).rejects.toMatchObject(left);
  setImmediate(() => leave.abort());
  await running;
  search.resolve({ backend: backendThat({ close }), candidates: [] });
  await sandbox.close();
  expect(close).toHaveBeenCalledOnce();
});

test('a run that waits for the proof of its network leaves when it is aborted; closing gives the proof up', async () => {
  let given: AbortSignal | undefined;
  const sandbox = sandboxOver({ alive: unasked }, ({ name }, _network, signal) => {
    given = signal;
    const report = { backend: name, guarantees: [], interpreters: [], ok: false, degraded: false, durationMs: 0 };
    return new Promise(resolve => signal?.addEventListener('abort', () => resolve(report)));
  });
  const leave = new AbortController();
  const running = expect(sandbox.run(request('allow'), { signal: leave.signal })).rejects.toMatchObject(left);
  const closed = expect(sandbox.run(request('allow'))).rejects.toMatchObject(left);
  await vi.waitFor(() => expect(given).toBeDefined());
  leave.abort();
  await running;
  expect(given!.aborted).toBe(false);
  await sandbox.close();
  await closed;
});

test('a run whose sandbox is slow to open leaves when it is aborted; closing waits until that is removed', async () => {
  const opening = Promise.withResolvers<Sandbox>();
  const seen: string[] = [];
  const open = () => {
    setImmediate(() => leave.abort());
    return opening.promise;
  };
  const leave = new AbortController();
  const sandbox = sandboxOver(
    { open, alive: unasked, close: async () => void seen.push('the engine is let go of') },
    unasked,
  );
  await expect(sandbox.run(request(), { signal: leave.signal })).rejects.toMatchObject(left);
  const closed = sandbox.close();
  opening.resolve({ close: async () => void seen.push('it is removed') } as Sandbox);
  await closed;
  expect(seen).toEqual(['it is removed', 'the engine is let go of']);
});
