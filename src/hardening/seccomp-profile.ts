import { allowed } from './seccomp-allowed.js';
import type { Profile } from './seccomp-rule.js';

const CLONE_NEW = 0x7e02_0000; // every CLONE_NEW* that clone takes: NS, CGROUP, UTS, IPC, USER, PID, NET
const SETUID_SETGID = 0o6000;
const CREATES = 0o100 | 0o20000000; // O_CREAT, or the bit that tells O_TMPFILE: without them the mode means nothing
const AF = { UNIX: 1, INET: 2, INET6: 10, NETLINK: 16 };
const NETLINK_ROUTE = 0;
const F_SETLEASE = 1024;
const F_SETSIG = 10;
const PRIO_USER = 2;
const IOPRIO_WHO_USER = 3;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/**
 * The one filter of every Linux sandbox, installed by the supervisor before the program starts. It allows nothing that
 * Docker's default profile refuses to a process without capabilities, and refuses more, group by group, with a reason.
 */
export const profile: Profile = {
  allowed,

  rules: [
    {
      reason: 'no file with the setuid or setgid bit comes out of a run',
      calls: ['chmod', 'fchmod', 'creat', 'mknod'],
      cases: [{ when: [{ arg: 1, any: SETUID_SETGID }], answer: 'EPERM' }],
      otherwise: 'allow',
    },
    {
      reason: 'likewise, where a directory descriptor comes first',
      calls: ['fchmodat', 'mknodat'],
      cases: [{ when: [{ arg: 2, any: SETUID_SETGID }], answer: 'EPERM' }],
      otherwise: 'allow',
    },
    {
      reason: 'likewise, for a file that open creates',
      calls: ['open'],
      cases: [
        {
          when: [
            { arg: 1, any: CREATES },
            { arg: 2, any: SETUID_SETGID },
          ],
          answer: 'EPERM',
        },
      ],
      otherwise: 'allow',
    },
    {
      reason: 'likewise, for a file that openat creates',
      calls: ['openat'],
      cases: [
        {
          when: [
            { arg: 2, any: CREATES },
            { arg: 3, any: SETUID_SETGID },
          ],
          answer: 'EPERM',
        },
      ],
      otherwise: 'allow',
    },
    {
      reason: 'no new namespace: in a user namespace of its own, code has every capability over it',
      calls: ['clone'],
      cases: [{ when: [{ arg: 0, any: CLONE_NEW }], answer: 'EPERM' }],
      otherwise: 'allow',
    },
    {
      reason:
        'sockets of the local machine, IP and route queries only: AF_VSOCK, AF_ALG, AF_PACKET and the rest are out',
      calls: ['socket'],
      cases: [
        ...[AF.UNIX, AF.INET, AF.INET6].map(equals => ({ when: [{ arg: 0, equals }], answer: 'allow' as const })),
        {
          when: [
            { arg: 0, equals: AF.NETLINK },
            { arg: 2, equals: NETLINK_ROUTE },
          ],
          answer: 'allow',
        },
      ],
      otherwise: 'EAFNOSUPPORT',
    },
    {
      reason: 'likewise, for pairs',
      calls: ['socketpair'],
      cases: [{ when: [{ arg: 0, equals: AF.UNIX }], answer: 'allow' }],
      otherwise: 'EAFNOSUPPORT',
    },
    {
      reason:
        'limits of its own only: code of the same user could take from PID 1 the descriptors or the time it needs',
      calls: ['prlimit64'],
      cases: [{ when: [{ arg: 0, equals: 0 }], answer: 'allow' }],
      otherwise: 'EPERM',
    },
    {
      reason:
        'PID 1 keeps the deadline: it is not to be slowed down, nor signalled, since gVisor would let SIGSTOP freeze it',
      calls: [
        ...['kill', 'tkill', 'tgkill', 'rt_sigqueueinfo', 'rt_tgsigqueueinfo', 'pidfd_open'],
        ...['sched_setaffinity', 'sched_setattr', 'sched_setparam', 'sched_setscheduler'],
      ],
      cases: [{ when: [{ arg: 0, equals: 1 }], answer: 'EPERM' }],
      otherwise: 'allow',
    },
    {
      reason: 'likewise, where the kind of target comes first: PID 1, or all processes of a user, of whom PID 1 is one',
      calls: ['setpriority'],
      cases: [
        { when: [{ arg: 1, equals: 1 }], answer: 'EPERM' },
        { when: [{ arg: 0, equals: PRIO_USER }], answer: 'EPERM' },
      ],
      otherwise: 'allow',
    },
    {
      reason: 'likewise, for the priority at the disk',
      calls: ['ioprio_set'],
      cases: [
        { when: [{ arg: 1, equals: 1 }], answer: 'EPERM' },
        { when: [{ arg: 0, equals: IOPRIO_WHO_USER }], answer: 'EPERM' },
      ],
      otherwise: 'allow',
    },
    {
      reason: 'a lease on a shared file would block whoever on the host opens it; F_SETSIG sends PID 1 any signal',
      calls: ['fcntl'],
      cases: [F_SETLEASE, F_SETSIG].map(equals => ({ when: [{ arg: 1, equals }], answer: 'EPERM' })),
      otherwise: 'allow',
    },
    {
      reason: 'no keys typed into a terminal that is shared with the host',
      calls: ['ioctl'],
      cases: [TIOCSTI, TIOCLINUX].map(equals => ({ when: [{ arg: 1, equals }], answer: 'EPERM' })),
      otherwise: 'allow',
    },
    {
      reason: 'the personalities that Docker allows: Linux, 32 bits shown by uname, and the question which one it is',
      calls: ['personality'],
      cases: [0, 0x8, 0x2_0000, 0x2_0008, 0xffff_ffff].map(equals => ({ when: [{ arg: 0, equals }], answer: 'allow' })),
      otherwise: 'EPERM',
    },
  ],

  refused: [
    {
      reason:
        'its flags (new namespaces) lie behind a pointer that no filter can follow; C libraries fall back to clone',
      calls: ['clone3'],
      answer: 'ENOSYS',
    },
    {
      reason: 'its mode (setuid, setgid) lies behind a pointer; programs fall back to openat',
      calls: ['openat2'],
      answer: 'ENOSYS',
    },
    {
      reason: 'does other calls past this filter, and has a long history of kernel faults; programs fall back to epoll',
      calls: ['io_uring_setup', 'io_uring_enter', 'io_uring_register'],
      answer: 'ENOSYS',
    },
    { reason: 'no new namespace, and no way into one that exists', calls: ['unshare', 'setns'], answer: 'EPERM' },
    {
      reason: 'the sandbox is its mounts',
      calls: [
        ...['mount', 'umount2', 'pivot_root', 'chroot', 'move_mount', 'open_tree', 'mount_setattr'],
        ...['fsopen', 'fsconfig', 'fsmount', 'fspick'],
      ],
      answer: 'EPERM',
    },
    {
      reason: 'keyrings are not namespaced: keys of the host were read through them',
      calls: ['add_key', 'request_key', 'keyctl'],
      answer: 'EPERM',
    },
    {
      reason: 'no process looks into or steers another: PID 1 must not be frozen or forged',
      calls: [
        ...['ptrace', 'process_vm_readv', 'process_vm_writev', 'kcmp', 'pidfd_getfd'],
        // Of any process: an open folder of /proc is as good as what pidfd_open gives.
        ...['pidfd_send_signal', 'process_madvise', 'process_mrelease'],
      ],
      answer: 'EPERM',
    },
    {
      reason: 'holds the kernel in a page fault, the classic help of exploits',
      calls: ['userfaultfd'],
      answer: 'EPERM',
    },
    { reason: 'code and probes in the kernel', calls: ['bpf', 'perf_event_open', 'lookup_dcookie'], answer: 'EPERM' },
    {
      reason: 'the kernel itself: loading, replacing, stopping it, its log and its books',
      calls: [
        ...['kexec_load', 'kexec_file_load', 'init_module', 'finit_module', 'delete_module', 'reboot'],
        ...['syslog', 'acct', 'swapon', 'swapoff', 'quotactl', 'quotactl_fd', 'nfsservctl', 'iopl', 'ioperm'],
      ],
      answer: 'EPERM',
    },
    {
      reason: 'opens files by handle, past every mount: the way out of Docker known as shocker',
      calls: ['name_to_handle_at', 'open_by_handle_at'],
      answer: 'EPERM',
    },
    {
      reason: 'sees or holds up what others do with files',
      calls: ['fanotify_init', 'fanotify_mark'],
      answer: 'EPERM',
    },
    {
      reason: 'clocks and names belong to the host',
      calls: ['clock_settime', 'clock_adjtime', 'settimeofday', 'adjtimex', 'sethostname', 'setdomainname', 'vhangup'],
      answer: 'EPERM',
    },
    {
      reason: 'placing memory on the nodes of the machine; Docker asks for CAP_SYS_NICE',
      calls: [...['mbind', 'set_mempolicy', 'get_mempolicy', 'set_mempolicy_home_node', 'migrate_pages', 'move_pages']],
      answer: 'EPERM',
    },
    {
      reason: 'never written, or gone from the kernel',
      calls: [
        ...['_sysctl', 'afs_syscall', 'create_module', 'epoll_ctl_old', 'epoll_wait_old', 'get_kernel_syms', 'getpmsg'],
        ...['putpmsg', 'query_module', 'security', 'sysfs', 'tuxcall', 'uselib', 'ustat', 'vserver'],
      ],
      answer: 'ENOSYS',
    },
  ],
};
