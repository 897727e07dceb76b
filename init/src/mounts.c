#include "mounts.h"

#include <asm/stat.h>
#include <linux/fcntl.h>

long mounts_mismatch(const struct frame *frame, uint32_t *error)
{
    struct cursor cursor = frame->mounts;
    for (uint32_t i = 0; i < frame->mount_count; i++) {
        struct mount_entry expected = take_mount(&cursor);
        struct stat found;
        long result = sys(__NR_newfstatat, AT_FDCWD, expected.path, &found, 0);
        if (result < 0)
            *error = (uint32_t)-result;
        if (result < 0 || found.st_dev != expected.device || found.st_ino != expected.inode)
            return i;
    }
    return -1;
}
