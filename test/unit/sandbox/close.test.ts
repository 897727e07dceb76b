import { expect, test } from 'vitest';
import { RunQueue } from '../../../src/sandbox/queue.js';
import { sandboxOver } from './scene.js';

const unasked = () => Promise.reject(new Error('not asked'));
const request = { cmd: 'true', args: [], policy: { fsRead: [], fsWrite: [], network: 'deny' as const } };

test('a sandbox waits for its own runs when it is closed, not for those of others in the same queue', async () => {
  const queue = new RunQueue(1, 10);
  const others = Promise.withResolvers<void>();
  const running = queue.add(() => others.promise);
  const sandbox = sandboxOver({}, unasked, { queue });
  const waiting = expect(sandbox.run(request)).rejects.toThrow('The run was aborted before its program started.');
  await sandbox.close();
  await waiting;
  others.resolve();
  await running;
});
