/* Time that nobody inside can set, and waiting in it. */
#ifndef CLOCK_H
#define CLOCK_H

#include "sys.h"

#include <asm/poll.h>

#define MILLISECOND 1000000LL
#define SECOND (1000 * MILLISECOND)

/* Nanoseconds; the same clock as the host's timers, which stands still while the machine sleeps. */
int64_t now(void);

/* Waits until one of the descriptors is ready or the time has come; answers what ppoll does. */
long wait_until(struct pollfd *polled, unsigned count, int64_t time);

#endif
