/* lease FILE : takes a write lease, which holds up whoever opens the file, says so, and holds it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int file = open(argv[1], O_RDWR | O_CREAT, 0666);
    int result = fcntl(file, F_SETLEASE, F_WRLCK);
    printf("%d\n", result < 0 ? errno : 0);
    fflush(stdout);
    sleep(2);
}
