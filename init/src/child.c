#include "child.h"
#include "command.h"
#include "privileges.h"
#include "signals.h"

#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/time.h>

static volatile struct failure *report;

static void must(enum step step, long result)
{
    if (result >= 0)
        return;
    report->error = (uint32_t)-result;
    report->step = step;
    sys_exit(127);
}

/* Where memory runs out, the kernel is to take the program, not PID 1. Where it cannot be written, it is as it was. */
static void volunteer_for_the_oom_killer(void)
{
    /* What belongs to an undumpable process can be written by root alone, even by itself. */
    sys(__NR_prctl, PR_SET_DUMPABLE, 1);
    long file = sys(__NR_openat, AT_FDCWD, "/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
        sys(__NR_write, file, "1000", 4);
        sys(__NR_close, file);
    }
    sys(__NR_prctl, PR_SET_DUMPABLE, 0);
}

/* Without a stdin of its own the program's is at its end. A root without /dev/null gets a pipe that nobody writes. */
static long empty_stdin(void)
{
    long source = sys(__NR_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC);
    if (source < 0) {
        int ends[2];
        long result = sys(__NR_pipe2, ends, O_CLOEXEC);
        if (result < 0)
            return result;
        sys(__NR_close, ends[1]);
        source = ends[0];
    }
    return sys(__NR_dup3, source, 0, 0);
}

static long limit(uint32_t resource, uint64_t soft, uint64_t hard)
{
    struct rlimit64 have;
    long result = sys(__NR_prlimit64, 0, resource, NULL, &have);
    if (result < 0)
        return result;
    /* A host that allows less than was asked for is stricter: that is no failure. */
    struct rlimit64 want = {.rlim_max = hard < have.rlim_max ? hard : have.rlim_max};
    want.rlim_cur = soft < want.rlim_max ? soft : want.rlim_max;
    return sys(__NR_prlimit64, 0, resource, &want, NULL);
}

static long limits(const struct frame *frame)
{
    /* Too small for any dump; and of all values 1 alone keeps the kernel from starting a dump program of the host. */
    long result = limit(RLIMIT_CORE, 1, 1);
    struct cursor cursor = frame->rlimits;
    for (uint32_t i = 0; i < frame->rlimit_count && result >= 0; i++) {
        struct rlimit_entry entry = take_rlimit(&cursor);
        result = limit(entry.resource, entry.soft, entry.hard);
    }
    return result;
}

_Noreturn void child_become(const struct frame *frame, volatile struct failure *failure)
{
    report = failure;
    must(STEP_SESSION, sys(__NR_setsid));
    volunteer_for_the_oom_killer();
    if (!(frame->flags & FRAME_FLAG_STDIN))
        must(STEP_STDIN, empty_stdin());
    sys(__NR_umask, frame->umask);
    must(STEP_RLIMITS, limits(frame));
    must(STEP_CAPABILITIES, capabilities_drop());
    must(STEP_CWD, sys(__NR_chdir, frame->cwd));
    must(STEP_SIGNALS, signals_unblock());
    must(STEP_NO_NEW_PRIVS, sys(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    must(STEP_SECCOMP, seccomp_install());
    must(STEP_EXEC, command_execute(frame->argv, frame->env));
    __builtin_unreachable();
}
