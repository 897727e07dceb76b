#include "probe.h"
#include <linux/fcntl.h>

long read_file(const char *path, char *into, long size)
{
    long file = sys(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (file < 0)
        return file;
    long total = 0, count;
    while (total < size && (count = sys(__NR_read, file, (into + total), size - total)) != 0) {
        if (count < 0) {
            if (total == 0)
                total = count;
            break;
        }
        total += count;
    }
    sys(__NR_close, file);
    return total;
}

void file_fact(const char *path)
{
    static char content[4096];
    long length = read_file(path, content, sizeof content);
    word("file");
    word(path);
    number(length < 0 ? -length : 0);
    bytes(content, length < 0 ? 0 : length);
    end_line();
}

struct entry {
    unsigned long inode;
    long offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

void each_name(const char *folder, void (*visit)(const char *name))
{
    _Alignas(struct entry) char entries[4096];
    long open = sys(__NR_openat, AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (open < 0)
        return;
    for (long count; (count = sys(__NR_getdents64, open, entries, sizeof entries)) > 0;)
        for (long at = 0; at < count; at += ((struct entry *)(entries + at))->length)
            visit(((struct entry *)(entries + at))->name);
    sys(__NR_close, open);
}

/* Read at least one byte: an empty file stands for a mask (`/dev/null` over /proc/kcore). */
static long read_byte(const char *path)
{
    char byte;
    long count = read_file(path, &byte, 1);
    return count == 0 ? -ENODATA : count;
}

/* gVisor shows every environment; the supervisor has overwritten its own with NUL bytes, which tell nothing. */
long read_environment(const char *path)
{
    static char content[1 << 16];
    long length = read_file(path, content, sizeof content);
    for (long i = 0; i < length; i++)
        if (content[i])
            return length;
    return length < 0 ? length : -ENODATA;
}

void attempt_reads(void)
{
    /* Not maps and auxv: gVisor shows them, and addresses are of no use to who cannot read the memory. */
    static const char *const secrets[] = {"/proc/1/mem", "/proc/1/fd/0", "/proc/1/exe", "/proc/kcore", "/proc/kmsg",
                                          "/dev/mem", "/dev/kmsg"};
    static const char *const contents[] = {"/etc/hosts",
                                           "/etc/resolv.conf",
                                           "/proc/self/cgroup",
                                           "/sys/fs/cgroup/memory.max",
                                           "/sys/fs/cgroup/memory.swap.max",
                                           "/sys/fs/cgroup/pids.max",
                                           "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                           "/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes",
                                           "/sys/fs/cgroup/pids/pids.max"};
    for (unsigned i = 0; i < sizeof secrets / sizeof *secrets; i++)
        outcome("read", secrets[i], read_byte(secrets[i]));
    outcome("read", "/proc/1/environ", read_environment("/proc/1/environ"));
    for (unsigned i = 0; i < sizeof contents / sizeof *contents; i++)
        file_fact(contents[i]);
}
