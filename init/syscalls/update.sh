#!/bin/sh
# Writes the system calls of an architecture, by number, as the kernel headers of its compiler name them.
# usage: update.sh COMPILER > syscalls/ARCH.txt
set -eu
{
    echo '#include <asm/unistd.h>'
    echo '#include <asm/unistd.h>' | "$1" -dM -E - |
        sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/CALL \1 __NR_\1/p' | grep -v -e ' syscalls ' -e ' arch_specific_syscall '
} | "$1" -E -P - | sed -n 's/^CALL \([a-z0-9_]*\) \([0-9]*\)$/\1 \2/p' | sort -k2n
