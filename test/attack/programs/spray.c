/* spray THREADS : threads that never end; prints how many there could be, then waits to be ended. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *linger(void *unused)
{
    for (;;)
        pause();
    return unused;
}

int main(int argc, char **argv)
{
    int count = 0, most = atoi(argv[1]);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    pthread_t thread;
    while (count < most && !pthread_create(&thread, &attributes, linger, NULL))
        count++;
    printf("%d\n", count);
    fflush(stdout);
    _exit(0);
}
