#include "probe.h"
#include "sockets.h"
#include <linux/in.h>

/* Of TEST-NET-1, which is nowhere: naming it as a datagram's goal sends nothing, and tells the own address on the way there. */
#define NOWHERE 0xc0000201
/* Time enough on a busy host: nothing of the host's own drops a packet without meaning to. */
#define CONNECT_MS 600
/* While Docker makes a network, anybody's, its networks meet for milliseconds: who is reached is tried once more. */
#define AGAIN_MS 300

static long own_address(struct sockaddr_in *address)
{
    struct sockaddr_in nowhere = {.sin_family = FAMILY_INET, .sin_port = __builtin_bswap16(9)};
    nowhere.sin_addr.s_addr = __builtin_bswap32(NOWHERE);
    int size = sizeof *address;
    long socket = sys(__NR_socket, FAMILY_INET, DATAGRAM | CLOSE_ON_EXEC, 0);
    if (socket < 0)
        return socket;
    long result = sys(__NR_connect, socket, &nowhere, sizeof nowhere);
    if (result == 0)
        result = sys(__NR_getsockname, socket, address, &size);
    sys(__NR_close, socket);
    address->sin_port = 0;
    return result;
}

/* Listens on a port of the kernel's choice, at every address, until the program ends. */
static long listen_anywhere(unsigned short *port)
{
    struct sockaddr_in anywhere = {.sin_family = FAMILY_INET};
    int size = sizeof anywhere;
    long socket = sys(__NR_socket, FAMILY_INET, STREAM | CLOSE_ON_EXEC, 0);
    if (socket < 0)
        return socket;
    long result = sys(__NR_bind, socket, &anywhere, sizeof anywhere);
    if (result == 0)
        result = sys(__NR_listen, socket, 16);
    if (result == 0)
        result = sys(__NR_getsockname, socket, &anywhere, &size);
    *port = anywhere.sin_port;
    return result;
}

static const char *text_of(const struct sockaddr_in *address)
{
    static char text[sizeof "255.255.255.255:65535"];
    const unsigned char *octets = (const unsigned char *)&address->sin_addr;
    char *at = text;
    for (int i = 0; i < 4; i++) {
        at = decimal(at, octets[i]);
        *at++ = i < 3 ? '.' : ':';
    }
    *decimal(at, __builtin_bswap16(address->sin_port)) = 0;
    return text;
}

/* Waits where others shall not come, and says where that is, and whether anybody could be met there. */
void wait_for_neighbours(const char *milliseconds)
{
    struct sockaddr_in address = {0};
    long result = own_address(&address);
    if (result == 0)
        result = listen_anywhere(&address.sin_port);
    const char *where = text_of(&address);
    outcome("listening", where, result ? result : connect_tcp(where, CONNECT_MS));
    flush();
    pause_ms(parse(milliseconds));
}

/* Says what came of the attempt, of a second one where the first succeeded, and the own address. */
void attempt_neighbour(const char *where)
{
    struct sockaddr_in address = {0};
    long result = own_address(&address);
    outcome("address", text_of(&address), result);
    long first = connect_tcp(where, CONNECT_MS), again = first;
    if (first == 0) {
        pause_ms(AGAIN_MS);
        again = connect_tcp(where, CONNECT_MS);
    }
    word("neighbour");
    number(-first);
    number(-again);
    end_line();
}
