import { expect, test } from 'vitest';
import { renderDiagnosis } from '../../../src/cli/render.js';
import { describeWarm, diagnose } from '../../../src/sandbox/doctor.js';
import { backendThat } from './scene.js';

test('sandboxes that were started ahead, in one sentence', () => {
  expect(describeWarm({ hits: 39, misses: 1, waiting: 2, each: { memoryBytes: 3 << 20, cpuMsPerSecond: 0.04 } })).toBe(
    '39 of 40 runs met a sandbox that was started ahead; 2 wait, each for 3.0 MiB and 0.0 ms of CPU time a second.',
  );
  expect(describeWarm({ hits: 0, misses: 1, waiting: 1 })).toBe(
    '0 of 1 runs met a sandbox that was started ahead; 1 waits.',
  );
});

test('what takes the place of the kind that comes first is shown, with why', () => {
  const instead = 'nothing of the kind engine is usable (none was found), so code runs in crun 1.8';
  const diagnosis = diagnose({ backend: backendThat({ label: 'crun 1.8' }), kind: 'oci', instead, candidates: [] });
  expect(diagnosis.instead).toBe(instead);
  expect(renderDiagnosis(diagnosis)).toContain(`Runs go to: crun 1.8\n  ${instead}\n`);
  expect(diagnose({ candidates: [] })).not.toHaveProperty('instead');
});
