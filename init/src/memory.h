/* Bytes and pages. The compiler calls memcpy and memset by itself, so they must exist. */
#ifndef MEMORY_H
#define MEMORY_H

#include "sys.h"

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int byte, size_t size);
size_t text_length(const char *text);
bool text_starts(const char *text, const char *prefix);

/* Zeroed pages of its own; shared ones stay common with a forked child. NULL where the kernel refuses. */
void *pages(size_t size, bool shared);

#endif
