/* What libc would define. */
#pragma once

#define FAMILY_UNIX 1
#define FAMILY_INET 2
#define STREAM 1
#define DATAGRAM 2
#define RAW 3
#define NONBLOCK 04000
#define CLOSE_ON_EXEC 02000000
#define SOCKET_LEVEL 1
#define SOCKET_ERROR 4
