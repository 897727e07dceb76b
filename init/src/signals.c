#include "signals.h"

#include <linux/fcntl.h>
#include <linux/signal.h>
#include <linux/signalfd.h>

#define SIGNALS 64
#define BIT(signal) (1ULL << ((signal) - 1))

int signals_open(void)
{
    uint64_t all = ~0ULL;
    sys(__NR_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);

    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int signal = 1; signal <= SIGNALS; signal++)
        sys(__NR_rt_sigaction, signal, &standard, NULL, sizeof all);

    uint64_t wanted = BIT(SIGCHLD) | BIT(SIGTERM);
    return (int)sys(__NR_signalfd4, -1, &wanted, sizeof wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool signals_take_term(int signals)
{
    struct signalfd_siginfo pending[4];
    bool term = false;
    long bytes = sys(__NR_read, signals, pending, sizeof pending);
    for (long i = 0; bytes > 0 && i < bytes / (long)sizeof *pending; i++)
        term |= pending[i].ssi_signo == SIGTERM;
    return term;
}

long signals_unblock(void)
{
    uint64_t none = 0;
    return sys(__NR_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none);
}
