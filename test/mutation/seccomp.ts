import { profile } from '../../src/hardening/seccomp-profile.js';
import type { Mutation } from './mutation.js';

const SETUID = ['a file with the setuid or setgid bit'];

/** A call of each group of the filter, and the attack that must notice its absence: the beginning of its name. */
const NOTICED: Record<string, string[]> = {
  chmod: SETUID,
  fchmodat: SETUID,
  open: SETUID,
  openat: SETUID,
  openat2: ['openat2'],
  clone: ['a new user namespace by clone'],
  clone3: ['a new user namespace by clone3'],
  socket: ['sockets of other families'],
  socketpair: ['socket pairs of other families'],
  prlimit64: ['limits of PID 1'],
  sched_setaffinity: ['the scheduling of PID 1, or a descriptor of it'],
  setpriority: ['the priority of PID 1'],
  ioprio_set: ['the disk priority of PID 1'],
  fcntl: ['leases and signals of descriptors'],
  ioctl: ['keys typed into a terminal'],
  personality: ['a personality without address randomisation'],
  io_uring_setup: ['io_uring'],
  unshare: ['new namespaces by unshare, and entering others'],
  mount: ['mounts, changed or cloned'],
  keyctl: ['the kernel’s keyrings'],
  ptrace: ['other processes, traced or read'],
  userfaultfd: ['userfaultfd'],
  bpf: ['programs in the kernel'],
  quotactl: ['modules, kexec, reboot, swap, quotas, the log'],
  name_to_handle_at: ['files by handle'],
  fanotify_init: ['fanotify'],
  adjtimex: ['the clock and the host name'],
  mbind: ['memory policy of the machine'],
  sysfs: ['calls that are dead'],
};

/** Groups of the filter, in its order. */
export const seccompMutations: Mutation[] = [...profile.rules, ...profile.refused].map(({ calls, reason }) => {
  const [call, notices] = Object.entries(NOTICED).find(([name]) => calls.includes(name)) ?? ['', []];
  return {
    option: `seccomp: ${calls.join(', ')} (${reason})`,
    notices,
    ...(notices === SETUID ? { layers: 'the search for such files after a run as root' } : {}),
    change: { withoutGroupOf: call, ...(notices === SETUID ? { blind: 'setid' } : {}) },
  };
});
