#include "probe.h"
#include "sockets.h"
#include <linux/in.h>
#include <linux/poll.h>
#include <linux/time.h>
#include <linux/un.h>

#define LAST_FAMILY 45
#define CONNECT_MS 200

static long open_socket(int family, int type)
{
    return sys(__NR_socket, family, type | NONBLOCK | CLOSE_ON_EXEC, 0);
}

static void try_families(void)
{
    for (int family = 0; family <= LAST_FAMILY; family++) {
        long socket = -1;
        /* Some families know one type only. */
        for (int type = STREAM; type <= 5; type++) {
            long result = open_socket(family, type);
            if (type == STREAM || result >= 0)
                socket = result;
            if (result >= 0)
                break;
        }
        word("socket");
        number(family);
        number(socket < 0 ? -socket : 0);
        end_line();
        if (socket >= 0)
            sys(__NR_close, socket);
    }
    long raw = sys(__NR_socket, FAMILY_INET, RAW, 1);
    outcome("call", "socket:raw", raw);
    if (raw >= 0)
        sys(__NR_close, raw);
}

/* One fact for every line of a table of /proc/net: the first word, or the last. */
static void list(const char *kind, const char *table, int last, int heading)
{
    static char content[64 * 1024];
    long length = read_file(table, content, sizeof content - 1);
    for (long start = 0, at = 0; at < length; at++) {
        if (content[at] != '\n')
            continue;
        long from = start, to = at;
        start = at + 1;
        if (heading-- > 0)
            continue;
        if (last) {
            for (from = to; from > 0 && content[from - 1] != ' ' && content[from - 1] != '\n';)
                from--;
        } else {
            while (content[from] == ' ')
                from++;
            for (to = from; content[to] != ':' && content[to] != ' ' && to < at;)
                to++;
        }
        word(kind);
        bytes(content + from, to - from);
        end_line();
    }
}

static long finish(long socket, long result, long milliseconds)
{
    if (result != -EINPROGRESS)
        return result;
    struct pollfd ready = {socket, POLLOUT, 0};
    struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    if (sys(__NR_ppoll, &ready, 1, &limit, 0, 0) != 1)
        return -ETIMEDOUT;
    int error = 0, size = sizeof error;
    sys(__NR_getsockopt, socket, SOCKET_LEVEL, SOCKET_ERROR, &error, &size);
    return -error;
}

static long connect_to(int family, int type, void *address, long size, long milliseconds)
{
    long socket = open_socket(family, type);
    if (socket < 0)
        return socket;
    long result = finish(socket, sys(__NR_connect, socket, address, size), milliseconds);
    sys(__NR_close, socket);
    return result;
}

long connect_tcp(const char *where, long milliseconds)
{
    struct sockaddr_in address = {.sin_family = FAMILY_INET};
    unsigned char *octets = (unsigned char *)&address.sin_addr;
    for (int i = 0; i < 4; i++) {
        octets[i] = parse(where);
        while (*where >= '0' && *where <= '9')
            where++;
        if (*where)
            where++;
    }
    address.sin_port = __builtin_bswap16(parse(where));
    return connect_to(FAMILY_INET, STREAM, &address, sizeof address, milliseconds);
}

static long connect_unix(const char *where, int abstract)
{
    struct sockaddr_un address = {.sun_family = FAMILY_UNIX};
    long length = (long)text_length(where);
    if (length + 1 > (long)sizeof address.sun_path)
        return -ENAMETOOLONG;
    for (long i = 0; i < length; i++)
        address.sun_path[i + abstract] = where[i];
    long size = sizeof address.sun_family + length + 1;
    long result = connect_to(FAMILY_UNIX, STREAM, &address, size, CONNECT_MS);
    return result == -EPROTOTYPE ? connect_to(FAMILY_UNIX, DATAGRAM, &address, size, CONNECT_MS) : result;
}

void attempt_connect(const char *kind, const char *where)
{
    long result = text_starts(kind, "tcp") ? connect_tcp(where, CONNECT_MS)
                                           : connect_unix(where, text_starts(kind, "abstract"));
    word("connect");
    word(kind);
    word(where);
    number(result < 0 ? -result : 0);
    end_line();
}

void attempt_network(void)
{
    try_families();
    list("interface", "/proc/net/dev", 0, 2);
    list("listener", "/proc/net/unix", 1, 1);
}
