import { expect, test } from 'vitest';
import { once } from '../../../src/sandbox/once.js';

test('a line comes once, and ever new ones come to an end', () => {
  const lines: string[] = [];
  const say = once(line => lines.push(line));
  for (let n = 0; n < 5000; n++) {
    say('the same');
    say(`line ${n}`);
  }
  expect(lines.slice(0, 3)).toEqual(['the same', 'line 0', 'line 1']);
  expect(lines).toHaveLength(1000);
});
