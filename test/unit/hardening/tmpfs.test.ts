import { expect, test } from 'vitest';
import { PRIVATE_HOME, privateTmpfs } from '../../../src/hardening/tmpfs.js';
import type { Limits } from '../../../src/policy/plan.js';

test('two private folders, each with its size, and HOME is in one of them', () => {
  const found = privateTmpfs({ tmpBytes: 7, shmBytes: 8 } as Limits);
  expect(found).toEqual([
    { target: '/tmp', bytes: 7, mode: 0o1777 },
    { target: '/dev/shm', bytes: 8, mode: 0o1777 },
  ]);
  expect(found.map(each => each.target)).toContain(PRIVATE_HOME);
});
