#include "privileges.h"

#include <asm/errno.h>
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>

#if defined(__x86_64__)
#include "seccomp_x64.h"
#else
#include "seccomp_arm64.h"
#endif

#define DESCRIPTORS_WITHOUT_CLOSE_RANGE 1024

bool seclude(void)
{
    if (sys(__NR_prctl, PR_SET_DUMPABLE, 0) < 0)
        return false;
    /* An engine's own filter may refuse it; then there is no key to be had either. */
    sys(__NR_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
    sys(__NR_setsid);

    /* Were one of 0-2 free, the next file opened would take its place and reach the program. */
    for (int descriptor = 0; descriptor < 3; descriptor++)
        if (sys(__NR_fcntl, descriptor, F_GETFD) < 0)
            return false;
    if (sys(__NR_close_range, 3, ~0u, 0) < 0)
        for (int descriptor = 3; descriptor < DESCRIPTORS_WITHOUT_CLOSE_RANGE; descriptor++)
            sys(__NR_close, descriptor);
    return true;
}

long capabilities_drop(void)
{
    sys(__NR_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    /* Refused without CAP_SETPCAP; no-new-privileges then keeps the bounding set from giving anything. */
    for (int capability = 0; sys(__NR_prctl, PR_CAPBSET_DROP, capability) >= 0;)
        capability++;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    return sys(__NR_capset, &header, none);
}

long seccomp_install(void)
{
    static const struct sock_filter filter[] = {SECCOMP_FILTER};
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = (struct sock_filter *)filter};
    return sys(__NR_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
