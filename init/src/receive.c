#include "clock.h"
#include "exit.h"
#include "frame.h"
#include "memory.h"
#include "signals.h"

#include <asm/errno.h>

#define BODY_MAX (4u << 20)

/* poll takes no notice of it. */
#define NOBODY (-1)

struct header {
    uint8_t magic[4];
    uint32_t version, length;
};

/*
 * What follows the frame belongs to the program, so this never reads ahead. SIGTERM ends the wait for a frame, not its
 * arrival: a program that is handed over is started, and then told.
 */
static bool read_exactly(void *to, size_t size, int signals, int64_t deadline)
{
    struct pollfd polled[] = {{.fd = 0, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    for (uint8_t *at = to; size;) {
        polled[0].revents = polled[1].revents = 0;
        if (wait_until(polled, 2, deadline) <= 0)
            return false;
        if (!polled[0].revents) {
            if (signals_take_term(signals))
                return false;
            continue;
        }
        long got = sys(__NR_read, 0, at, size);
        if (got == -EAGAIN)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
        polled[1].fd = NOBODY;
    }
    return true;
}

int frame_receive(struct frame *frame, int signals, int64_t deadline)
{
    struct header header;
    if (!read_exactly(&header, sizeof header, signals, deadline))
        return EXIT_NO_FRAME;

    static const uint8_t magic[4] = {'C', 'S', 'B', 'X'};
    for (unsigned i = 0; i < sizeof magic; i++)
        if (header.magic[i] != magic[i])
            return EXIT_BAD_FRAME;
    if (header.version != 1 || header.length < NONCE_SIZE || header.length > BODY_MAX)
        return EXIT_BAD_FRAME;

    frame->length = header.length;
    frame->body = pages(header.length, false);
    if (!frame->body)
        return EXIT_SETUP;
    return read_exactly(frame->body, header.length, NOBODY, deadline) ? 0 : EXIT_NO_FRAME;
}
