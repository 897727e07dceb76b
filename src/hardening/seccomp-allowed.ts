const words = (text: string): string[] => text.trim().split(/\s+/);

/** Calls that pass whatever their arguments, by what they are about. Names of both architectures. */
export const allowed: string[] = words(`
  read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close close_range
  dup dup2 dup3 pipe pipe2 splice tee vmsplice sendfile copy_file_range
  poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
  eventfd eventfd2 signalfd signalfd4 timerfd_create timerfd_settime timerfd_gettime
  io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents

  stat fstat lstat newfstatat statx statfs fstatfs access faccessat faccessat2
  readlink readlinkat getdents getdents64 getcwd chdir fchdir umask
  mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat
  chown fchown lchown fchownat utime utimes utimensat futimesat
  truncate ftruncate fallocate fadvise64 readahead flock fsync fdatasync sync syncfs sync_file_range
  getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
  setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
  inotify_init inotify_init1 inotify_add_watch inotify_rm_watch

  mmap munmap mremap mprotect madvise msync mincore brk remap_file_pages membarrier
  mlock mlock2 mlockall munlock munlockall memfd_create memfd_secret
  pkey_alloc pkey_free pkey_mprotect
  shmget shmat shmdt shmctl semget semop semtimedop semctl msgget msgsnd msgrcv msgctl
  mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr

  fork vfork execve execveat exit exit_group wait4 waitid
  getpid getppid gettid getpgrp getpgid setpgid getsid setsid
  set_tid_address set_robust_list get_robust_list futex futex_waitv rseq arch_prctl modify_ldt
  set_thread_area get_thread_area prctl seccomp restart_syscall
  landlock_create_ruleset landlock_add_rule landlock_restrict_self
  pause sigaltstack
  rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend

  getuid geteuid getgid getegid getresuid getresgid getgroups
  setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capget capset
  getrlimit setrlimit getrusage getpriority ioprio_get
  sched_yield sched_getaffinity sched_getparam
  sched_getscheduler sched_getattr
  sched_get_priority_max sched_get_priority_min sched_rr_get_interval getcpu

  time times gettimeofday clock_gettime clock_getres clock_nanosleep nanosleep alarm
  getitimer setitimer timer_create timer_settime timer_gettime timer_getoverrun timer_delete
  uname sysinfo getrandom

  bind connect listen accept accept4 shutdown getsockname getpeername getsockopt setsockopt
  sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg
`);
