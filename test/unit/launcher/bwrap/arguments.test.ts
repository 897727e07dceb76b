import { describe, expect, test } from 'vitest';
import { type BwrapInput, bwrapArguments } from '../../../../src/launcher/bwrap/arguments.js';
import type { Limits, Mount, Plan } from '../../../../src/policy/plan.js';

const ro = (path: string): Mount => ({ source: path, target: path, mode: 'ro' });
const plan = {
  mounts: [],
  network: 'deny',
  user: { uid: 1000, gid: 1000, groups: [] },
  limits: { tmpBytes: 4096, shmBytes: 8192 } as Limits,
  root: { kind: 'host', name: 'host', mounts: [ro('/usr/bin'), ro('/etc/ssl/certs')], path: [], env: {} },
} satisfies Plan;
const input = (more: Partial<BwrapInput> = {}): BwrapInput => ({
  plan,
  entries: [
    { path: 'bin', kind: 'link', to: 'usr/bin' },
    { path: 'etc', kind: 'folder' },
    { path: 'etc/passwd', kind: 'file', content: 'x' },
  ],
  filesDir: '/run/files',
  supervisorDir: '/package/init/bin/x64',
  cgroups: [{ source: '/sys/fs/cgroup/memory/x/1', target: '/sys/fs/cgroup/memory', mode: 'ro' }],
  masks: new Map([
    ['/proc/acpi', 'folder'],
    ['/proc/scsi', 'missing'],
  ]),
  disableUserns: true,
  idleSeconds: 120,
  ...more,
});
const line = (more?: Partial<BwrapInput>) => bwrapArguments(input(more)).join(' ');
const withMounts = (mounts: Mount[]) => line({ plan: { ...plan, mounts } });

describe('bwrapArguments', () => {
  test('every namespace, no capability, the supervisor as PID 1, and nothing left writable', () => {
    const args = line();
    expect(args).toMatch(
      /^--unshare-all --unshare-user --disable-userns --cap-drop ALL --new-session --die-with-parent --as-pid-1 --clearenv --hostname sandbox /,
    );
    expect(args).toMatch(/ --remount-ro \/dev --remount-ro \/ --chdir \/ -- \/\.sandbox\/supervisor 120$/);
    expect(args).not.toMatch(/share-net|setenv|--bind /);
  });

  test('the root is folders and links, and files that were made for it', () => {
    expect(line()).toContain('--symlink usr/bin /bin --dir /etc');
    expect(line()).toContain('--ro-bind /run/files/etc/passwd /etc/passwd');
    expect(line()).toContain('--ro-bind /package/init/bin/x64 /.sandbox');
  });

  test('private tmpfs have their sizes', () => {
    expect(line()).toContain('--perms 1777 --size 4096 --tmpfs /tmp');
    expect(line()).toContain('--perms 1777 --size 8192 --tmpfs /dev/shm');
  });

  test('what of /proc is closed to containers is closed here', () => {
    const args = line();
    expect(args).toContain('--ro-bind-try /proc/sys/kernel /proc/sys/kernel');
    expect(args, 'with binfmt_misc on it').not.toContain('/proc/sys /proc/sys');
    expect(args).toContain('--ro-bind /dev/null /proc/kcore');
    expect(args).toContain('--tmpfs /proc/acpi --remount-ro /proc/acpi');
    expect(args).not.toContain('/proc/scsi');
    expect(args.indexOf('--proc /proc')).toBeLessThan(args.indexOf('/proc/sys'));
  });

  test('the sandbox sees its own cgroup, and no other part of /sys', () => {
    expect(line()).toContain(
      '--dir /sys --dir /sys/fs --dir /sys/fs/cgroup --ro-bind /sys/fs/cgroup/memory/x/1 /sys/fs/cgroup/memory',
    );
    expect(line({ cgroups: [] })).not.toMatch(/ \/sys/);
  });

  test('folders are mounted in the order of their depth, with open folders above them', () => {
    const args = withMounts([
      { source: '/home/u/work/out', target: '/home/u/work/out', mode: 'rw' },
      { source: '/home/u/work', target: '/home/u/work', mode: 'ro' },
      { source: '/tmp/x', target: '/tmp/x', mode: 'rw' },
    ]);
    expect(args).toContain('--dir /home --dir /home/u --ro-bind /home/u/work /home/u/work');
    expect(args.indexOf('/home/u/work /home/u/work')).toBeLessThan(args.indexOf('--bind /home/u/work/out'));
    expect(args.indexOf('--tmpfs /tmp')).toBeLessThan(args.indexOf('--bind /tmp/x /tmp/x'));
  });

  test('root that runs code as another user mounts as root, and becomes that user last', () => {
    const args = line({ become: { uid: 7, gid: 8, groups: [9, 10] } });
    expect(args).not.toMatch(/unshare-all|unshare-user|disable-userns/);
    for (const kind of ['ipc', 'pid', 'net', 'uts']) expect(args).toContain(`--unshare-${kind} `);
    expect(args).toContain('--cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP');
    expect(args).toMatch(
      / -- setpriv --reuid 7 --regid 8 --groups 9,10 --inh-caps=-all --ambient-caps=-all --bounding-set=-all --pdeathsig KILL -- \/\.sandbox\/supervisor 120$/,
    );
    expect(line({ become: { uid: 7, gid: 8, groups: [] } })).toContain('--regid 8 --clear-groups');
  });

  test('an older bubblewrap, and a network, do without the ban of user namespaces', () => {
    expect(line({ disableUserns: false })).not.toContain('--disable-userns');
    const networked = line({ plan: { ...plan, network: 'allow' } });
    expect(networked).not.toMatch(/--disable-userns|--share-net|--dev \/dev/);
    expect(networked).toContain('--tmpfs /dev --dev-bind /dev/null /dev/null');
  });
});
