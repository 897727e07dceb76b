import { expect, test } from 'vitest';
import { ulimitsOf } from '../../../src/hardening/ulimits.js';

const limits = (processes: string, files: string) =>
  [
    'Limit                     Soft Limit           Hard Limit           Units',
    `Max processes             ${processes.padEnd(20)} ${processes.padEnd(20)} processes`,
    `Max open files            1024                 ${files.padEnd(20)} files`,
  ].join('\n');

test('files, processes and core dumps, each of a fixed size', () => {
  expect(ulimitsOf(limits('unlimited', '1048576'))).toEqual([
    { type: 'nofile', soft: 1024, hard: 4096 },
    { type: 'nproc', soft: 32_768, hard: 32_768 },
    { type: 'core', soft: 1, hard: 1 },
  ]);
});

test('never beyond this process’s own hard limits, where a create would fail', () => {
  expect(ulimitsOf(limits('500', '512')).slice(0, 2)).toEqual([
    { type: 'nofile', soft: 512, hard: 512 },
    { type: 'nproc', soft: 500, hard: 500 },
  ]);
});
