/* A bomb of bounded size: LINES chains, each of which forks and exits without end, so that no pid lives for long. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define LINES 40

static void chain(void)
{
    setsid();
    for (;;)
        if (fork() > 0)
            _exit(0);
}

int main(void)
{
    signal(SIGTERM, SIG_IGN);
    for (int i = 0; i < LINES; i++)
        if (!fork())
            chain();
    puts("storm");
    fflush(stdout);
    for (;;)
        pause();
}
