#include "clock.h"

#include <linux/time.h>
#include <linux/time_types.h>

int64_t now(void)
{
    struct __kernel_timespec time = {0};
    sys(__NR_clock_gettime, CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

long wait_until(struct pollfd *polled, unsigned count, int64_t time)
{
    int64_t left = time - now();
    if (left < 0)
        left = 0;
    struct __kernel_timespec timeout = {.tv_sec = left / SECOND, .tv_nsec = left % SECOND};
    return sys(__NR_ppoll, polled, count, &timeout, NULL, 8);
}
