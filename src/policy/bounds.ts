const KIB = 1024;
const HOUR_MS = 3_600_000;

/** What one request may hold at most. Bytes are of UTF-8, each string with the NUL that the kernel wants. */
export const BOUNDS = {
  folders: 64,
  variables: 1000,
  /** Arguments and environment together: half of what Linux takes with the usual 8 MiB of stack. */
  totalBytes: KIB * KIB,
  /** One argument, or one `NAME=value`: MAX_ARG_STRLEN of Linux. */
  stringBytes: 128 * KIB,
  /** One path: PATH_MAX of Linux. */
  pathBytes: 4 * KIB,
  timeoutMs: 24 * HOUR_MS,
} as const;
