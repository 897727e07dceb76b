#include "command.h"
#include "memory.h"

#include <asm/errno.h>
#include <linux/limits.h>

/* What execvp of a C library searches where there is no PATH. */
#define DEFAULT_PATH "/bin:/usr/bin"

static bool has_slash(const char *name)
{
    for (; *name; name++)
        if (*name == '/')
            return true;
    return false;
}

static const char *search_path(char **env)
{
    for (; *env; env++)
        if (text_starts(*env, "PATH="))
            return *env + 5;
    return DEFAULT_PATH;
}

/* Errors that speak of one folder of the PATH; any other speaks of the command itself, ENOEXEC included: no shell is
 * started for a script without an interpreter line. */
static bool is_elsewhere(long error)
{
    return error == -ENOENT || error == -ENOTDIR || error == -EACCES || error == -ESTALE || error == -ENODEV ||
           error == -ETIMEDOUT;
}

long command_execute(char **argv, char **env)
{
    const char *name = argv[0];
    size_t length = text_length(name);
    if (!length)
        return -ENOENT;
    if (has_slash(name))
        return sys(__NR_execve, name, argv, env);
    if (length > NAME_MAX)
        return -ENAMETOOLONG;

    long result = -ENOENT;
    const char *folder = search_path(env);
    for (;;) {
        char candidate[PATH_MAX + NAME_MAX + 2];
        size_t size = 0;
        while (folder[size] && folder[size] != ':')
            size++;
        if (size < PATH_MAX) {
            char *at = candidate;
            if (size) {
                memcpy(at, folder, size);
                at += size;
                *at++ = '/';
            } /* an empty entry means the working directory */
            memcpy(at, name, length + 1);
            long error = sys(__NR_execve, candidate, argv, env);
            if (!is_elsewhere(error))
                return error;
            /* That it is there but may not be run says more than that it is not in the next folder. */
            if (error == -EACCES)
                result = error;
        }
        if (!folder[size])
            return result;
        folder += size + 1;
    }
}
