import { expect, test } from 'vitest';
import { supervisorBelow } from '../../../src/launcher/supervisor-process.js';

const tree = (children: Record<number, number[]>, names: Record<number, string>) => ({
  childrenOf: (pid: number) => children[pid] ?? [],
  nameOf: (pid: number) => names[pid] ?? '',
});

test('finds the supervisor below a launcher, however deep within reason', () => {
  expect(supervisorBelow(1, tree({ 1: [2] }, { 2: 'supervisor' }))).toBe(2);
  expect(supervisorBelow(1, tree({ 1: [2, 3], 3: [4] }, { 2: 'conmon', 4: 'supervisor' }))).toBe(4);
  expect(supervisorBelow(1, tree({ 1: [2] }, { 2: 'bwrap' }))).toBeUndefined();
  expect(supervisorBelow(1, tree({}, {}))).toBeUndefined();
  expect(supervisorBelow(1, tree({ 1: [1] }, {}))).toBeUndefined();
});
