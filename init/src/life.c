#include "life.h"
#include "child.h"
#include "clock.h"
#include "memory.h"
#include "signals.h"

#include <asm/errno.h>
#include <linux/resource.h>
#include <linux/signal.h>
#include <linux/wait.h>

/* How long a process that the kernel cannot kill yet (it waits for a disk) may hold up the trailer. */
#define BURIAL (10 * SECOND)
/* So many dead are buried before the clock is looked at: a storm of them must not outlive the deadline. */
#define BATCH 64
#define DEADLINE_MAX (1ULL << 40)

struct life {
    long pid;
    uint32_t status;
    bool over;
    int64_t started, ended;
};

enum harvest { HARVEST_EMPTY, HARVEST_FULL, HARVEST_NO_CHILDREN };

static enum harvest reap(struct life *life)
{
    for (int i = 0; i < BATCH; i++) {
        int status = 0;
        long pid = sys(__NR_wait4, -1, &status, WNOHANG | __WALL, NULL);
        if (pid == 0)
            return HARVEST_EMPTY;
        if (pid < 0)
            return HARVEST_NO_CHILDREN;
        if (pid == life->pid && !life->over) {
            life->over = true;
            life->status = (uint32_t)status;
            life->ended = now();
        }
    }
    return HARVEST_FULL;
}

/* Whatever still comes over the owner's line has no meaning; that it ends has. */
static bool owner_gone(short events)
{
    char ignored[256];
    if (!events)
        return false;
    long got = sys(__NR_read, 0, ignored, sizeof ignored);
    return got <= 0 && got != -EAGAIN;
}

static enum kind watch(struct life *life, int64_t deadline, bool owner_line, int signals)
{
    struct pollfd polled[] = {{.fd = signals, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
    for (;;) {
        enum harvest harvest = reap(life);
        if (life->over)
            return KIND_EXITED;
        if (now() >= deadline)
            return KIND_DEADLINE;
        polled[0].revents = polled[1].revents = 0;
        wait_until(polled, owner_line ? 2 : 1, harvest == HARVEST_FULL ? 0 : deadline);
        if (polled[0].revents && signals_take_term(signals))
            sys(__NR_kill, -1, SIGTERM);
        if (owner_gone(polled[1].revents))
            return KIND_OWNER_GONE;
    }
}

/* kill(-1) takes every process at once, and what has SIGKILL pending forks no more: one stroke ends a fork bomb. */
static void end_all(struct life *life, int signals)
{
    int64_t patience = now() + BURIAL;
    struct pollfd polled = {.fd = signals, .events = POLLIN};
    for (enum harvest harvest; now() < patience;) {
        sys(__NR_kill, -1, SIGKILL);
        harvest = reap(life);
        if (harvest == HARVEST_NO_CHILDREN)
            return;
        if (harvest == HARVEST_EMPTY) {
            wait_until(&polled, 1, now() + 10 * MILLISECOND);
            signals_take_term(signals);
        }
    }
}

static uint64_t microseconds(const struct __kernel_old_timeval *time)
{
    return (uint64_t)time->tv_sec * 1000000 + (uint64_t)time->tv_usec;
}

static void settle(const struct life *life, const volatile struct failure *failure, struct trailer *trailer)
{
    struct rusage usage = {0};
    sys(__NR_getrusage, RUSAGE_CHILDREN, &usage);
    trailer->user_us = microseconds(&usage.ru_utime);
    trailer->system_us = microseconds(&usage.ru_stime);
    trailer->wall_us = (uint64_t)(life->ended - life->started) / 1000;

    if (failure->step) {
        trailer->kind = failure->step == STEP_EXEC ? KIND_EXEC_FAILED : KIND_SETUP_FAILED;
        trailer->error = failure->error;
        trailer->detail = failure->step;
        return;
    }
    trailer->status = life->status;
    /* A program that was quicker than the stroke ended by itself. */
    if (life->status != SIGKILL)
        trailer->kind = KIND_EXITED;
}

void live(const struct frame *frame, int signals, struct trailer *trailer)
{
    trailer->kind = KIND_SETUP_FAILED;
    trailer->detail = STEP_FORK;
    struct failure *failure = pages(sizeof *failure, true);
    if (!failure) {
        trailer->error = ENOMEM;
        return;
    }

    struct life life = {.status = SIGKILL, .started = now()};
    life.pid = sys(__NR_clone, SIGCHLD, 0, 0, 0, 0);
    if (life.pid < 0) {
        trailer->error = (uint32_t)-life.pid;
        return;
    }
    if (!life.pid)
        child_become(frame, failure);

    bool owner_line = !(frame->flags & FRAME_FLAG_STDIN);
    if (!owner_line)
        sys(__NR_close, 0); /* or whoever feeds the program would never learn that it reads no more */
    uint64_t allowed = frame->deadline_ms < DEADLINE_MAX ? frame->deadline_ms : DEADLINE_MAX;
    trailer->detail = 0;
    trailer->kind = watch(&life, life.started + (int64_t)allowed * MILLISECOND, owner_line, signals);
    life.ended = now();
    end_all(&life, signals);
    settle(&life, failure, trailer);
}
