import { expect, test } from 'vitest';
import { whileLocked } from '../../../src/images/lock.js';
import { workspace } from '../../support/workspace.js';

test('one at a time; whoever waits is told, and gets its turn after a failure, too', async () => {
  using work = workspace();
  const events: string[] = [];
  const turn = (name: string, outcome: () => void) =>
    whileLocked(
      work.path,
      () => events.push(`${name} waits`),
      async () => {
        events.push(`${name} begins`);
        await new Promise(resolve => setTimeout(resolve, 50));
        events.push(`${name} ends`);
        outcome();
      },
    );
  const first = turn('a', () => {
    throw new Error('broken');
  });
  const failed = expect(first).rejects.toThrow('broken');
  await new Promise(resolve => setTimeout(resolve, 20));
  await turn('b', () => {});
  await failed;
  expect(events).toEqual(['a begins', 'b waits', 'a ends', 'b begins', 'b ends']);
});
