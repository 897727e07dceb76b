/* The probe attempts, from inside a sandbox, what the guarantees forbid, and says what came of it: one fact a line. */
#pragma once

#include "../src/memory.h"
#include "../src/sys.h"

#include <linux/errno.h>

#define PATH_SIZE 4096

/* fact.c: a line is a word and its fields, separated by one space; bytes outside the printable are %XX. */
void word(const char *text);
void bytes(const char *data, long length);
void number(long value);
void end_line(void);
void flush(void);
/* kind, name and what a system call returned: 0 when it worked, else errno. */
void outcome(const char *kind, const char *name, long result);

/* text.c */
long parse(const char *digits);
/* Writes the digits, without an end, and answers where they end. */
char *decimal(char *into, unsigned long value);
char *join(char *into, const char *left, const char *right);

/* child.c */
/* The child gets 0; it ends with `leave`. */
long fork_child(void);
_Noreturn void leave(long code);
/* Exit code, or 1000 + signal. */
long wait_for(long pid);
void pause_ms(long milliseconds);

/* read.c */
/* A whole file up to `size` bytes: length or negative errno. */
long read_file(const char *path, char *into, long size);
long read_environment(const char *path);
void file_fact(const char *path);
void each_name(const char *folder, void (*visit)(const char *name));

/* start.c: a thread that ends at once; the kernel clears `running` when it has. */
long start_and_exit(long flags, char *stack, volatile int *running);

/* The attempts, by subject. */
void describe_self(char **environment);
void attempt_calls(void);
void attempt_bits(const char *folder);
void attempt_writes(char **environment);
void attempt_reads(void);
void attempt_network(void);
void attempt_connect(const char *kind, const char *where);
/* To `ADDRESS:PORT`: 0 or negative errno. */
long connect_tcp(const char *where, long milliseconds);
void attempt_neighbour(const char *where);
void wait_for_neighbours(const char *milliseconds);
void find_interpreters(char **environment);
void exchange(const char *kind, const char *folder, bool writable);
void fill(const char *folder, long size);
void grow_file(const char *folder, long size);
void start_thread(void);
void fork_until_refused(long most);
void touch_memory(long most);
void linger(const char *folder);
