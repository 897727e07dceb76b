#include "cgroup.h"
#include "memory.h"

#include <linux/fcntl.h>

#define ROOT "/sys/fs/cgroup/"

static long open_either(const char *version2, const char *version1)
{
    long file = sys(__NR_openat, AT_FDCWD, version2, O_RDONLY | O_CLOEXEC);
    return file >= 0 ? file : sys(__NR_openat, AT_FDCWD, version1, O_RDONLY | O_CLOEXEC);
}

/* The number that stands after `key` at the start of a line. */
static bool read_number(long file, const char *key, uint64_t *number)
{
    char text[512];
    long size = file < 0 ? file : sys(__NR_pread64, file, text, sizeof text - 1, 0);
    if (size <= 0)
        return false;
    text[size] = 0;

    const char *line = text;
    while (!text_starts(line, key)) {
        while (*line && *line != '\n')
            line++;
        if (!*line++)
            return false;
    }
    line += text_length(key);
    if (*line < '0' || *line > '9')
        return false;
    for (*number = 0; *line >= '0' && *line <= '9'; line++)
        *number = *number * 10 + (uint64_t)(*line - '0');
    return true;
}

/* Only the root of a version 1 hierarchy has this file: it counts the whole machine. Version 2 counts nothing there. */
static bool is_root_of_the_machine(void)
{
    return sys(__NR_faccessat, AT_FDCWD, ROOT "memory/release_agent", 0) == 0;
}

void cgroup_open(struct cgroup *cgroup)
{
    cgroup->kills_file = cgroup->peak_file = -1;
    cgroup->kills_before = 0;
    if (is_root_of_the_machine())
        return;
    cgroup->kills_file = open_either(ROOT "memory.events", ROOT "memory/memory.oom_control");
    cgroup->peak_file = open_either(ROOT "memory.peak", ROOT "memory/memory.max_usage_in_bytes");
    read_number(cgroup->kills_file, "oom_kill ", &cgroup->kills_before);
}

bool cgroup_oom_kills(const struct cgroup *cgroup, uint64_t *kills)
{
    uint64_t total;
    if (!read_number(cgroup->kills_file, "oom_kill ", &total))
        return false;
    *kills = total - cgroup->kills_before;
    return true;
}

bool cgroup_peak_memory(const struct cgroup *cgroup, uint64_t *bytes)
{
    return read_number(cgroup->peak_file, "", bytes);
}
