#include "probe.h"

static char buffer[32 * 1024];
static long used;
static int inside_line;

void flush(void)
{
    long done = 0;
    while (done < used) {
        long count = sys(__NR_write, 1, (buffer + done), used - done);
        if (count <= 0)
            break;
        done += count;
    }
    used = 0;
}

static void put(char byte)
{
    if (used == sizeof buffer)
        flush();
    buffer[used++] = byte;
}

void bytes(const char *data, long length)
{
    static const char digits[] = "0123456789abcdef";
    if (inside_line)
        put(' ');
    inside_line = 1;
    for (long i = 0; i < length; i++) {
        unsigned char byte = data[i];
        if (byte > ' ' && byte < 127 && byte != '%') {
            put(byte);
        } else {
            put('%');
            put(digits[byte >> 4]);
            put(digits[byte & 15]);
        }
    }
}

void word(const char *text)
{
    bytes(text, (long)text_length(text));
}

void number(long value)
{
    char digits[24], *end = digits;
    if (value < 0)
        *end++ = '-';
    end = decimal(end, value < 0 ? -(unsigned long)value : (unsigned long)value);
    bytes(digits, end - digits);
}

void end_line(void)
{
    put('\n');
    inside_line = 0;
}

void outcome(const char *kind, const char *name, long result)
{
    word(kind);
    word(name);
    number(result < 0 ? -result : 0);
    end_line();
}
