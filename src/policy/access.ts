import type { FileFacts } from './host.js';
import type { User } from './plan.js';

/**
 * Whether a user without capabilities can use a folder: enter and list it, and for `rw` also make files in it. Goes by
 * the permission bits, as the kernel does: the owner's bits alone count for the owner, even where the others' allow more.
 */
export function canUse(user: User, facts: Pick<FileFacts, 'uid' | 'gid' | 'mode'>, mode: 'ro' | 'rw'): boolean {
  const shift = user.uid === facts.uid ? 6 : [user.gid, ...user.groups].includes(facts.gid) ? 3 : 0;
  const needed = mode === 'rw' ? 0o7 : 0o5;
  return ((facts.mode >> shift) & needed) === needed;
}
