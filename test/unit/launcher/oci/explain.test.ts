import { expect, test } from 'vitest';
import type { HostFacts } from '../../../../src/launcher/host-facts.js';
import { explainRuntime } from '../../../../src/launcher/oci/explain.js';

const open: HostFacts = {
  apparmorRestricts: false,
  cloneForbidden: false,
  noUserNamespaces: false,
  inContainer: false,
  filtered: false,
};

test.each([
  ['clone: No space left on device', open, /max_user_namespaces/],
  ['unshare: Operation not permitted', { ...open, noUserNamespaces: true }, /max_user_namespaces/],
  ['write to /proc/self/uid_map: Operation not permitted', { ...open, apparmorRestricts: true }, /AppArmor/],
  ['unshare (CLONE_NEWUSER): Operation not permitted', { ...open, cloneForbidden: true }, /unprivileged_userns_clone/],
  ['mount `proc` to `/proc`: Operation not permitted', { ...open, inContainer: true }, /in a container/],
  ['open /run/x/config.json: No space left on device', open, /is full/],
  ['cgroups in hybrid mode not supported, drop all controllers from cgroup v2', open, /mount -t cgroup -o hugetlb/],
  ['time="2026" level=error msg="runc run failed: \\"x\\" is wrong"', open, /\(runc run failed: "x" is wrong\)\.$/],
  ['', open, /ended without a word/],
])('%s', (complaint, facts, message) => {
  expect(explainRuntime('crun', complaint, facts)).toMatch(message);
});
