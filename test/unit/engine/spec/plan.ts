import { limitsOf } from '../../../../src/config/limits.js';
import { parseConfig } from '../../../../src/config/parse.js';
import type { Plan } from '../../../../src/policy/plan.js';

/** The limits of an empty configuration. */
export const DEFAULT_LIMITS = limitsOf(parseConfig({}));

/** A plan with one folder of each mode, for uid 1000, without network. */
export function planWith(part: Partial<Plan>): Plan {
  return {
    mounts: [
      { source: '/srv/in', target: '/srv/in', mode: 'ro', identity: { device: 1n, inode: 2n } },
      { source: '/srv/out', target: '/srv/out', mode: 'rw', identity: { device: 1n, inode: 3n } },
    ],
    network: 'deny',
    user: { uid: 1000, gid: 1000, groups: [] },
    limits: DEFAULT_LIMITS,
    root: {
      kind: 'host',
      name: 'host',
      mounts: [{ source: '/usr/bin', target: '/usr/bin', mode: 'ro' }],
      path: ['/usr/bin'],
      env: {},
    },
    ...part,
  };
}
