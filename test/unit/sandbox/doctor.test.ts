import { expect, test } from 'vitest';
import { describeWarm } from '../../../src/sandbox/doctor.js';

test('sandboxes that were started ahead, in one sentence', () => {
  expect(describeWarm({ hits: 39, misses: 1, waiting: 2, each: { memoryBytes: 3 << 20, cpuMsPerSecond: 0.04 } })).toBe(
    '39 of 40 runs met a sandbox that was started ahead; 2 wait, each for 3.0 MiB and 0.0 ms of CPU time a second.',
  );
  expect(describeWarm({ hits: 0, misses: 1, waiting: 1 })).toBe(
    '0 of 1 runs met a sandbox that was started ahead; 1 waits.',
  );
});
