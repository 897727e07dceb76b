import { expect, test } from 'vitest';
import { amountOf } from '../../../src/policy/amount.js';

test.each([
  [5000, '5000 bytes'],
  [1024, '1 KiB'],
  [1536, '1536 bytes'],
  [10 << 20, '10 MiB'],
])('%i is %s', (bytes, text) => expect(amountOf(bytes)).toBe(text));
