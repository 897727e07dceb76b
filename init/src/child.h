/* From the forked child to the program. */
#ifndef CHILD_H
#define CHILD_H

#include "frame.h"

/* Which step failed: the trailer's detail for kind setup-failed. */
enum step {
    STEP_FORK = 1,
    STEP_SESSION,
    STEP_STDIN,
    STEP_RLIMITS,
    STEP_CAPABILITIES,
    STEP_CWD,
    STEP_SIGNALS,
    STEP_NO_NEW_PRIVS,
    STEP_SECCOMP,
    STEP_EXEC,
};

/* Lies in memory that both share until exec unmaps the child's side. */
struct failure {
    enum step step;
    uint32_t error;
};

_Noreturn void child_become(const struct frame *frame, volatile struct failure *failure);

#endif
