#include "frame.h"
#include "memory.h"

/* The body is unaligned and little endian; so are both architectures, which leaves the order of bytes as it is. */
static void take(struct cursor *cursor, void *to, size_t size)
{
    if (cursor->broken || (size_t)(cursor->end - cursor->at) < size) {
        cursor->broken = true;
        memset(to, 0, size);
        return;
    }
    memcpy(to, cursor->at, size);
    cursor->at += size;
}

static uint32_t take_u32(struct cursor *cursor)
{
    uint32_t value;
    take(cursor, &value, sizeof value);
    return value;
}

static uint64_t take_u64(struct cursor *cursor)
{
    uint64_t value;
    take(cursor, &value, sizeof value);
    return value;
}

/* Exactly one NUL, at its end: what a program would see is what was sent. */
static const char *take_text(struct cursor *cursor)
{
    uint32_t length = take_u32(cursor);
    const char *text = (const char *)cursor->at;
    if (cursor->broken || (size_t)(cursor->end - cursor->at) <= length || text[length]) {
        cursor->broken = true;
        return "";
    }
    for (uint32_t i = 0; i < length; i++)
        if (!text[i])
            cursor->broken = true;
    cursor->at += (size_t)length + 1;
    return text;
}

struct rlimit_entry take_rlimit(struct cursor *cursor)
{
    struct rlimit_entry entry;
    entry.resource = take_u32(cursor);
    entry.soft = take_u64(cursor);
    entry.hard = take_u64(cursor);
    return entry;
}

struct mount_entry take_mount(struct cursor *cursor)
{
    struct mount_entry entry;
    entry.device = take_u64(cursor);
    entry.inode = take_u64(cursor);
    entry.path = take_text(cursor);
    if (entry.path[0] != '/')
        cursor->broken = true;
    return entry;
}

static char **take_texts(struct cursor *cursor)
{
    uint32_t count = take_u32(cursor);
    /* A text takes five bytes at least: a count that lies must not become a request for memory. */
    if (cursor->broken || count > (size_t)(cursor->end - cursor->at) / 5) {
        cursor->broken = true;
        return NULL;
    }
    char **texts = pages((count + 1) * sizeof *texts, false);
    if (!texts)
        cursor->broken = true;
    for (uint32_t i = 0; i < count && !cursor->broken; i++)
        texts[i] = (char *)take_text(cursor);
    return texts;
}

enum frame_part frame_parse(struct frame *frame)
{
    struct cursor cursor = {.at = frame->body + NONCE_SIZE, .end = frame->body + frame->length};

    frame->deadline_ms = take_u64(&cursor);
    if (cursor.broken || !frame->deadline_ms)
        return FRAME_DEADLINE;
    frame->flags = take_u32(&cursor);
    if (cursor.broken || frame->flags & ~FRAME_FLAG_STDIN)
        return FRAME_FLAGS;
    frame->umask = take_u32(&cursor);
    if (cursor.broken || frame->umask > 0777)
        return FRAME_UMASK;

    frame->rlimit_count = take_u32(&cursor);
    frame->rlimits = cursor;
    for (uint32_t i = 0; i < frame->rlimit_count && !cursor.broken; i++)
        take_rlimit(&cursor);
    if (cursor.broken)
        return FRAME_RLIMITS;

    frame->mount_count = take_u32(&cursor);
    frame->mounts = cursor;
    for (uint32_t i = 0; i < frame->mount_count && !cursor.broken; i++)
        take_mount(&cursor);
    if (cursor.broken)
        return FRAME_MOUNTS;

    frame->argv = take_texts(&cursor);
    if (cursor.broken || !frame->argv[0])
        return FRAME_ARGV;
    frame->env = take_texts(&cursor);
    if (cursor.broken)
        return FRAME_ENV;
    frame->cwd = take_text(&cursor);
    if (cursor.broken || frame->cwd[0] != '/')
        return FRAME_CWD;
    return cursor.at == cursor.end ? FRAME_WHOLE : FRAME_REST;
}
