#include "probe.h"
#include <asm/stat.h>
#include <asm/statfs.h>
#include <linux/fcntl.h>
#include <linux/stat.h>
#include <linux/time.h>

/* Not in the headers that a program without libc can include. */
#define KEEP_TIME ((1L << 30) - 2)

static void create_in(const char *folder)
{
    static char path[PATH_SIZE];
    join(path, folder, "/.probe-write");
    long file = sys(__NR_openat, AT_FDCWD, path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    outcome("write", folder, file);
    if (file < 0)
        return;
    sys(__NR_close, file);
    sys(__NR_unlinkat, AT_FDCWD, path, 0);
}

/* Changes that change nothing where they are allowed: the same mode, time and size again. */
static void alter(const char *path)
{
    struct stat now;
    if (sys(__NR_newfstatat, AT_FDCWD, path, &now, 0) < 0)
        return;
    struct timespec times[2] = {{0, KEEP_TIME}, {now.st_mtime, now.st_mtime_nsec}};
    outcome("alter:time", path, sys(__NR_utimensat, AT_FDCWD, path, times, 0));
    outcome("alter:mode", path, sys(__NR_fchmodat, AT_FDCWD, path, now.st_mode & 01777));
    if (!S_ISREG(now.st_mode))
        return;
    long file = sys(__NR_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
    outcome("alter:size", path, file < 0 ? file : sys(__NR_ftruncate, file, now.st_size));
    if (file >= 0)
        sys(__NR_close, file);
}

static void size_of(const char *path)
{
    struct statfs sizes;
    long result = sys(__NR_statfs, path, &sizes);
    if (result < 0)
        return;
    word("size");
    word(path);
    number(sizes.f_blocks * sizes.f_bsize);
    number(sizes.f_files);
    end_line();
}

static void unescape_octal(char *text)
{
    char *to = text;
    while (*text) {
        if (text[0] == '\\' && text[1] && text[2] && text[3]) {
            *to++ = (text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0');
            text += 4;
        } else {
            *to++ = *text++;
        }
    }
    *to = 0;
}

/* The fifth field of a line of mountinfo is the mount point. */
static void try_mount(char *line, long length)
{
    word("mount");
    bytes(line, length);
    end_line();
    line[length] = 0;
    for (int field = 1; field < 5; field++) {
        while (*line && *line != ' ')
            line++;
        if (*line)
            line++;
    }
    char *end = line;
    while (*end && *end != ' ')
        end++;
    *end = 0;
    unescape_octal(line);
    create_in(line);
    alter(line);
    size_of(line);
}

static void try_mounts(void)
{
    static char table[256 * 1024];
    long length = read_file("/proc/self/mountinfo", table, sizeof table - 1);
    if (length < 0)
        outcome("read", "/proc/self/mountinfo", length);
    for (long start = 0, at = 0; at < length; at++) {
        if (table[at] != '\n')
            continue;
        try_mount(table + start, at - start);
        start = at + 1;
    }
}

static void try_parents(void)
{
    static char path[PATH_SIZE];
    long length = sys(__NR_getcwd, path, sizeof path);
    if (length <= 0)
        return;
    for (long at = length - 1; at > 0; at--) {
        if (path[at] != '/' && path[at] != 0)
            continue;
        path[at] = 0;
        create_in(path);
    }
}

void attempt_writes(char **environment)
{
    static const char *const folders[] = {"/",      "/etc",           "/usr",  "/usr/bin",  "/usr/local",
                                          "/bin",   "/lib",           "/var",  "/var/tmp",  "/var/lib",
                                          "/run",   "/run/lock",      "/dev",  "/dev/shm",  "/dev/mqueue",
                                          "/sys",   "/sys/fs/cgroup", "/proc", "/proc/sys", "/proc/self",
                                          "/home",  "/root",          "/opt",  "/srv",      "/mnt",
                                          "/media", "/boot",          "/tmp",  "/.sandbox"};
    static const char *const files[] = {"/proc/sysrq-trigger",
                                        "/proc/sys/kernel/core_pattern",
                                        "/proc/sys/kernel/hostname",
                                        "/proc/sys/vm/overcommit_memory",
                                        "/sys/kernel/uevent_helper",
                                        "/sys/fs/cgroup/cgroup.procs",
                                        "/sys/fs/cgroup/memory.max",
                                        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                        "/sys/fs/cgroup/memory/release_agent",
                                        "/sys/fs/cgroup/pids/pids.max",
                                        "/.sandbox/supervisor",
                                        "/etc/passwd",
                                        "/etc/hosts",
                                        "/dev/mem",
                                        "/dev/kmsg"};
    try_mounts();
    try_parents();
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++)
        create_in(folders[i]);
    for (; *environment; environment++)
        if (text_starts(*environment, "HOME="))
            create_in(*environment + 5);
    /* Opened, never written: where a guarantee fails, nothing must come of it. */
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        long file = sys(__NR_openat, AT_FDCWD, files[i], O_WRONLY | O_CLOEXEC | O_NONBLOCK, 0);
        outcome("open", files[i], file);
        if (file >= 0)
            sys(__NR_close, file);
    }
}
