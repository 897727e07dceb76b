/* The frame: all that one run is, as docs/protocol.md lays it out. */
#ifndef FRAME_H
#define FRAME_H

#include "sys.h"

#define NONCE_SIZE 16
#define FRAME_FLAG_STDIN 1u

/* Where reading stands in the body. A step past the end sets `broken` and yields zeros from then on. */
struct cursor {
    const uint8_t *at, *end;
    bool broken;
};

struct rlimit_entry {
    uint32_t resource;
    uint64_t soft, hard;
};

struct mount_entry {
    uint64_t device, inode;
    const char *path;
};

struct frame {
    uint8_t *body;
    uint32_t length;

    uint64_t deadline_ms;
    uint32_t flags, umask;
    uint32_t rlimit_count, mount_count;
    struct cursor rlimits, mounts; /* at their first entry, already proven to be whole */
    char **argv, **env;            /* end with NULL, point into the body */
    const char *cwd;
};

/* Which part of a frame is broken: the trailer's detail. */
enum frame_part {
    FRAME_WHOLE,
    FRAME_NONCE,
    FRAME_DEADLINE,
    FRAME_FLAGS,
    FRAME_UMASK,
    FRAME_RLIMITS,
    FRAME_MOUNTS,
    FRAME_ARGV,
    FRAME_ENV,
    FRAME_CWD,
    FRAME_REST,
};

/* Reads the body, which opens with the nonce, and not one byte of what follows. Answers 0 or the code to exit with. */
int frame_receive(struct frame *frame, int signals, int64_t deadline);

/* Fills in everything from the body. */
enum frame_part frame_parse(struct frame *frame);

struct rlimit_entry take_rlimit(struct cursor *cursor);
struct mount_entry take_mount(struct cursor *cursor);

#endif
