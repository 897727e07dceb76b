import type { Attack } from './attack.js';
import { bombs } from './bombs.js';
import { calls } from './calls.js';
import { end } from './end.js';
import { floods } from './floods.js';
import { neighbours } from './neighbours.js';
import { network } from './network.js';
import { privilege } from './privilege.js';
import { secrets } from './secrets.js';
import { writes } from './writes.js';

/** All attacks, by topic. */
export const attacks: Record<string, Attack[]> = {
  writes,
  network,
  secrets,
  calls,
  privilege,
  bombs,
  floods,
  end,
  neighbours,
};
