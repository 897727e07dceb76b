import { type Change, type Mutation, together } from './mutation.js';

/** Those that engines give by default; one that this machine lacks itself could not be given. */
const usualCapabilities: Change = {
  docker: ({ HostConfig }) => {
    HostConfig.CapDrop = [];
  },
  podman: body => {
    body.cap_drop = [];
  },
};

const mayGainPrivileges: Change = {
  docker: ({ HostConfig }) => {
    HostConfig.SecurityOpt = HostConfig.SecurityOpt.filter((option: string) => option !== 'no-new-privileges');
  },
  podman: body => {
    body.no_new_privileges = false;
    for (const mount of body.mounts) mount.options = mount.options.filter((word: string) => word !== 'nosuid');
  },
};

const looseLimits: Change = {
  docker: ({ HostConfig }) => {
    HostConfig.Ulimits = [
      { Name: 'nofile', Soft: 8192, Hard: 8192 },
      { Name: 'core', Soft: 1 << 20, Hard: 1 << 20 },
    ];
  },
  podman: body => {
    body.r_limits = [
      { type: 'nofile', soft: 8192, hard: 8192 },
      { type: 'nproc', soft: 4096, hard: 4096 },
      { type: 'core', soft: 1 << 20, hard: 1 << 20 },
    ];
  },
};

/** Takes a step of the child out, and nothing else. */
const withoutStep = (step: string): Change => ({ source: [['child.c', step, `if (0) ${step}`]] });

const noFilter = withoutStep('must(STEP_SECCOMP, seccomp_install());');

/** The steps of init/src, one at a time. */
export const supervisorMutations: Mutation[] = [
  {
    option: 'the whole seccomp filter',
    notices: ['new namespaces by unshare, and entering others', 'io_uring', 'other processes, traced or read'],
    change: noFilter,
  },
  {
    option: 'PID 1 is not dumpable',
    notices: ['the supervisor’s memory, environment and descriptors'],
    change: { source: [['privileges.c', 'sys(__NR_prctl, PR_SET_DUMPABLE, 0) < 0', '0']] },
  },
  {
    option: 'no capability',
    layers: 'CapDrop, cap_drop',
    notices: [
      'files of other users, as uid 0 without capabilities',
      'capabilities, descriptors and limits that a program is born with, as uid 0',
    ],
    root: true,
    change: together(usualCapabilities, withoutStep('must(STEP_CAPABILITIES, capabilities_drop());')),
  },
  {
    option: 'no-new-privileges',
    layers: 'the engine’s option of that name, nosuid, and the filter, which the kernel takes only together with it',
    notices: ['a setuid root program in a readable folder'],
    root: true,
    change: together(
      noFilter,
      mayGainPrivileges,
      withoutStep('must(STEP_NO_NEW_PRIVS, sys(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));'),
    ),
  },
  {
    option: 'limits of files, descriptors and core dumps',
    layers: 'Ulimits, r_limits',
    notices: ['one file beyond its size, written, stretched or reserved', 'more open files than the limit'],
    change: together(looseLimits, withoutStep('must(STEP_RLIMITS, limits(frame));')),
  },
  {
    option: 'a stdin at its end',
    notices: ['what the host typed: stdin'],
    change: withoutStep('must(STEP_STDIN, empty_stdin());'),
  },
  {
    option: 'umask',
    notices: ['files that belong to somebody else, or that anybody may write'],
    change: { source: [['child.c', 'sys(__NR_umask, frame->umask);', 'sys(__NR_umask, 0);']] },
  },
  {
    option: 'device and inode of each mount compared',
    notices: ['a folder that is swapped for a link while the sandbox is made'],
    root: true,
    change: {
      source: [
        ['mounts.c', 'struct cursor cursor = frame->mounts;', 'struct cursor cursor = frame->mounts; return -1;'],
      ],
    },
  },
  {
    option: 'the deadline inside',
    notices: ['PID 1 frozen or killed, to outlive the deadline'],
    change: { source: [['life.c', 'if (now() >= deadline)', 'if (0)']] },
  },
];
