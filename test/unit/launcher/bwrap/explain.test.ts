import { describe, expect, test } from 'vitest';
import { explainBwrap, NOT_INSTALLED } from '../../../../src/launcher/bwrap/explain.js';
import type { HostFacts } from '../../../../src/launcher/host-facts.js';

const plain: HostFacts = {
  apparmorRestricts: false,
  cloneForbidden: false,
  noUserNamespaces: false,
  inContainer: false,
  filtered: false,
};

describe('explainBwrap', () => {
  test.each<[string, Partial<HostFacts>, RegExp]>([
    [
      'bwrap: setting up uid map: Permission denied',
      { apparmorRestricts: true },
      /apparmor_restrict_unprivileged_userns=1.*profile/,
    ],
    ['bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', { apparmorRestricts: true }, /AppArmor/],
    [
      'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)',
      {},
      /user\.max_user_namespaces/,
    ],
    ['bwrap: No permissions to create a new namespace', { noUserNamespaces: true }, /user\.max_user_namespaces/],
    ['bwrap: No permissions to create a new namespace', { cloneForbidden: true }, /unprivileged_userns_clone=0/],
    [
      'bwrap: Creating new namespace failed: Operation not permitted',
      { inContainer: true, filtered: true },
      /in a container.*socket of an engine/,
    ],
    ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", { inContainer: true }, /in a container/],
    [
      'bwrap: Creating new namespace failed: Operation not permitted',
      { filtered: true },
      /seccomp filter.*RestrictNamespaces/,
    ],
    ['bwrap: Creating new namespace failed: Operation not permitted', {}, /security module/],
    ['bwrap: execvp setpriv: No such file or directory', {}, /util-linux/],
  ])('%s', (complaint, facts, advice) => {
    expect(explainBwrap(complaint, { ...plain, ...facts })).toMatch(advice);
  });

  test('what is not of this kind is told as it is', () => {
    expect(explainBwrap('bwrap: Unknown option --x\nmore', { ...plain, apparmorRestricts: true })).toBe(
      'bubblewrap cannot make a sandbox (bwrap: Unknown option --x).',
    );
    expect(explainBwrap('', plain)).toContain('it ended without a word');
  });

  test('where it is not installed, how to install it', () => {
    expect(NOT_INSTALLED).toContain('apt install bubblewrap');
  });
});
