import type { Attack } from './attack.js';
import { bombs } from './bombs.js';
import { calls } from './calls.js';
import { end } from './end.js';
import { floods } from './floods.js';
import { memory } from './memory.js';
import { mounts } from './mounts.js';
import { neighbours } from './neighbours.js';
import { network } from './network.js';
import { nodePrograms } from './node.js';
import { owner } from './owner.js';
import { privilege } from './privilege.js';
import { secrets } from './secrets.js';
import { writes } from './writes.js';

/** All attacks, by topic. */
export const attacks: Record<string, Attack[]> = {
  writes: [...writes, ...mounts],
  network,
  secrets,
  calls,
  privilege,
  bombs: [...memory, ...bombs],
  floods,
  end,
  owner,
  neighbours,
  'Node programs': nodePrograms,
};
