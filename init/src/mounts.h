/* Are the mounts the folders that the host checked? A link swapped in between check and mount shows here. */
#ifndef MOUNTS_H
#define MOUNTS_H

#include "frame.h"

/* Index of the first mount that is not, with its errno (0: another device or inode), or -1. */
long mounts_mismatch(const struct frame *frame, uint32_t *error);

#endif
