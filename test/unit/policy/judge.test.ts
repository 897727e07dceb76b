import { describe, expect, test } from 'vitest';
import { objection, socketObjection, type World } from '../../../src/policy/judge.js';
import { parseMountinfo } from '../../../src/policy/mountinfo.js';

const SYSTEM = [
  '1 0 8:1 / / rw - ext4 /dev/sda rw',
  '2 1 0:21 / /proc rw - proc proc rw',
  '3 1 0:22 / /sys rw - sysfs sysfs rw',
  '4 1 0:6 / /dev rw - devtmpfs devtmpfs rw',
  '5 1 0:30 / /run rw - tmpfs tmpfs rw',
  '6 5 0:31 / /run/user/1000 rw - tmpfs tmpfs rw',
  '7 4 0:32 / /dev/shm rw - tmpfs tmpfs rw',
];

function world(part: Partial<World> = {}, mounts: string[] = []): World {
  const folder = (path: string, closed = false) => ({ path, what: `the system folder ${path}`, closed });
  return {
    mounts: parseMountinfo([...SYSTEM, ...mounts].join('\n')),
    hazards: [
      ...['/', '/usr', '/etc', '/tmp'].map(path => folder(path)),
      ...['/proc', '/sys', '/dev', '/run'].map(path => folder(path, true)),
      { path: '/var/lib/docker', what: 'the storage of a container engine /var/lib/docker', closed: true },
      { path: '/home/u/.docker/run/docker.sock', what: 'the control socket x', closed: false },
    ],
    readOnlySubmounts: false,
    ...part,
  };
}

describe('system folders, storage and control sockets', () => {
  test.each([
    ['/', 'is or covers the system folder /;'],
    ['/usr', 'is or covers the system folder /usr;'],
    ['/tmp', 'is or covers the system folder /tmp;'],
    ['/var', 'is or covers the storage of a container engine /var/lib/docker;'],
    ['/var/lib/docker', 'is or covers the storage'],
    ['/var/lib/docker/volumes/v/_data', 'lies in the storage of a container engine /var/lib/docker;'],
    ['/run', 'is or covers the system folder /run;'],
    ['/run/user/1000/x', 'lies in the system folder /run;'],
    ['/proc/1/root', 'lies in the system folder /proc;'],
    ['/sys/fs/cgroup', 'lies in the system folder /sys;'],
    ['/dev/shm/x', 'lies in the system folder /dev;'],
    ['/home/u', 'is or covers the control socket x;'],
    ['/home/u/.docker', 'is or covers the control socket x;'],
  ])('%s is refused in both modes', (path, why) => {
    expect(objection(path, 'ro', world())).toContain(why);
    expect(objection(path, 'rw', world())).toContain(why);
  });

  test.each(['/home/u/ws', '/tmp/ws', '/usr/local/app', '/etcetera', '/var/lib/dockerfiles', '/runner', '/processes'])(
    '%s is fine',
    path => {
      expect(objection(path, 'rw', world())).toBeUndefined();
    },
  );
});

test('a place of launchers’ files may be read, and folders in it may be written', () => {
  const hazards = [{ path: '/srv/tmp', what: 'the place', closed: false, readable: true }];
  for (const path of ['/srv', '/srv/tmp']) {
    expect(objection(path, 'rw', world({ hazards }))).toContain('is or covers the place');
    expect(objection(path, 'ro', world({ hazards }))).toBeUndefined();
  }
  expect(objection('/srv/tmp/run', 'rw', world({ hazards }))).toBeUndefined();
});

describe('what a bind mount hides in a folder is seen for what it is', () => {
  test.each([
    [
      'the root',
      '9 1 8:1 / /ws/all rw - ext4 /dev/sda rw',
      'is or covers the system folder /, through what is mounted on "/ws/all"',
    ],
    ['/etc', '9 1 8:1 /etc /ws/conf rw - ext4 /dev/sda rw', 'is or covers the system folder /etc, through'],
    ['/proc', '9 1 0:21 / /ws/p ro - proc proc rw', 'is or covers the system folder /proc, through'],
    ['a folder of /run', '9 1 0:30 /podman /ws/r rw - tmpfs tmpfs rw', 'lies in the system folder /run, through'],
    ["a user's runtime folder", '9 1 0:31 / /ws/u rw - tmpfs tmpfs rw', 'lies in the system folder /run, through'],
    ['storage', '9 1 8:1 /var/lib/docker/x /ws/d rw - ext4 /dev/sda rw', 'lies in the storage'],
    ['another proc', '9 1 0:99 / /ws/p ro - proc proc rw', 'a kernel file system (proc on "/ws/p")'],
    ['cgroup', '9 1 0:99 / /ws/c rw - cgroup2 cgroup rw', 'a kernel file system (cgroup2 on "/ws/c")'],
    ['debugfs', '9 1 0:99 / /ws/a\\040b rw - debugfs none rw', 'a kernel file system (debugfs on "/ws/a b")'],
  ])('%s', (_, mount, why) => {
    expect(objection('/ws', 'rw', world({}, [mount]))).toContain(why);
    expect(objection('/ws', 'ro', world({ readOnlySubmounts: true }, [mount]))).toContain(why);
  });

  test('and so is a folder that is one itself', () => {
    const mounts = ['9 1 8:1 /etc /mnt/e rw - ext4 /dev/sda rw', '10 1 0:99 / /mnt/p rw - proc proc rw'];
    expect(objection('/mnt/e', 'ro', world({}, mounts))).toContain('is or covers the system folder /etc');
    expect(objection('/mnt/p/1', 'ro', world({}, mounts))).toContain('a kernel file system (proc on "/mnt/p")');
  });
});

describe('ordinary mounts inside a folder', () => {
  const mounts = ['9 1 8:2 / /ws/big rw - xfs /dev/sdb rw'];

  test('go along with a writable one', () => {
    expect(objection('/ws', 'rw', world({}, mounts))).toBeUndefined();
  });

  test('are refused in a read-only one, unless they are proven to be read-only too', () => {
    expect(objection('/ws', 'ro', world({}, mounts))).toContain('holds a mount of its own on "/ws/big"');
    expect(objection('/ws', 'ro', world({ readOnlySubmounts: true }, mounts))).toBeUndefined();
  });

  test('do not matter beside it', () => {
    expect(objection('/ws/big', 'ro', world({}, mounts))).toBeUndefined();
    expect(objection('/ws/bi', 'ro', world({}, mounts))).toBeUndefined();
  });
});

describe('sockets of other programs', () => {
  const sockets = ['/ws/deep/app sock'];
  const { mounts } = world();

  test('are refused by name', () => {
    expect(socketObjection('/ws', mounts, sockets)).toContain('holds the socket "/ws/deep/app sock"');
    expect(socketObjection('/ws', mounts, sockets)).toContain('set safety.sockets to "allow"');
  });

  test('elsewhere do not matter', () => {
    expect(socketObjection('/ws/deepest', mounts, sockets)).toBeUndefined();
  });

  test('are seen through a bind mount', () => {
    const bound = world({}, ['9 1 8:1 /ws/deep /other/d rw - ext4 /dev/sda rw']);
    expect(socketObjection('/other', bound.mounts, sockets)).toContain('holds the socket');
  });
});
