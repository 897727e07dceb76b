import type { RuntimeConfig } from '../../src/launcher/oci/config.js';
import { launcherMounts } from './launcher-mounts.js';
import { type Change, isWord, type Mutation, together, words } from './mutation.js';
import { withoutStep } from './supervisor.js';

const CAPABILITIES = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_SETGID', 'CAP_SETPCAP', 'CAP_SETUID', 'CAP_SYS_CHROOT'];

type Namespace = RuntimeConfig['linux']['namespaces'][number]['type'];

/** Every namespace that --unshare-all stands for, as bubblewrap calls them. */
const UNSHARED = ['user', 'ipc', 'pid', 'net', 'uts', 'cgroup-try'];

/** Shares a namespace with the host. @param name in the words of bubblewrap */
function shared(type: Namespace, name: string): Change {
  const others = UNSHARED.filter(each => each !== name).map(each => [`--unshare-${each}`]);
  return {
    ...together(
      words(([word]) => word === `--unshare-${name}`),
      words(
        ([word]) => word === '--unshare-all',
        () => others,
      ),
    ),
    oci: ({ linux }) => {
      linux.namespaces = linux.namespaces.filter(namespace => namespace.type !== type);
    },
  };
}

/** What launchers are told: the command line of bubblewrap, the config.json of crun, the files of cgroups. */
export const launcherMutations: Mutation[] = [
  ...launcherMounts,
  {
    option: 'network namespace (--unshare-net; network)',
    notices: [
      'the host by TCP, UDP, unix sockets, abstract ones, and names',
      'a Node program that reaches for the host',
    ],
    change: shared('network', 'net'),
  },
  {
    option: 'IPC namespace (--unshare-ipc; ipc)',
    notices: ['shared memory of the host'],
    change: shared('ipc', 'ipc'),
  },
  {
    option: 'cgroup namespace (--unshare-cgroup; cgroup)',
    notices: ['the kernel’s memory, keys and log, and the engine’s cgroup path'],
    change: shared('cgroup', 'cgroup-try'),
  },
  {
    option: 'UTS namespace and host name (--unshare-uts, --hostname; uts, hostname)',
    notices: ['the host’s names and resolver'],
    change: together(shared('uts', 'uts'), words(isWord('--hostname')), {
      oci: config => delete (config as Partial<RuntimeConfig>).hostname,
    }),
  },
  {
    option: 'user (setpriv; user, uidMappings, gidMappings)',
    notices: ['files that belong to somebody else, or that anybody may write'],
    root: true,
    change: {
      ...words(isWord('--'), option => [['--', ...option.slice(option.lastIndexOf('--') + 1)]]),
      oci: ({ process, linux }) => {
        process.user = { uid: 0, gid: 0 };
        linux.uidMappings = linux.gidMappings = [{ containerID: 0, hostID: 0, size: 1 }];
      },
    },
  },
  {
    option: 'no capability (--cap-drop; capabilities)',
    layers: 'the supervisor’s own step; for files of others the user namespace is one more',
    notices: ['capabilities, descriptors and limits that a program is born with, as uid 0'],
    root: true,
    change: together(
      words(isWord('--cap-drop'), () => CAPABILITIES.map(name => ['--cap-add', name])),
      {
        oci: ({ process }) => {
          for (const set of ['bounding', 'effective', 'permitted'] as const) process.capabilities[set] = CAPABILITIES;
        },
      },
      withoutStep('must(STEP_CAPABILITIES, capabilities_drop());'),
    ),
  },
  {
    option: 'memory, with swap (memory.limit_in_bytes and memsw, or memory.max and swap.max)',
    notices: ['heap', 'memory files', 'segments', 'files in /tmp'].map(what => `more memory than the limit: ${what}`),
    change: { limits: { memoryBytes: 2 ** 40 } },
  },
  {
    option: 'number of processes (pids.max)',
    notices: ['threads without end', 'processes without end, beside a run that must not suffer'],
    change: { limits: { pids: 4096 } },
  },
];
