#include "probe.h"

/* `BYTES:FOLDER` */
static const char *after_colon(const char *text)
{
    while (*text && *text++ != ':')
        ;
    return text;
}

static void fill_folder(const char *text)
{
    fill(after_colon(text), parse(text));
}
static void grow_folder(const char *text)
{
    grow_file(after_colon(text), parse(text));
}
static void exchange_ro(const char *text)
{
    exchange("ro", text, false);
}
static void exchange_rw(const char *text)
{
    exchange("rw", text, true);
}
static void connect_host(const char *text)
{
    attempt_connect("tcp", text);
}
static void connect_abstract(const char *text)
{
    attempt_connect("abstract", text);
}
static void connect_path(const char *text)
{
    attempt_connect("path", text);
}
static void fork_up_to(const char *text)
{
    fork_until_refused(parse(text));
}
static void touch_up_to(const char *text)
{
    touch_memory(parse(text));
}

static const struct task {
    const char *key;
    void (*run)(const char *value);
} tasks[] = {
    {"ro=", exchange_ro},
    {"rw=", exchange_rw},
    {"bits=", attempt_bits},
    {"fill=", fill_folder},
    {"grow=", grow_folder},
    {"tcp=", connect_host},
    {"neighbour=", attempt_neighbour},
    {"abstract=", connect_abstract},
    {"path=", connect_path},
    {"forks=", fork_up_to},
    {"memory=", touch_up_to},
    {"linger=", linger},
    {"listen=", wait_for_neighbours},
};

/* Tasks of a sandbox that is there for another one's attempts. */
static int is_companion(const char *text)
{
    return text_starts(text, "linger=") || text_starts(text, "listen=");
}

static void attempt_argument(const char *text)
{
    for (unsigned i = 0; i < sizeof tasks / sizeof *tasks; i++)
        if (text_starts(text, tasks[i].key))
            tasks[i].run(text + (long)text_length(tasks[i].key));
}

static void attempt_everything(char **environment)
{
    describe_self(environment);
    find_interpreters(environment);
    attempt_calls();
    attempt_reads();
    attempt_writes(environment);
    attempt_network();
    start_thread();
}

/* Called with the stack as the kernel left it: argc, argv, NULL, environ. */
__attribute__((used)) _Noreturn void start(long *stack)
{
    long count = stack[0];
    char **arguments = (char **)(stack + 1), **environment = arguments + count + 1;
    if (count < 2 || !is_companion(arguments[1]))
        attempt_everything(environment);
    for (long i = 1; i < count; i++)
        attempt_argument(arguments[i]);
    word("end");
    end_line();
    flush();
    leave(0);
}
