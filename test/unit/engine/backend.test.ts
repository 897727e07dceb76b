import type { ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import { EngineBackend } from '../../../src/engine/backend.js';
import { EngineClient } from '../../../src/engine/client.js';
import { currentOwner } from '../../../src/reaper/owner.js';
import { fakeEngine, json } from './fake-engine.js';
import { planWith } from './spec/plan.js';

const IMAGE = { Id: 'sha256:1', Architecture: 'amd64', Config: null };
const plan = planWith({ mounts: [], root: { kind: 'image', name: 'python', mounts: [], path: [], env: {} } });

/** A backend over an engine that has the image, and does not answer the call `held` until it is told to. */
async function scene(held: 'create' | 'attach' | 'start') {
  const calls: string[] = [];
  let hold: ServerResponse | undefined;
  const note = (call: string, response?: ServerResponse) => {
    calls.push(call);
    if (call === held) hold = response;
    return call === held;
  };
  const fake = await fakeEngine(
    'docker',
    (request, response) => {
      const path = request.url!;
      if (path.startsWith('/images/')) return json(response, IMAGE);
      if (path.startsWith('/containers/create')) return note('create', response) || json(response, { Id: 'c1' }, 201);
      if (path.endsWith('/start')) return note('start', response) || json(response, {}, 204);
      if (request.method !== 'DELETE') return json(response, []);
      calls.push(/\/code-sandbox-feed-/.test(path) ? 'remove by name' : 'remove');
      return json(response, {}, 204);
    },
    (_, socket) => {
      socket.on('error', () => {});
      if (!note('attach')) socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
    },
  );
  const client = await EngineClient.connect(fake);
  const of = { instance: 'feed', owner: currentOwner(), etcDir: '/etc', idleSeconds: 10 };
  const backend = await EngineBackend.over(client, of);
  const dispose = async () => {
    await backend.close();
    await fake[Symbol.asyncDispose]();
  };
  const reached = () => vi.waitFor(() => expect(calls).toContain(held));
  const answer = () => json(hold!, { Id: 'c1' }, 201);
  return { backend, calls, reached, answer, [Symbol.asyncDispose]: dispose };
}

test.each([
  ['attach', ['create', 'attach', 'remove by name']],
  ['start', ['create', 'attach', 'start', 'remove by name']],
] as const)(
  'a run that is aborted breaks the call off that it is at (%s), and its container is removed',
  async (held, all) => {
    await using engine = await scene(held);
    const leave = new AbortController();
    const opening = expect(engine.backend.open(plan, leave.signal)).rejects.toThrow('enough');
    await engine.reached();
    leave.abort(new Error('enough'));
    await opening;
    expect(engine.calls).toEqual(all);
  },
);

test('a container that is being made when its run is aborted is removed once it is made', async () => {
  await using engine = await scene('create');
  const leave = new AbortController();
  const opening = expect(engine.backend.open(plan, leave.signal)).rejects.toThrow('enough');
  await engine.reached();
  leave.abort(new Error('enough'));
  expect(engine.calls).toEqual(['create']);
  engine.answer();
  await opening;
  expect(engine.calls).toEqual(['create', 'remove by name']);
});

test('what is being opened when the backend is closed is waited for, and removed', async () => {
  await using engine = await scene('create');
  const opening = engine.backend.open(plan);
  await engine.reached();
  const closed = engine.backend.close();
  engine.answer();
  await closed;
  expect((await opening).id).toBe('c1');
  expect(engine.calls).toEqual(['create', 'attach', 'start', 'remove']);
});
