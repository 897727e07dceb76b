/* The command, looked up as execvp does. */
#ifndef COMMAND_H
#define COMMAND_H

#include "sys.h"

/* Returns only where it failed, with a negative errno. */
long command_execute(char **argv, char **env);

#endif
