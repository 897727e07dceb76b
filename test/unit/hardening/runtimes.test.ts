import { expect, test } from 'vitest';
import { hasOwnKernel } from '../../../src/hardening/runtimes.js';

test.each(['runsc', 'runsc-kvm', 'kata', 'kata-runtime', 'io.containerd.runsc.v1', 'io.containerd.kata.v2'])(
  '%s shows folders with inodes of its own',
  name => expect(hasOwnKernel(name)).toBe(true),
);

test.each(['runc', 'crun', 'youki', 'io.containerd.runc.v2', 'notrunsc', ''])('%j shows the host’s', name => {
  expect(hasOwnKernel(name)).toBe(false);
});
