/* calls NAME... : attempts each system call in a child of its own and prints "NAME errno", 0 where it was let through. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/fanotify.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT(pointer) ((long)(pointer))

static char byte[256];
static int pair[2];
static struct iovec one = {byte, 1};
static struct clone_args new_user = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
static struct io_uring_params ring;
static union bpf_attr map = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
static struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event, .exclude_kernel = 1};
static struct timex clock_state;
static struct rlimit limit;
static struct sched_param param;
static struct {
    unsigned bytes, type;
    char handle[120];
} handle = {120, 0, ""};
static struct {
    unsigned long flags, mode, resolve;
} how = {O_RDONLY, 0, 0};
static cpu_set_t cpus;

/* Arguments with which an unfiltered kernel lets the call through, or fails for another reason than permission; none
   does harm where it succeeds. */
static const struct call {
    const char *name;
    long number, arguments[6];
} calls[] = {
    {"unshare:user", SYS_unshare, {CLONE_NEWUSER}},
    {"unshare:mount", SYS_unshare, {CLONE_NEWUSER | CLONE_NEWNS}},
    {"unshare:net", SYS_unshare, {CLONE_NEWUSER | CLONE_NEWNET}},
    {"setns", SYS_setns, {-1, 0}},
    {"clone:user", SYS_clone, {CLONE_NEWUSER | SIGCHLD}},
    {"clone3:user", SYS_clone3, {AT(&new_user), sizeof new_user}},
    {"openat2", SYS_openat2, {AT_FDCWD, AT("/"), AT(&how), sizeof how}},
    {"io_uring_setup", SYS_io_uring_setup, {1, AT(&ring)}},
    {"mount", SYS_mount, {AT("none"), AT("/tmp"), AT("tmpfs"), 0, 0}},
    {"umount2", SYS_umount2, {AT("/dev/shm"), 2}},
    {"pivot_root", SYS_pivot_root, {AT("/tmp"), AT("/tmp")}},
    {"chroot", SYS_chroot, {AT("/tmp")}},
    {"open_tree", SYS_open_tree, {AT_FDCWD, AT("/"), 0}},
    {"mount_setattr", SYS_mount_setattr, {AT_FDCWD, AT("/"), 0, 0, 0}},
    {"fsopen", SYS_fsopen, {AT("tmpfs"), 0}},
    {"add_key", SYS_add_key, {AT("user"), AT("attack"), AT("x"), 1, -2}},
    {"keyctl:session", SYS_keyctl, {KEYCTL_GET_KEYRING_ID, -3, 0}},
    {"request_key", SYS_request_key, {AT("user"), AT("attack"), 0, 0}},
    {"ptrace:traceme", SYS_ptrace, {PTRACE_TRACEME}},
    {"ptrace:seize", SYS_ptrace, {PTRACE_SEIZE, 1, 0, 0}},
    {"process_vm_readv", SYS_process_vm_readv, {-1, AT(&one), 1, AT(&one), 1, 0}},
    {"process_vm_writev", SYS_process_vm_writev, {-1, AT(&one), 1, AT(&one), 1, 0}},
    {"kcmp", SYS_kcmp, {-1, -1, 0, 0, 0}},
    {"pidfd_getfd", SYS_pidfd_getfd, {-1, 0, 0}},
    {"userfaultfd", SYS_userfaultfd, {1}},
    {"bpf", SYS_bpf, {BPF_MAP_CREATE, AT(&map), sizeof map}},
    {"perf_event_open", SYS_perf_event_open, {AT(&event), 0, -1, -1, 0}},
    {"init_module", SYS_init_module, {0, 0, AT("")}},
    {"finit_module", SYS_finit_module, {-1, AT(""), 0}},
    {"kexec_load", SYS_kexec_load, {0, 17, 0, 0}},
    {"reboot", SYS_reboot, {0, 0, 0, 0}},
    {"swapon", SYS_swapon, {AT("/nowhere/at/all"), 0}},
    {"quotactl", SYS_quotactl, {0, 0, 0, 0}},
    {"syslog", SYS_syslog, {3, AT(byte), sizeof byte}},
    {"name_to_handle_at", SYS_name_to_handle_at, {AT_FDCWD, AT("/tmp"), AT(&handle), AT(byte), 0}},
    {"open_by_handle_at", SYS_open_by_handle_at, {AT_FDCWD, AT(&handle), O_RDONLY}},
    {"fanotify_init", SYS_fanotify_init, {FAN_REPORT_FID, O_RDONLY}},
    {"adjtimex", SYS_adjtimex, {AT(&clock_state)}},
    {"sethostname", SYS_sethostname, {AT("attack"), 6}},
    {"get_mempolicy", SYS_get_mempolicy, {0, 0, 0, 0, 0}},
#ifdef SYS_sysfs
    {"sysfs", SYS_sysfs, {3}},
#endif
    {"personality", SYS_personality, {0x0040000}},
    {"prlimit64", SYS_prlimit64, {1, RLIMIT_NOFILE, 0, AT(&limit)}},
    {"sched_setaffinity", SYS_sched_setaffinity, {1, sizeof cpus, AT(&cpus)}},
    {"sched_setscheduler", SYS_sched_setscheduler, {1, SCHED_BATCH, AT(&param)}},
    {"pidfd_open", SYS_pidfd_open, {1, 0}},
    {"pidfd_send_signal", SYS_pidfd_send_signal, {-1, 0, 0, 0}},
    {"setpriority", SYS_setpriority, {PRIO_PROCESS, 1, 1}},
    {"setpriority:user", SYS_setpriority, {PRIO_USER, 0, 1}},
    {"ioprio_set", SYS_ioprio_set, {1, 1, 3 << 13}},
    {"ioprio_set:user", SYS_ioprio_set, {3, 0, 3 << 13}},
    {"lease", SYS_fcntl, {-1, F_SETLEASE, F_RDLCK}},
    {"tiocsti", SYS_ioctl, {-1, 0x5412, AT("x")}},
    {"socket:packet", SYS_socket, {AF_PACKET, SOCK_RAW, 0}},
    {"socket:raw", SYS_socket, {AF_INET, SOCK_RAW, 1}},
    {"socket:alg", SYS_socket, {AF_ALG, SOCK_SEQPACKET, 0}},
    {"socket:vsock", SYS_socket, {AF_VSOCK, SOCK_STREAM, 0}},
    {"socket:uevent", SYS_socket, {AF_NETLINK, SOCK_RAW, 15}},
    {"socket:diag", SYS_socket, {AF_NETLINK, SOCK_RAW, 4}},
    {"socketpair", SYS_socketpair, {AF_INET, SOCK_STREAM, 0, AT(pair)}},
};

/* Answers where the call is let through, or ends the child by the filter's signal. */
static int attempt(const struct call *call)
{
    const long *a = call->arguments;
    errno = 0;
    long result = syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
    return result < 0 ? errno : 0;
}

static void report(const struct call *call)
{
    pid_t child = fork();
    if (!child)
        _exit(attempt(call));
    int status = 0;
    waitpid(child, &status, 0);
    printf("%s %d\n", call->name, WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    CPU_SET(0, &cpus);
    for (int i = 1; i < argc; i++)
        for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
            if (!strcmp(argv[i], calls[k].name))
                report(&calls[k]);
}
