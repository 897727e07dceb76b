/* Prints the effective uid: installed setuid root, it must not become root. */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    uid_t real, effective, saved;
    getresuid(&real, &effective, &saved);
    printf("%d %d %d\n", real, effective, saved);
}
