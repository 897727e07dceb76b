import { describe, expect, it } from 'vitest';
import { bwrapMounts, expectedAt, expectMounts, ociMounts } from '../../../src/probe/expect.js';
import { parseMount, visibleMounts } from '../../../src/probe/mountinfo.js';
import { plan } from './scene.js';

describe('expectMounts', () => {
  it('has the root, the supervisor, the private tmpfs with their sizes, and the plan’s mounts', () => {
    const mounts = expectMounts(plan, bwrapMounts);
    expect(mounts).toContainEqual({ target: '/', mode: 'ro' });
    expect(mounts).toContainEqual({ target: '/.sandbox', mode: 'ro' });
    expect(mounts).toContainEqual({ target: '/tmp', mode: 'rw', types: ['tmpfs'], maxBytes: plan.limits.tmpBytes });
    expect(mounts).toContainEqual({ target: '/srv/rw', mode: 'rw' });
  });

  it('lets a plan’s mount replace what an engine would add', () => {
    const hosts = { source: '/etc/hosts', target: '/etc/hosts', mode: 'rw' as const };
    const mounts = expectMounts({ ...plan, mounts: [hosts] }, ociMounts);
    expect(mounts.filter(({ target }) => target === '/etc/hosts')).toEqual([{ target: '/etc/hosts', mode: 'rw' }]);
  });

  it('finds the mount that a path lies on', () => {
    const mounts = expectMounts(plan, ociMounts);
    expect(expectedAt(mounts, '/srv/rw/deep/er')?.target).toBe('/srv/rw');
    expect(expectedAt(mounts, '/srv/rwx')?.target).toBe('/');
    expect(expectedAt(mounts, '/dev/shm')?.mode).toBe('rw');
  });
});

describe('mountinfo', () => {
  it('reads flags, optional fields and escaped names', () => {
    const line = '36 35 98:0 /a /mnt/b\\040c rw,nosuid master:1 shared:2 - ext4 /dev/sda1 ro,errors=continue';
    expect(parseMount(line)).toEqual({
      target: '/mnt/b c',
      readOnly: true,
      type: 'ext4',
      root: '/a',
      source: '/dev/sda1',
    });
  });

  it('counts the last of several mounts at one point', () => {
    const lines = ['1 0 0:1 / /dev rw - tmpfs tmpfs rw', '2 1 0:2 / /dev ro - tmpfs tmpfs rw'];
    expect(visibleMounts(lines).map(({ readOnly }) => readOnly)).toEqual([true]);
  });
});
