import { expect, it } from 'vitest';
import { limitsOf } from '../../../src/config/limits.js';
import { parseConfig } from '../../../src/config/parse.js';
import type { ConfigInput } from '../../../src/config/schema.js';
import { BOUNDS } from '../../../src/policy/bounds.js';
import { forProbe } from '../../../src/sandbox/proof.js';

const policy = (limits: ConfigInput['limits']) => {
  const all = limitsOf(parseConfig({ limits }));
  return forProbe({ limits: all, maxTimeoutMs: 1, sockets: 'refuse', rootFolders: 'allow' }, { pids: 7 });
};

it.each([
  [0, 0],
  [0.01, 1],
  [1, 1],
])('a configured share of %d processors is %d for the probe', (cpus, wanted) => {
  expect(policy({ cpus }).limits.cpus).toBe(wanted);
});

it('the probe has its own limits, and time, whatever requests may ask for', () => {
  expect(policy({ pids: 4, timeoutMs: 1 })).toMatchObject({ limits: { pids: 7 }, maxTimeoutMs: BOUNDS.timeoutMs });
});
