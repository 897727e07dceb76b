/* Says what it was given, and tries to make a file in each folder that it is named; at "wait" it waits for stdin's end. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv, char **env)
{
    printf("uid %d\n", (int)getuid());
    for (; *env; env++)
        printf("env %s\n", *env);
    for (int i = 1; i < argc; i++) {
        char path[4096];
        printf("arg %s\n", argv[i]);
        if (!strcmp(argv[i], "wait")) {
            fflush(stdout);
            while (read(0, path, sizeof path) > 0)
                ;
            continue;
        }
        snprintf(path, sizeof path, "%s/made", argv[i]);
        printf("%s %s\n", open(path, O_WRONLY | O_CREAT | O_EXCL, 0644) < 0 ? "refused" : "wrote", argv[i]);
    }
    return 0;
}
