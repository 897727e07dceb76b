import { expect, test } from 'vitest';
import { explainFailure } from '../../../src/probe/failure.js';
import { judge } from '../../../src/probe/judge.js';
import { scene } from '../probe/scene.js';

/** Cases from the field in which the host has to be changed, and the message says how; docs/field-cases.md lists them all. */
test('case 19: where no thread can be started, the probe says what to upgrade', () => {
  const failed = judge(scene({ facts: ['thread start 1'] }), false).find(({ status }) => status === 'failed');
  expect(failed?.advice).toMatch(/upgrade libseccomp/);
});

test.each(['mkdir /w/x: permission denied', 'EACCES: open /w/x'])(
  'case 26: "%s" names SELinux and its setting',
  text => {
    expect(explainFailure(text)).toMatch(/ \(with SELinux, set safety\.selinux; .*\)$/);
  },
);
