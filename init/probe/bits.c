#include "probe.h"
#include <asm/stat.h>
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <linux/xattr.h>

static char path[PATH_SIZE];

/* Says which mode the file really has, and leaves nothing behind. */
static void judge(const char *how, long result)
{
    struct stat found = {0};
    if (sys(__NR_newfstatat, AT_FDCWD, path, &found, AT_SYMLINK_NOFOLLOW) < 0)
        found.st_mode = 0;
    word("bits");
    word(how);
    number(result < 0 ? -result : 0);
    number(found.st_mode & 07777);
    end_line();
    sys(__NR_unlinkat, AT_FDCWD, path, found.st_mode & S_IFDIR ? AT_REMOVEDIR : 0);
}

static long create(long mode)
{
    long file = sys(__NR_openat, AT_FDCWD, path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
    if (file >= 0)
        sys(__NR_close, file);
    return file;
}

/* A lease on a file that the host opens as well would make the host wait. */
static long lease(void)
{
    long file = sys(__NR_openat, AT_FDCWD, path, O_CREAT | O_RDONLY | O_CLOEXEC, 0700);
    long result = sys(__NR_fcntl, file, F_SETLEASE, F_RDLCK);
    sys(__NR_close, file);
    return result;
}

static void after_create(const char *how, long call, long mode)
{
    create(0700);
    judge(how, sys(call, AT_FDCWD, path, mode, 0));
}

void attempt_bits(const char *folder)
{
    static const struct vfs_cap_data capability = {.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
                                                   .data = {{1u << CAP_SETUID, 0}, {0, 0}}};
    struct open_how how = {.flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, .mode = 04755};
    join(path, folder, "/bits");

    after_create("chmod:setuid", __NR_fchmodat, 04755);
    after_create("chmod:setgid", __NR_fchmodat, 02755);
    after_create("fchmodat2:setuid", 452, 04755);
    judge("open:setuid", create(04755));
    judge("open:setgid", create(02755));
    judge("mknod:setuid", sys(__NR_mknodat, AT_FDCWD, path, S_IFREG | 04755, 0));
    judge("mknod:setgid", sys(__NR_mknodat, AT_FDCWD, path, S_IFREG | 02755, 0));
    judge("mkdir:setgid", sys(__NR_mkdirat, AT_FDCWD, path, 02755));

    long file = sys(__NR_openat2, AT_FDCWD, path, &how, sizeof how);
    if (file >= 0)
        sys(__NR_close, file);
    judge("openat2:setuid", file);

    create(0700);
    file = sys(__NR_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
    long result = sys(__NR_fchmod, file, 04755);
    sys(__NR_close, file);
    judge("fchmod:setuid", result);

    outcome("call", "mknod:device", sys(__NR_mknodat, AT_FDCWD, path, S_IFCHR | 0600, 1 << 8 | 3));
    sys(__NR_unlinkat, AT_FDCWD, path, 0);
    outcome("call", "lease", lease());
    create(0700);
    outcome("call", "setxattr:capability", sys(__NR_setxattr, path, XATTR_NAME_CAPS, &capability, XATTR_CAPS_SZ_2, 0));
    sys(__NR_unlinkat, AT_FDCWD, path, 0);
}
