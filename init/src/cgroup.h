/* What the kernel counted in the sandbox's cgroup, version 2 or 1, as /sys/fs/cgroup shows it. */
#ifndef CGROUP_H
#define CGROUP_H

#include "sys.h"

/* Files stay open: at the end, with the memory full, opening them could be what takes PID 1. */
struct cgroup {
    long kills_file, peak_file;
    uint64_t kills_before;
};

void cgroup_open(struct cgroup *cgroup);

/* Answers false where the kernel does not tell. */
bool cgroup_oom_kills(const struct cgroup *cgroup, uint64_t *kills);
bool cgroup_peak_memory(const struct cgroup *cgroup, uint64_t *bytes);

#endif
