import { constants } from 'node:os';
import { expect } from 'vitest';
import { type Attack, compiled } from './attack.js';

const { EPERM, ENOSYS, EACCES, EAFNOSUPPORT } = constants.errno;
const REFUSALS = [EPERM, ENOSYS, EACCES, EAFNOSUPPORT];
const SIGSYS = 1000 + 31;

/** Calls by what they would give; `calls.c` has their arguments. */
const GROUPS: Record<string, string[]> = {
  'new namespaces by unshare, and entering others': ['unshare:user', 'unshare:mount', 'unshare:net', 'setns'],
  'a new user namespace by clone': ['clone:user'],
  'a new user namespace by clone3': ['clone3:user'],
  openat2: ['openat2'],
  io_uring: ['io_uring_setup'],
  'mounts, changed or cloned': [
    ...['mount', 'umount2', 'pivot_root', 'chroot', 'open_tree', 'mount_setattr', 'fsopen'],
  ],
  'the kernel’s keyrings': ['add_key', 'keyctl:session', 'request_key'],
  'other processes, traced or read': [
    ...['ptrace:traceme', 'ptrace:seize', 'process_vm_readv', 'process_vm_writev', 'kcmp', 'pidfd_getfd'],
  ],
  userfaultfd: ['userfaultfd'],
  'programs in the kernel': ['bpf', 'perf_event_open'],
  'modules, kexec, reboot, swap, quotas, the log': [
    ...['init_module', 'finit_module', 'kexec_load', 'reboot', 'swapon', 'quotactl', 'syslog'],
  ],
  'files by handle': ['name_to_handle_at', 'open_by_handle_at'],
  fanotify: ['fanotify_init'],
  'the clock and the host name': ['adjtimex', 'sethostname'],
  'memory policy of the machine': ['get_mempolicy'],
  'calls that are dead': process.arch === 'x64' ? ['sysfs'] : [],
  'a personality without address randomisation': ['personality'],
  'limits of PID 1': ['prlimit64'],
  'the scheduling of PID 1, or a descriptor of it': ['sched_setaffinity', 'sched_setscheduler', 'pidfd_open'],
  'the priority of PID 1, by its pid or its user': ['setpriority', 'setpriority:user'],
  'the disk priority of PID 1, by its pid or its user': ['ioprio_set', 'ioprio_set:user'],
  'leases and signals of descriptors': ['lease'],
  'keys typed into a terminal': ['tiocsti'],
  'sockets of other families': ['socket:packet', 'socket:alg', 'socket:vsock', 'socket:uevent', 'socket:diag'],
  'raw sockets': ['socket:raw'],
  'socket pairs of other families': ['socketpair'],
};

/** Guarantee 10 at the system call: the filter's own groups, and what capabilities would give. */
export const calls: Attack[] = Object.entries(GROUPS).map(([name, group]) => ({
  name,
  guarantee: 10,
  async run(scene) {
    const { stdout } = await compiled(scene, 'calls', group);
    const answers = stdout.trim().split('\n').filter(Boolean);
    expect(answers.map(line => line.split(' ')[0])).toEqual(group);
    const through = answers.filter(line => {
      const errno = Number(line.split(' ')[1]);
      return !REFUSALS.includes(errno) && errno !== SIGSYS;
    });
    expect(through, 'calls that were let through, with the kernel’s own answer').toEqual([]);
  },
}));
