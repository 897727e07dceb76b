import { getSystemErrorName } from 'node:util';

/** Numbers of Linux, the same on x86-64 and arm64 (asm-generic/errno.h). */
export const ERRNO = {
  EPERM: 1,
  EAGAIN: 11,
  ENOMEM: 12,
  EACCES: 13,
  EINVAL: 22,
  EFBIG: 27,
  ENOSYS: 38,
  EOPNOTSUPP: 95,
  EAFNOSUPPORT: 97,
  ETIMEDOUT: 110,
  ECONNREFUSED: 111,
  EHOSTUNREACH: 113,
} as const;

/** A child that a signal ended is told as this plus the signal. */
export const KILLED = 1000;

const REFUSALS: readonly number[] = [ERRNO.EPERM, ERRNO.EACCES, ERRNO.ENOSYS, ERRNO.EOPNOTSUPP, ERRNO.EAFNOSUPPORT];

/** Whether the kernel refused the call itself; other errors mean that it got further than it should. */
export function isRefusal(errno: number): boolean {
  return REFUSALS.includes(errno) || errno > KILLED;
}

/** Whether somebody is there: refused by a full queue is reached as well. */
export function isReached(errno: number): boolean {
  return errno === 0 || errno === ERRNO.EAGAIN;
}

/** For people: `EPERM`, `signal 31`, `worked`. */
export function errnoName(errno: number): string {
  if (errno === 0) return 'worked';
  if (errno > KILLED) return `signal ${errno - KILLED}`;
  try {
    return getSystemErrorName(-errno);
  } catch {
    return `errno ${errno}`;
  }
}
