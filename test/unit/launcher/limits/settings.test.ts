import { expect, test } from 'vitest';
import { scopeProperties, settingsV1, settingsV2 } from '../../../../src/launcher/limits/settings.js';
import type { Limits } from '../../../../src/policy/plan.js';

const limits = { memoryBytes: 1000, pids: 9, cpus: 1.5 } as Limits;
const unlimited = { ...limits, cpus: 0 };
const text = (list: Array<{ file: string; value: string }>) => list.map(({ file, value }) => `${file}=${value}`);

test('version 1: memory with swap, processes, processor', () => {
  expect(text(settingsV1('memory', limits))).toEqual([
    'memory.limit_in_bytes=1000',
    'memory.memsw.limit_in_bytes=1000',
  ]);
  expect(text(settingsV1('pids', limits))).toEqual(['pids.max=9']);
  expect(text(settingsV1('cpu', limits))).toEqual(['cpu.cfs_quota_us=150000']);
  expect(settingsV1('cpu', unlimited)).toEqual([]);
});

test('version 2: no swap at all', () => {
  const known = ['memory.max=1000', 'memory.swap.max=0', 'pids.max=9'];
  expect(text(settingsV2(unlimited))).toEqual(known);
  expect(text(settingsV2(limits))).toEqual([...known, 'cpu.max=150000 100000']);
});

test('a scope holds the launcher as well', () => {
  const known = ['MemoryMax=1000', 'MemorySwapMax=0', 'TasksMax=10'];
  expect(scopeProperties(unlimited, 1)).toEqual(known);
  expect(scopeProperties(limits, 1)).toEqual([...known, 'CPUQuota=150%']);
});
