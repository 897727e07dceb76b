import { describe, expect, test } from 'vitest';
import { hierarchyOf, isInstanceCgroup } from '../../../../src/launcher/limits/hierarchy.js';

const v1 = (name: string, root = '/') =>
  `33 31 0:30 ${root} /sys/fs/cgroup/${name} rw,relatime - cgroup cgroup rw,${name}`;
const unified = '41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw';

describe('hierarchyOf', () => {
  test('version 1: a folder for each controller', () => {
    const membership = '4:memory:/service/a\n8:pids:/\n1:cpu,cpuacct:/c\n0::/\n';
    const mounts = [v1('memory'), v1('pids'), v1('cpu,cpuacct'), unified].join('\n');
    expect(hierarchyOf(membership, mounts)).toEqual({
      version: 1,
      folders: {
        memory: '/sys/fs/cgroup/memory/service/a',
        pids: '/sys/fs/cgroup/pids',
        cpu: '/sys/fs/cgroup/cpu,cpuacct/c',
      },
    });
  });

  test('version 2: its own folder, and the top', () => {
    const mounts = '31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate';
    expect(hierarchyOf('0::/user.slice/user-1000.slice/a.service\n', mounts)).toEqual({
      version: 2,
      folders: ['/sys/fs/cgroup/user.slice/user-1000.slice/a.service', '/sys/fs/cgroup'],
    });
  });

  test('a mount that shows a part of the tree', () => {
    const mounts = [v1('memory', '/docker/x'), v1('pids', '/docker/x')].join('\n');
    expect(hierarchyOf('4:memory:/docker/x/sub\n8:pids:/docker/x\n', mounts)).toMatchObject({
      folders: { memory: '/sys/fs/cgroup/memory/sub', pids: '/sys/fs/cgroup/pids' },
    });
  });

  test('nothing of the kind', () => {
    expect(hierarchyOf('', '')).toBeUndefined();
    expect(hierarchyOf('4:memory:/\n', v1('memory'))).toBeUndefined();
  });
});

describe('isInstanceCgroup', () => {
  const mountinfo = [v1('memory'), unified, '50 41 0:99 / /sys/fs/cgroup/unified/over rw - tmpfs tmpfs rw'].join('\n');

  test.each(['/sys/fs/cgroup/memory/code-sandbox-oci-1', '/sys/fs/cgroup/unified/a/code-sandbox-bwrap-1'])(
    '%s is',
    path => expect(isInstanceCgroup(path, mountinfo)).toBe(true),
  );

  test.each([
    '/sys/fs/cgroup/memory',
    '/sys/fs/cgroup/memory/service',
    '/sys/fs/cgroup/code-sandbox-oci-1',
    '/sys/fs/cgroup/memory/../code-sandbox-oci-1',
    '/sys/fs/cgroup/memory/code-sandbox-x/..',
    '/sys/fs/cgroup/unified/over/code-sandbox-x',
    '/tmp/code-sandbox-x',
    'memory/code-sandbox-x',
    '',
  ])('%j is not', path => expect(isInstanceCgroup(path, mountinfo)).toBe(false));

  test('a cgroup that is mounted elsewhere under such a name is nobody’s', () => {
    expect(isInstanceCgroup('/mnt/code-sandbox-x', '1 0 0:9 / /mnt/code-sandbox-x rw - cgroup2 c rw')).toBe(false);
  });
});
