#include "probe.h"
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/socket.h>
#include <linux/userfaultfd.h>

/* Not in the headers that a program without libc can include. */
#define SESSION_KEYRING -3L
#define PROCESS_KEYRING -2L
#define SYSLOG_READ_ALL 3

static char byte;
static struct iovec_pair {
    void *base;
    unsigned long length;
} local = {&byte, 1}, remote = {&byte, 1};
static struct clone_args new_user = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
static struct io_uring_params ring;
static union bpf_attr map = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
static struct perf_event_attr event = {
    .type = PERF_TYPE_SOFTWARE, .size = sizeof event, .config = PERF_COUNT_SW_DUMMY, .exclude_kernel = 1};
static struct {
    unsigned bytes, type;
    char handle[8];
} handle = {8, 1, "nothing"};
static struct __user_cap_header_struct capability_header = {_LINUX_CAPABILITY_VERSION_3, 0};
static struct __user_cap_data_struct every_capability[2] = {{~0u, ~0u, 0}, {0x1ff, 0x1ff, 0}};
static unsigned root_group[1];
static char dmesg[64];

#define ADDRESS(of) ((long)(of))

/*
 * Each is made so that it would work, or fail only behind the permission check, and so that it does no harm where the
 * guarantee does not hold: modules and kernels come from nowhere, the reboot has no magic.
 */
static const struct call {
    const char *name;
    long number;
    long arguments[6];
} calls[] = {
    {"unshare:user", __NR_unshare, {CLONE_NEWUSER}},
    {"unshare:mount", __NR_unshare, {CLONE_NEWNS}},
    {"unshare:uts", __NR_unshare, {CLONE_NEWUTS}},
    {"unshare:ipc", __NR_unshare, {CLONE_NEWIPC}},
    {"unshare:pid", __NR_unshare, {CLONE_NEWPID}},
    {"unshare:net", __NR_unshare, {CLONE_NEWNET}},
    {"unshare:cgroup", __NR_unshare, {CLONE_NEWCGROUP}},
    {"unshare:time", __NR_unshare, {CLONE_NEWTIME}},
    {"clone:user", __NR_clone, {CLONE_NEWUSER | SIGCHLD}},
    {"clone3:user", __NR_clone3, {ADDRESS(&new_user), sizeof new_user}},
    {"mount", __NR_mount, {ADDRESS("none"), ADDRESS("/tmp"), ADDRESS("tmpfs"), 0, 0}},
    {"mount:bind", __NR_mount, {ADDRESS("/proc"), ADDRESS("/tmp"), 0, MS_BIND, 0}},
    {"umount2", __NR_umount2, {ADDRESS("/dev/shm"), 2}},
    {"pivot_root", __NR_pivot_root, {ADDRESS("/tmp"), ADDRESS("/tmp")}},
    {"chroot", __NR_chroot, {ADDRESS("/tmp")}},
    {"fsopen", __NR_fsopen, {ADDRESS("tmpfs"), 0}},
    {"open_tree", __NR_open_tree, {AT_FDCWD, ADDRESS("/"), OPEN_TREE_CLONE}},
    {"ptrace:traceme", __NR_ptrace, {PTRACE_TRACEME}},
    {"ptrace:seize", __NR_ptrace, {PTRACE_SEIZE, 1, 0, 0}},
    {"process_vm_readv", __NR_process_vm_readv, {1, ADDRESS(&local), 1, ADDRESS(&remote), 1, 0}},
    {"process_vm_writev", __NR_process_vm_writev, {1, ADDRESS(&local), 1, ADDRESS(&remote), 1, 0}},
    {"kcmp", __NR_kcmp, {1, 1, 0, 0, 0}},
    {"keyctl:session", __NR_keyctl, {KEYCTL_GET_KEYRING_ID, SESSION_KEYRING, 0}},
    {"add_key", __NR_add_key, {ADDRESS("user"), ADDRESS("probe"), ADDRESS("x"), 1, PROCESS_KEYRING}},
    {"request_key", __NR_request_key, {ADDRESS("user"), ADDRESS("probe"), 0, 0}},
    {"io_uring_setup", __NR_io_uring_setup, {1, ADDRESS(&ring)}},
    {"bpf", __NR_bpf, {BPF_MAP_CREATE, ADDRESS(&map), sizeof map}},
    {"perf_event_open", __NR_perf_event_open, {ADDRESS(&event), 0, -1, -1, 0}},
    {"userfaultfd", __NR_userfaultfd, {UFFD_USER_MODE_ONLY}},
    {"init_module", __NR_init_module, {0, 0, ADDRESS("")}},
    {"finit_module", __NR_finit_module, {-1, ADDRESS(""), 0}},
    {"kexec_load", __NR_kexec_load, {0, 17, 0, 0}},
    {"reboot", __NR_reboot, {0, 0, 0, 0}},
    {"swapon", __NR_swapon, {ADDRESS("/.sandbox/nothing"), 0}},
    {"sethostname", __NR_sethostname, {ADDRESS("sandbox"), 7}},
    {"syslog", __NR_syslog, {SYSLOG_READ_ALL, ADDRESS(dmesg), sizeof dmesg}},
    {"open_by_handle_at", __NR_open_by_handle_at, {AT_FDCWD, ADDRESS(&handle), O_RDONLY}},
    {"fanotify_init", __NR_fanotify_init, {0, O_RDONLY}},
    {"setgroups", __NR_setgroups, {1, ADDRESS(root_group)}},
    {"capset", __NR_capset, {ADDRESS(&capability_header), ADDRESS(every_capability)}},
    {"personality", __NR_personality, {0x0040000}},
};

static long errno_of(long result)
{
    return result < 0 ? -result : 0;
}

static void report(const char *name, long child)
{
    outcome("call", name, -wait_for(child));
}

/* In a child of its own: a new namespace, a tracer or a kill by the filter goes no further. */
static void attempt(const struct call *call)
{
    long child = fork_child();
    if (child == 0) {
        const long *a = call->arguments;
        long result = sys(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
        if (result == 0 && call->number == __NR_mount)
            sys(__NR_umount2, a[1], 2);
        leave(errno_of(result));
    }
    report(call->name, child);
}

/* The filter must know the native architecture only. */
#ifdef __x86_64__
static void attempt_foreign(void)
{
    long child = fork_child();
    if (child == 0) {
        int result;
        __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory", "cc");
        leave(errno_of(result));
    }
    report("abi:i386", child);
    child = fork_child();
    if (child == 0)
        leave(errno_of(sys(0x40000000 | __NR_getpid)));
    report("abi:x32", child);
}
#else
static void attempt_foreign(void)
{
}
#endif

/* To another user: to root, or, for root, to any other. */
static void attempt_identity(void)
{
    long child = fork_child();
    if (child == 0)
        leave(errno_of(sys(__NR_setuid, sys(__NR_getuid) == 0)));
    report("setuid", child);
    child = fork_child();
    if (child == 0)
        leave(errno_of(sys(__NR_setgid, sys(__NR_getgid) == 0)));
    report("setgid", child);
}

static void attempt_pidfd(void)
{
    long child = fork_child();
    if (child == 0) {
        long open = sys(__NR_pidfd_open, 1, 0);
        leave(errno_of(open < 0 ? open : sys(__NR_pidfd_getfd, open, 1, 0)));
    }
    report("pidfd_getfd", child);
}

void attempt_calls(void)
{
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
        attempt(&calls[i]);
    attempt_foreign();
    attempt_identity();
    attempt_pidfd();
}
