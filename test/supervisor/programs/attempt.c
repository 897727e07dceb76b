/* Does one system call per argument (`number:argument:argument...`) and prints the errno of each, 0 for success. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        long words[7] = {0};
        char *at = argv[i];
        for (int n = 0; n < 7 && at; n++) {
            words[n] = (long)strtoull(at, &at, 0);
            at = *at == ':' ? at + 1 : NULL;
        }
        errno = 0;
        syscall(words[0], words[1], words[2], words[3], words[4], words[5], words[6]);
        printf("%d\n", errno);
    }
    return 0;
}
