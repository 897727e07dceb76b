/* What is taken away from the program, and what PID 1 gives up for itself. */
#ifndef PRIVILEGES_H
#define PRIVILEGES_H

#include "sys.h"

/* PID 1 cannot be traced or read, holds no key of the host and nothing open but 0-2. False: it cannot be so. */
bool seclude(void);

/* Every set of capabilities, the bounding set included where that is allowed. */
long capabilities_drop(void);

/* The one filter, made from src/hardening/seccomp-profile.ts. */
long seccomp_install(void);

#endif
