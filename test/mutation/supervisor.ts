import { type Change, type Mutation, together, words } from './mutation.js';

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
  oci: ({ process, linux, mounts }) => {
    process.noNewPrivileges = false;
    for (const mount of mounts) mount.options = mount.options.filter(word => word !== 'nosuid');
    // To a user namespace without root, a file of root's is nobody's.
    linux.namespaces = linux.namespaces.filter(({ type }) => type !== 'user');
    linux.uidMappings = linux.gidMappings = [];
  },
  docker: ({ HostConfig }) => {
    HostConfig.SecurityOpt = HostConfig.SecurityOpt.filter((option: string) => option !== 'no-new-privileges');
  },
  podman: body => {
    body.no_new_privileges = false;
    for (const mount of body.mounts) mount.options = mount.options.filter((word: string) => word !== 'nosuid');
  },
};

const looseLimits: Change = {
  // It has none to give.
  bwrap: option => [option],
  oci: ({ process }) => {
    process.rlimits = [
      { type: 'RLIMIT_NOFILE', soft: 8192, hard: 8192 },
      { type: 'RLIMIT_CORE', soft: 1 << 20, hard: 1 << 20 },
    ];
  },
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

/** Variables for PID 1, as an engine's settings could add them. */
const someEnvironment: Change = {
  ...words(([word]) => word === '--clearenv'),
  docker: body => {
    body.Env = ['LEFT=behind'];
  },
  podman: body => {
    body.env = { LEFT: 'behind' };
    body.httpproxy = true;
    delete body.unsetenvall;
  },
  oci: ({ process }) => {
    process.env = ['LEFT=behind'];
  },
};

/** Starts the supervisor with one descriptor more, by way of the sandbox's own shell. */
const OPEN = ['/bin/sh', '-c', 'exec "$@" 9</', 'sh'];
const leftOpen: Change = {
  ...words(
    ([word]) => word === '--',
    ([word, ...command]) => [[word!, ...OPEN, ...command]],
  ),
  docker: body => {
    body.Entrypoint = [...OPEN, ...body.Entrypoint];
  },
  podman: body => {
    body.entrypoint = [...OPEN, ...body.entrypoint];
  },
  oci: ({ process }) => {
    process.args = [...OPEN, ...process.args];
  },
};

/** Takes a step of the child out, and nothing else. */
export const withoutStep = (step: string): Change => ({ source: [['child.c', step, `if (0) ${step}`]] });

const dumpable: Change = { source: [['privileges.c', 'sys(__NR_prctl, PR_SET_DUMPABLE, 0) < 0', '0']] };

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
    change: dumpable,
  },
  {
    option: 'the supervisor’s environment, overwritten',
    layers: 'PID 1 is not dumpable; Env, unsetenvall, httpproxy, --clearenv',
    notices: ['values of the host in any environment or command line'],
    change: together(someEnvironment, dumpable, {
      source: [['main.c', 'forget(argv + argc + 1);', '(void)forget;']],
    }),
  },
  {
    option: 'descriptors closed from 3 up',
    layers: 'one that is left open, as no backend does',
    notices: ['capabilities, descriptors and limits that a program is born with'],
    change: together(leftOpen, {
      source: [['privileges.c', 'if (sys(__NR_close_range, 3, ~0u, 0) < 0)', 'if (0)']],
    }),
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
    layers:
      'the backend’s option of that name (bubblewrap has no other way), nosuid, the user namespace of crun, and the filter, which the kernel takes only together with it',
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
    layers: 'Ulimits, r_limits, rlimits',
    notices: [
      'one file beyond its size, written, stretched or reserved',
      'more open files than the limit',
      'a core dump in a writable folder',
    ],
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
  {
    option: 'the end with the owner’s line',
    notices: ['a program that goes on when the line to its owner has broken off'],
    change: { source: [['life.c', 'if (owner_gone(polled[1].revents))', 'if (0 && owner_gone(polled[1].revents))']] },
  },
];
