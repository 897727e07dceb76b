/* The trailer: the supervisor's closing word, as docs/protocol.md lays it out. */
#ifndef TRAILER_H
#define TRAILER_H

#include "frame.h"

enum kind {
    KIND_EXITED,
    KIND_DEADLINE,
    KIND_OWNER_GONE,
    KIND_EXEC_FAILED,
    KIND_BAD_FRAME,
    KIND_MOUNT_MISMATCH,
    KIND_SETUP_FAILED,
};

#define TRAILER_OOM_KILLS_KNOWN 1u
#define TRAILER_PEAK_MEMORY_KNOWN 2u

struct trailer {
    uint8_t nonce[NONCE_SIZE];
    uint32_t version, kind, status, error, detail, flags;
    uint64_t oom_kills, peak_memory, user_us, system_us, wall_us;
};

_Static_assert(sizeof(struct trailer) == 80, "the trailer goes out as it lies in memory");

/* Writes it to stdout and to stderr, whatever the program did to them; gives up where nobody reads.
 * Answers whether one of them took it. */
bool trailer_send(const struct trailer *trailer);

#endif
