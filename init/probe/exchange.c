#include "probe.h"
#include <linux/fcntl.h>

static char path[PATH_SIZE], content[256];

/* What else could be done to the host's file in a read-only folder. It is the probe's own, so all is really tried. */
static void spoil(const char *folder)
{
    static char other[PATH_SIZE];
    join(other, folder, "/renamed");
    long file = sys(__NR_openat, AT_FDCWD, path, O_WRONLY | O_TRUNC | O_CLOEXEC, 0);
    outcome("spoil", "truncate", file);
    if (file >= 0)
        sys(__NR_close, file);
    outcome("spoil", "chmod", sys(__NR_fchmodat, AT_FDCWD, path, 0600));
    outcome("spoil", "touch", sys(__NR_utimensat, AT_FDCWD, path, 0, 0));
    outcome("spoil", "link", sys(__NR_linkat, AT_FDCWD, path, AT_FDCWD, other, 0));
    outcome("spoil", "rename", sys(__NR_renameat2, AT_FDCWD, path, AT_FDCWD, other, 0));
    outcome("spoil", "unlink", sys(__NR_unlinkat, AT_FDCWD, path, 0));
}

/* What the host put into the folder is told; the answer shows the host whose files they are. */
void exchange(const char *kind, const char *folder, bool writable)
{
    long length = read_file(join(path, folder, "/from-host"), content, sizeof content);
    word("nonce");
    word(kind);
    number(length < 0 ? -length : 0);
    bytes(content, length < 0 ? 0 : length);
    end_line();
    if (length < 0)
        return;
    if (!writable)
        spoil(folder);
    long file =
        sys(__NR_openat, AT_FDCWD, join(path, folder, "/from-sandbox"), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    outcome("answer", kind, file < 0 ? file : sys(__NR_write, file, content, length));
    if (file >= 0)
        sys(__NR_close, file);
}
