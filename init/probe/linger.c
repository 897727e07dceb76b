#include "probe.h"
#include <linux/fcntl.h>
#include <linux/signal.h>

#define BEATS 1000
#define BEAT_MS 5

static char path[PATH_SIZE];

/* Refuses to end: ignores what can be ignored, tries to stop and to kill the supervisor, and leaves a stray behind. */
void linger(const char *folder)
{
    unsigned long blocked = ~0UL;
    sys(__NR_rt_sigprocmask, SIG_BLOCK, &blocked, 0, sizeof blocked);
    if (fork_child() == 0) {
        sys(__NR_setsid);
        if (fork_child() != 0)
            leave(0);
        long file = sys(__NR_openat, AT_FDCWD, join(path, folder, "/heartbeat"),
                        O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0644);
        for (int beat = 0; beat < BEATS; beat++) {
            sys(__NR_write, file, ".", 1);
            pause_ms(BEAT_MS);
        }
        leave(0);
    }
    /* Only where PID 1 is the supervisor of this sandbox. */
    if (sys(__NR_getppid) == 1) {
        sys(__NR_kill, 1, SIGSTOP);
        sys(__NR_kill, 1, SIGKILL);
    }
    pause_ms(BEATS * BEAT_MS);
}
