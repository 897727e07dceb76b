import { expect, test } from 'vitest';
import { rlimitsOf } from '../../../src/hardening/rlimits.js';
import type { Limits } from '../../../src/policy/plan.js';

test('a bound per file, no core dumps, and a number of files that small hosts allow', () => {
  expect(rlimitsOf({ fileBytes: 2 ** 40 } as Limits)).toEqual([
    { resource: 1, soft: 2n ** 40n, hard: 2n ** 40n },
    { resource: 4, soft: 1n, hard: 1n },
    { resource: 7, soft: 1024n, hard: 4096n },
  ]);
});
