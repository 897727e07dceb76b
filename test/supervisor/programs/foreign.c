/* Calls the kernel the way a 32-bit program does: getpid of i386. On other architectures there is no such way. */
#include <stdio.h>

int main(void)
{
#if defined(__x86_64__)
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory");
    printf("%ld\n", result);
#else
    __builtin_trap();
#endif
    return 0;
}
