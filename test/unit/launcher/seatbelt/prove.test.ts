import { expect, test } from 'vitest';
import { judge, lacksOf, readAttempts, requestsTried } from '../../../../src/launcher/seatbelt/prove.js';

const right = new Map([
  ['read-granted', 'done'],
  ['write-granted', 'done'],
  ['environment', 'done'],
  ['owner', 'done'],
  ...[
    'write-read-only',
    'write-within',
    'move-around',
    'write-elsewhere',
    'write-tmp',
    'read-elsewhere',
    'connect',
    'socket',
    'signal',
    'processes',
    'set-id',
    'requests-5',
    'requests-9',
    'requests-13',
  ].map(name => [name, 'refused'] as [string, string]),
]);

test('what came out as it must is enforced', () => {
  for (const id of [1, 2, 4, 5, 8, 13]) expect(judge(id, 'title', right, false).status).toBe('enforced');
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
  for (const id of [3, 9, 10, 11]) expect(judge(id, 'means', right, false).status).toBe('degraded');
});

test('a guarantee that nothing was attempted for is a failure', () => {
  expect(judge(14, 'another', right, true)).toMatchObject({ status: 'failed', evidence: ['nothing was attempted'] });
});

test('what the script printed: attempts, and the variables held against those asked for', () => {
  const printed = 'connect refused\nvariable PATH\nvariable A\nvariable PWD\nvariable SHLVL\n';
  const tried = readAttempts(printed, ['PATH', 'A']);
  expect([...tried]).toEqual([
    ['connect', 'refused'],
    ['environment', 'done'],
  ]);
  expect(readAttempts(printed, ['PATH', 'B']).get('environment')).toBe('A is there, B is missing');
  expect(readAttempts('', ['PATH']).get('environment')).toBe('PATH is missing');
});

test('requests that the policy took, by guarantee', () => {
  const tried = requestsTried([{ guarantee: 13, what: 'a timeout of 0 ms' }]);
  expect(tried.get('requests-13')).toBe('accepted: a timeout of 0 ms');
  expect([tried.get('requests-5'), tried.get('requests-9')]).toEqual(['refused', 'refused']);
});

test('with a network, runs are not kept from each other', () => {
  expect(judge(2, 'network', right, false, lacksOf('deny')).status).toBe('enforced');
  expect(judge(2, 'network', right, false, lacksOf('allow'))).toMatchObject({
    status: 'degraded',
    evidence: [expect.stringContaining('runs reach each other'), 'connect: as it should be'],
  });
});
