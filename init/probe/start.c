/* What differs between the architectures: where a program begins, and a thread that ends at once. */
#include "probe.h"

#ifdef __x86_64__
__asm__(".globl _start\n_start:\n  xor %ebp, %ebp\n  mov %rsp, %rdi\n  and $-16, %rsp\n  call start\n");

long start_and_exit(long flags, char *stack, volatile int *running)
{
    long result = __NR_clone;
    register volatile int *child_id __asm__("r10") = running;
    __asm__ volatile("syscall\n"
                     "test %%rax, %%rax\n"
                     "jnz 1f\n"
                     "mov %[exit], %%eax\n"
                     "xor %%edi, %%edi\n"
                     "syscall\n"
                     "1:"
                     : "+a"(result)
                     : "D"(flags), "S"(stack), "d"(0), "r"(child_id), [exit] "i"(__NR_exit)
                     : "rcx", "r11", "memory", "cc");
    return result;
}
#elif defined __aarch64__
__asm__(".globl _start\n_start:\n  mov x29, #0\n  mov x0, sp\n  bl start\n");

long start_and_exit(long flags, char *stack, volatile int *running)
{
    register long number __asm__("x8") = __NR_clone;
    register long result __asm__("x0") = flags;
    register char *top __asm__("x1") = stack;
    register long parent_id __asm__("x2") = 0;
    register long tls __asm__("x3") = 0;
    register volatile int *child_id __asm__("x4") = running;
    __asm__ volatile("svc #0\n"
                     "cbnz x0, 1f\n"
                     "mov x8, %[exit]\n"
                     "svc #0\n"
                     "1:"
                     : "+r"(result)
                     : "r"(number), "r"(top), "r"(parent_id), "r"(tls), "r"(child_id), [exit] "i"(__NR_exit)
                     : "memory", "cc");
    return result;
}
#endif
