/* bits : in the current folder, attempts every system call that could make a file with the setuid or setgid bit. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char name[64];
static const int modes[] = {04755, 02755, 06755};

static const char *fresh(const char *how, int mode)
{
    snprintf(name, sizeof name, "%s-%o", how, mode);
    close(open(name, O_CREAT | O_WRONLY, 0700));
    return name;
}

static const char *absent(const char *how, int mode)
{
    snprintf(name, sizeof name, "%s-%o", how, mode);
    return name;
}

int main(void)
{
    umask(0);
    for (int i = 0; i < 3; i++) {
        int mode = modes[i];
        struct { unsigned long flags, mode, resolve; } how = {O_CREAT | O_WRONLY, mode, 0};
#ifdef SYS_chmod
        syscall(SYS_chmod, fresh("chmod", mode), mode);
        syscall(SYS_open, absent("open", mode), O_CREAT | O_WRONLY, mode);
        syscall(SYS_creat, absent("creat", mode), mode);
        syscall(SYS_mknod, absent("mknod", mode), S_IFREG | mode, 0);
#endif
        syscall(SYS_fchmod, open(fresh("fchmod", mode), O_RDONLY), mode);
        syscall(SYS_fchmodat, AT_FDCWD, fresh("fchmodat", mode), mode);
        syscall(452, AT_FDCWD, fresh("fchmodat2", mode), mode, 0);
        syscall(SYS_openat, AT_FDCWD, absent("openat", mode), O_CREAT | O_WRONLY, mode);
        syscall(SYS_openat2, AT_FDCWD, absent("openat2", mode), &how, sizeof how);
        syscall(SYS_mknodat, AT_FDCWD, absent("mknodat", mode), S_IFREG | mode, 0);
        syscall(SYS_mkdirat, AT_FDCWD, absent("mkdirat", mode), mode);
        int hidden = syscall(SYS_openat, AT_FDCWD, ".", O_TMPFILE | O_RDWR, mode);
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", hidden);
        if (hidden >= 0)
            linkat(AT_FDCWD, link, AT_FDCWD, absent("tmpfile", mode), AT_SYMLINK_FOLLOW);
    }
}
