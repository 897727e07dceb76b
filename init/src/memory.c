#include "memory.h"

#include <linux/mman.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    while (size--)
        *out++ = *in++;
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    uint8_t *out = to;
    while (size--)
        *out++ = (uint8_t)byte;
    return to;
}

size_t text_length(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

bool text_starts(const char *text, const char *prefix)
{
    while (*prefix)
        if (*text++ != *prefix++)
            return false;
    return true;
}

void *pages(size_t size, bool shared)
{
    int flags = MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE);
    long address = sys(__NR_mmap, 0, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    return address < 0 && address > -4096 ? NULL : (void *)address;
}
