import { type Body, type Change, FOLDERS, type Mutation, together } from './mutation.js';

const isTmpfs = (target: string) => (mount: Body) => mount.type === 'tmpfs' && mount.destination === target;

/** Changes the options of one tmpfs; they are words with commas between on Docker, a list on Podman. */
function tmpfs(target: string, change: (words: string[]) => string[] | undefined): Change {
  return {
    docker: ({ HostConfig }) => {
      const words = change(HostConfig.Tmpfs[target].split(','));
      if (words) HostConfig.Tmpfs[target] = words.join(',');
      else delete HostConfig.Tmpfs[target];
    },
    podman: body => {
      const mount = body.mounts.find(isTmpfs(target));
      const words = change(mount.options);
      if (words) mount.options = words;
      else body.mounts = body.mounts.filter((each: Body) => each !== mount);
    },
  };
}

/** Changes the binds of folders that attacks make. The host's own stay as they are: code that is root could write in them. */
const everyFolder = (change: (mount: Body) => void): Change => ({
  docker: ({ HostConfig }) => HostConfig.Mounts.filter(({ Target }: Body) => FOLDERS.test(Target)).forEach(change),
  podman: ({ mounts }) => mounts.filter(({ destination }: Body) => FOLDERS.test(destination)).forEach(change),
});

const dropMounts = (targets: RegExp): Change => ({
  docker: ({ HostConfig }) => {
    HostConfig.Mounts = HostConfig.Mounts.filter(({ Target }: Body) => !targets.test(Target));
  },
  podman: body => {
    body.mounts = body.mounts.filter(({ destination }: Body) => !targets.test(destination));
  },
});

/** What an engine is asked for of mounts, and of files of the kernel that are hidden or closed. */
export const engineMounts: Mutation[] = [
  {
    option: 'read-only root (ReadonlyRootfs, read_only_filesystem)',
    notices: ['a file in every folder there is, as uid 0'],
    root: true,
    change: {
      docker: ({ HostConfig }) => delete HostConfig.ReadonlyRootfs,
      podman: body => {
        body.read_only_filesystem = false;
      },
    },
  },
  {
    option: 'own /etc/hosts, /etc/hostname, /etc/resolv.conf',
    layers: 'NetworkDisabled, with which Docker leaves the resolver out',
    notices: ['the host’s names and resolver'],
    change: together(dropMounts(/^\/etc\/(hosts|hostname|resolv\.conf)$/), {
      docker: body => {
        body.NetworkDisabled = false;
      },
    }),
  },
  {
    option: 'read-only mounts (ReadOnly, ro)',
    notices: ['a file that may only be read, changed in every way', 'a Node program that writes outside of its folder'],
    change: everyFolder(mount => {
      if ('ReadOnly' in mount) mount.ReadOnly = false;
      else mount.options = mount.options.map((word: string) => (word === 'ro' ? 'rw' : word));
    }),
  },
  {
    option: 'nothing that is mounted in a read-only folder (NonRecursive)',
    layers: 'the policy, which refuses such folders; on Podman nothing else does',
    notices: ['a file system that is mounted in a readable folder'],
    root: true,
    change: {
      ...everyFolder(({ BindOptions }) => {
        // Newer engines make read-only what comes along, unless they are told not to.
        if (BindOptions) Object.assign(BindOptions, { NonRecursive: false, ReadOnlyNonRecursive: true });
      }),
      blind: 'objection',
    },
  },
  {
    option: 'no devices in folders (nodev on Podman)',
    layers: 'the engine’s own list of devices, which is all that Docker has',
    notices: ['a device node of the host'],
    root: true,
    change: {
      docker: ({ HostConfig }) => {
        HostConfig.DeviceCgroupRules = ['c 10:229 r'];
      },
      podman: body => {
        body.device_cgroup_rule = [{ allow: true, type: 'c', major: 10, minor: 229, access: 'r' }];
        for (const mount of body.mounts) mount.options = mount.options.filter((word: string) => word !== 'nodev');
      },
    },
  },
  {
    option: 'size of /tmp',
    notices: ['the kernel’s file systems, /tmp and shared memory filled beyond their size'],
    change: tmpfs('/tmp', words => words.filter(word => !word.startsWith('size='))),
  },
  {
    option: 'size of /dev/shm',
    notices: ['the kernel’s file systems, /tmp and shared memory filled beyond their size'],
    change: tmpfs('/dev/shm', words => words.filter(word => !word.startsWith('size='))),
  },
  {
    option: 'noexec of /dev/shm',
    notices: ['a program executed from shared memory'],
    change: tmpfs('/dev/shm', words => words.map(word => (word === 'noexec' ? 'exec' : word))),
  },
  {
    option: 'cover over /dev, for uid 0',
    notices: ['a file in every folder there is, as uid 0'],
    root: true,
    change: tmpfs('/dev', () => undefined),
  },
  {
    option: 'cover over /dev/mqueue',
    notices: ['a file in every folder there is, as uid 12345'],
    root: true,
    change: tmpfs('/dev/mqueue', () => undefined),
  },
  {
    option: 'closed view of the cgroup tree, for uid 0',
    notices: ['a file in every folder there is, as uid 0'],
    root: true,
    change: {
      docker: ({ HostConfig }) => {
        HostConfig.MaskedPaths = HostConfig.MaskedPaths.filter((path: string) => !path.startsWith('/sys/fs/cgroup'));
        HostConfig.ReadonlyPaths = HostConfig.ReadonlyPaths.filter(
          (path: string) => !path.startsWith('/sys/fs/cgroup'),
        );
      },
      podman: body => {
        body.mask = body.mask.filter((path: string) => !path.startsWith('/sys/fs/cgroup'));
      },
    },
  },
  {
    option: 'read-only /proc, for uid 0 (ReadonlyPaths, procfs_opts)',
    notices: ['modes in /proc and /sys, which are the same for the whole host, as uid 0'],
    root: true,
    change: {
      docker: ({ HostConfig }) => {
        HostConfig.ReadonlyPaths = HostConfig.ReadonlyPaths.filter((path: string) => path !== '/proc');
      },
      podman: body => delete body.procfs_opts,
    },
  },
  {
    option: 'masked and read-only parts of /proc and /sys (MaskedPaths, ReadonlyPaths, mask)',
    notices: [
      'files of /proc, /sys and cgroups opened for writing, as uid 0',
      'the kernel’s memory, keys and log, and the engine’s cgroup path',
    ],
    root: true,
    change: {
      docker: ({ HostConfig }) => {
        HostConfig.MaskedPaths = [];
        HostConfig.ReadonlyPaths = [];
      },
      podman: body => {
        body.mask = [];
        body.unmask = ['ALL'];
        delete body.procfs_opts;
      },
    },
  },
];
