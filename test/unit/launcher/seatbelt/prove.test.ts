import { expect, test } from 'vitest';
import { judge } from '../../../../src/launcher/seatbelt/prove.js';

const right = new Map([
  ['read-granted', 'done'],
  ['write-granted', 'done'],
  ...[
    'write-read-only',
    'write-elsewhere',
    'write-tmp',
    'read-elsewhere',
    'connect',
    'socket',
    'signal',
    'processes',
  ].map(name => [name, 'refused'] as [string, string]),
]);

test('what came out as it must is enforced', () => {
  for (const id of [1, 2, 3, 4, 5, 8, 13]) expect(judge(id, 'title', right, false).status).toBe('enforced');
});

test('what was not refused, not granted or not tried is a failure', () => {
  expect(judge(4, 'reads', new Map([...right, ['read-elsewhere', 'done']]), true)).toMatchObject({
    status: 'failed',
    evidence: ['read-elsewhere: done', 'read-granted: as it should be'],
  });
  expect(judge(1, 'writes', new Map([...right, ['write-granted', 'refused']]), true).status).toBe('failed');
  expect(judge(2, 'network', new Map(), true)).toMatchObject({ status: 'failed', evidence: ['connect: not tried'] });
});

test('what it has no means for is told, and soft only where the operator says so', () => {
  for (const id of [6, 7, 12]) {
    expect(judge(id, 'limit', right, false).status).toBe('failed');
    expect(judge(id, 'limit', right, true)).toMatchObject({
      status: 'degraded',
      advice: expect.stringContaining('allowDegraded'),
    });
  }
  for (const id of [9, 10, 11]) expect(judge(id, 'means', right, false).status).toBe('degraded');
});
