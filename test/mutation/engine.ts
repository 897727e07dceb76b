import { type Body, type Change, type Mutation, together } from './mutation.js';

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

const everyMount = (change: (mount: Body) => void): Change => ({
  docker: ({ HostConfig }) => HostConfig.Mounts.forEach(change),
  podman: body => body.mounts.filter(({ type }: Body) => type === 'bind').forEach(change),
});

const dropMounts = (targets: RegExp): Change => ({
  docker: ({ HostConfig }) => {
    HostConfig.Mounts = HostConfig.Mounts.filter(({ Target }: Body) => !targets.test(Target));
  },
  podman: body => {
    body.mounts = body.mounts.filter(({ destination }: Body) => !targets.test(destination));
  },
});

/**
 * What an engine is asked for (src/engine/spec). Where its own default is as strict, the mutation asks for the loosest that
 * a daemon's settings could make it.
 */
export const engineMutations: Mutation[] = [
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
    option: 'no network (NetworkDisabled with NetworkMode none, netns none)',
    notices: ['the host by TCP, UDP, unix sockets, abstract ones, and names'],
    root: true,
    change: {
      docker: body => {
        body.NetworkDisabled = false;
        body.HostConfig.NetworkMode = 'bridge';
      },
      podman: body => {
        body.netns = { nsmode: 'bridge' };
      },
    },
  },
  {
    option: 'user (User, user)',
    notices: ['files that belong to somebody else, or that anybody may write'],
    root: true,
    change: {
      docker: body => {
        body.User = '0:0';
      },
      podman: body => {
        body.user = '0:0';
      },
    },
  },
  {
    option: 'host name (Hostname, hostname)',
    notices: ['the host’s names and resolver'],
    change: { docker: body => delete body.Hostname, podman: body => delete body.hostname },
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
    notices: ['a file that may only be read, changed in every way'],
    change: everyMount(mount => {
      if ('ReadOnly' in mount) mount.ReadOnly = false;
      else mount.options = mount.options.map((word: string) => (word === 'ro' ? 'rw' : word));
    }),
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
  {
    option: 'IPC namespace (IpcMode, ipcns)',
    notices: ['shared memory of the host'],
    root: true,
    change: {
      docker: ({ HostConfig }) => {
        HostConfig.IpcMode = 'host';
        delete HostConfig.Tmpfs['/dev/shm'];
        delete HostConfig.Tmpfs['/dev/mqueue'];
      },
      podman: body => {
        body.ipcns = { nsmode: 'host' };
      },
    },
  },
  {
    option: 'cgroup namespace (CgroupnsMode, cgroupns)',
    notices: ['the kernel’s memory, keys and log, and the engine’s cgroup path'],
    change: {
      docker: ({ HostConfig }) => {
        HostConfig.CgroupnsMode = 'host';
      },
      podman: body => {
        body.cgroupns = { nsmode: 'host' };
      },
    },
  },
  {
    option: 'memory and swap (Memory, MemorySwap; resource_limits.memory)',
    notices: ['more memory than the limit: heap', 'more memory than the limit: memory files'],
    change: {
      docker: ({ HostConfig }) => {
        delete HostConfig.Memory;
        delete HostConfig.MemorySwap;
      },
      podman: body => delete body.resource_limits.memory,
    },
  },
  {
    option: 'number of processes (PidsLimit, resource_limits.pids)',
    notices: ['threads without end', 'processes without end, beside a run that must not suffer'],
    change: {
      docker: ({ HostConfig }) => delete HostConfig.PidsLimit,
      podman: body => {
        body.resource_limits.pids = { limit: 4096 };
      },
    },
  },
  {
    option: 'no log on the engine’s disk (LogConfig none, log_configuration)',
    notices: ['output that fills the engine’s own disk'],
    root: true,
    change: {
      docker: ({ HostConfig }) => {
        HostConfig.LogConfig.Type = 'json-file';
      },
      podman: body => {
        body.log_configuration = { driver: 'k8s-file' };
      },
    },
  },
];
