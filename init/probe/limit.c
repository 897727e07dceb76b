#include "probe.h"
#include <asm/mman.h>
#include <linux/falloc.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/signal.h>

#define STEP (1L << 20)
#define PAGE 4096

static char path[PATH_SIZE];

static long create(const char *folder)
{
    join(path, folder, "/.probe-size");
    return sys(__NR_openat, AT_FDCWD, path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
}

static void discard(const char *kind, const char *folder, long file, long result)
{
    outcome(kind, folder, file < 0 ? file : result);
    if (file < 0)
        return;
    sys(__NR_close, file);
    sys(__NR_unlinkat, AT_FDCWD, path, 0);
}

void fill(const char *folder, long size)
{
    long file = create(folder);
    discard("fill", folder, file, sys(__NR_fallocate, file, 0, 0, size));
}

/* A hole: it takes no space where the limit does not hold. SIGXFSZ stays blocked, so only errno tells. */
void grow_file(const char *folder, long size)
{
    unsigned long blocked = 1UL << (SIGXFSZ - 1);
    sys(__NR_rt_sigprocmask, SIG_BLOCK, &blocked, 0, sizeof blocked);
    long file = create(folder);
    discard("grow", folder, file, sys(__NR_ftruncate, file, size));
}

/* The thread ends before it needs a stack; the kernel clears `running` when it does. */
void start_thread(void)
{
    static volatile int running = 1;
    static _Alignas(16) char stack[PAGE];
    long result = start_and_exit(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                                     CLONE_CHILD_CLEARTID,
                                 stack + PAGE, &running);
    for (int waits = 0; result > 0 && running && waits < 200; waits++)
        pause_ms(1);
    outcome("thread", "start", result > 0 && running ? -ETIMEDOUT : result);
}

/* Every child waits for the end of a pipe; nobody else holds its other end. */
void fork_until_refused(long most)
{
    int ends[2];
    char byte;
    long count = 0, result = 0;
    if (sys(__NR_pipe2, ends, O_CLOEXEC) < 0)
        return;
    for (; count < most; count++) {
        result = fork_child();
        if (result < 0)
            break;
        if (result > 0)
            continue;
        sys(__NR_close, ends[1]);
        sys(__NR_read, ends[0], &byte, 1);
        leave(0);
    }
    sys(__NR_close, ends[1]);
    sys(__NR_close, ends[0]);
    for (long i = 0; i < count; i++)
        wait_for(-1);
    word("forks");
    number(count);
    number(result < 0 ? -result : 0);
    end_line();
}

/* The child offers itself to the out-of-memory killer, so that the facts so far and the supervisor live on. */
void touch_memory(long most)
{
    volatile long *touched =
        (volatile long *)sys(__NR_mmap, 0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if ((long)touched < 0 && (long)touched > -PAGE)
        return;
    flush();
    long child = fork_child();
    if (child == 0) {
        long file = sys(__NR_openat, AT_FDCWD, "/proc/self/oom_score_adj", O_WRONLY, 0);
        sys(__NR_write, file, "1000", 4);
        for (; *touched < most; *touched += STEP) {
            char *block = (char *)sys(__NR_mmap, 0, STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if ((long)block < 0 && (long)block > -PAGE)
                leave(ENOMEM);
            for (long at = 0; at < STEP; at += PAGE)
                block[at] = 1;
        }
        leave(0);
    }
    long code = wait_for(child);
    word("memory");
    number(*touched);
    number(code);
    end_line();
}
