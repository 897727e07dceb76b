import { expect, test } from 'vitest';
import { whileLocked } from '../../../src/images/lock.js';
import { workspace } from '../../support/workspace.js';

test('one at a time; whoever waits is told, and gets its turn after a failure, too', async () => {
  using work = workspace();
  const events: string[] = [];
  const until = (event: string) => expect.poll(() => events).toContain(event);
  const turn = (name: string, outcome: () => void) =>
    whileLocked(
      work.path,
      () => events.push(`${name} waits`),
      async () => {
        events.push(`${name} begins`);
        if (name === 'a') await until('b waits');
        events.push(`${name} ends`);
        outcome();
      },
    );
  const first = turn('a', () => {
    throw new Error('broken');
  });
  const failed = expect(first).rejects.toThrow('broken');
  await until('a begins');
  await turn('b', () => {});
  await failed;
  expect(events).toEqual(['a begins', 'b waits', 'a ends', 'b begins', 'b ends']);
});
