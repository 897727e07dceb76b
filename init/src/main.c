/* PID 1 of a sandbox: one frame in, one program, one trailer out on stdout and on stderr. See docs/supervisor.md. */
#include "cgroup.h"
#include "clock.h"
#include "exit.h"
#include "life.h"
#include "memory.h"
#include "mounts.h"
#include "privileges.h"
#include "signals.h"

#define IDLE_SECONDS 120

static void run(struct frame *frame, int signals, struct trailer *trailer)
{
    enum frame_part broken = frame_parse(frame);
    if (broken) {
        trailer->kind = KIND_BAD_FRAME;
        trailer->detail = broken;
        return;
    }
    long mount = mounts_mismatch(frame, &trailer->error);
    if (mount >= 0) {
        trailer->kind = KIND_MOUNT_MISMATCH;
        trailer->detail = (uint32_t)mount;
        return;
    }
    live(frame, signals, trailer);
}

/* Seconds to wait for the frame, or 0 where the argument is no such number. */
static int64_t idle_seconds(int argc, char **argv)
{
    if (argc < 2)
        return IDLE_SECONDS;
    int64_t seconds = 0;
    const char *digit = argv[1];
    for (; *digit >= '0' && *digit <= '9' && seconds < 100000000; digit++)
        seconds = seconds * 10 + (*digit - '0');
    return *digit ? 0 : seconds;
}

static int supervise(int argc, char **argv)
{
    int64_t started = now();
    int64_t idle = idle_seconds(argc, argv);
    /* Anywhere but at the root of a process namespace, ending every process would end the host's. */
    if (sys(__NR_getpid) != 1 || !idle || !seclude())
        return EXIT_SETUP;
    int signals = signals_open();
    if (signals < 0)
        return EXIT_SETUP;

    struct frame frame = {0};
    int code = frame_receive(&frame, signals, started + idle * SECOND);
    if (code)
        return code;

    struct cgroup cgroup;
    struct trailer trailer = {.version = 1};
    memcpy(trailer.nonce, frame.body, NONCE_SIZE);
    cgroup_open(&cgroup);
    run(&frame, signals, &trailer);
    if (cgroup_oom_kills(&cgroup, &trailer.oom_kills))
        trailer.flags |= TRAILER_OOM_KILLS_KNOWN;
    if (cgroup_peak_memory(&cgroup, &trailer.peak_memory))
        trailer.flags |= TRAILER_PEAK_MEMORY_KNOWN;
    return trailer_send(&trailer) ? 0 : EXIT_UNHEARD;
}

/* gVisor shows the environment of an undumpable process as well; what an engine put there is not for code to read. */
static void forget(char **env)
{
    for (; *env; env++)
        memset(*env, 0, text_length(*env));
}

/* The kernel enters with argc, then argv, then the environment, at the top of the stack. */
__attribute__((used)) _Noreturn void start(long *stack)
{
    int argc = (int)stack[0];
    char **argv = (char **)(stack + 1);
    forget(argv + argc + 1);
    sys_exit(supervise(argc, argv));
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall start\n");
#else
__asm__(".globl _start\n_start:\n\tmov x29, #0\n\tmov x30, #0\n\tmov x0, sp\n\tbl start\n");
#endif
