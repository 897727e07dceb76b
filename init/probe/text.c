#include "probe.h"

long parse(const char *digits)
{
    long value = 0;
    while (*digits >= '0' && *digits <= '9')
        value = value * 10 + (*digits++ - '0');
    return value;
}

char *decimal(char *into, unsigned long value)
{
    if (value >= 10)
        into = decimal(into, value / 10);
    *into = '0' + value % 10;
    return into + 1;
}

char *join(char *into, const char *left, const char *right)
{
    long at = 0;
    while (*left && at < PATH_SIZE - 1)
        into[at++] = *left++;
    while (*right && at < PATH_SIZE - 1)
        into[at++] = *right++;
    into[at] = 0;
    return into;
}
