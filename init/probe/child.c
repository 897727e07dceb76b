#include "probe.h"
#include <linux/signal.h>
#include <linux/time.h>

long fork_child(void)
{
    return sys(__NR_clone, SIGCHLD, 0, 0, 0, 0);
}

void leave(long code)
{
    for (;;)
        sys(__NR_exit_group, code);
}

long wait_for(long pid)
{
    int status = 0;
    while (sys(__NR_wait4, pid, &status, 0, 0) == -EINTR)
        ;
    return status & 127 ? 1000 + (status & 127) : (status >> 8) & 255;
}

void pause_ms(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    sys(__NR_nanosleep, &time, 0);
}
