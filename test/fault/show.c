/* Says what it was given, and tries to make a file in each folder that it is named. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv, char **env)
{
    printf("uid %d\n", (int)getuid());
    for (; *env; env++)
        printf("env %s\n", *env);
    for (int i = 1; i < argc; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/made", argv[i]);
        printf("arg %s\n", argv[i]);
        printf("%s %s\n", open(path, O_WRONLY | O_CREAT, 0644) < 0 ? "refused" : "wrote", argv[i]);
    }
    return 0;
}
