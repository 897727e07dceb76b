/* System calls without a C library. Every call answers what the kernel answers: a negative errno where it failed. */
#ifndef SYS_H
#define SYS_H

#include <asm/unistd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline long syscall6(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
#else
#error "no system calls known for this architecture"
#endif
}

/* sys(number, up to six arguments): the missing ones are zero. */
#define sys(...) SYS_PAD(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define SYS_PAD(number, a, b, c, d, e, f, ...)                                                                         \
    syscall6((number), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#define sys_exit(code)                                                                                                 \
    do                                                                                                                 \
        sys(__NR_exit_group, (code));                                                                                  \
    while (1)

#endif
