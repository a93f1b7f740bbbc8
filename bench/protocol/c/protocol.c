// The protocol of docs/design/bench.md: a line, an answer.

#define _POSIX_C_SOURCE 200809L

#include "protocol.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

// The longest output that is said.
enum { SAID_LENGTH = 1 << 14 };

// ---- Failures, memory ----------------------------------------------------------------------------------------------

// What is answered instead.
static const char *refusal;
static char message[1024];

bool fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    refusal = "error";
    return false;
}

bool unsupported(const char *what, const char *name)
{
    fail("it has no %s %s", what, name);
    refusal = "unsupported";
    return false;
}

bool allocate(unsigned char **pointer, size_t length)
{
    const size_t line = 64;
    *pointer = aligned_alloc(line, (length / line + 1) * line);
    return *pointer ? true : fail("no memory for %zu bytes", length);
}

// ---- Time, peak memory ---------------------------------------------------------------------------------------------

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t monotonic_ns(void)
{
    return nanoseconds(CLOCK_MONOTONIC);
}

// Where the kernel does not allow it, the peak is that since the process began, which is more.
static void reset_peak_memory(void)
{
#ifdef __GLIBC__
    // What malloc keeps of the operation before is none of this one's.
    malloc_trim(0);
#endif
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file) {
        fputs("5", file);
        fclose(file);
    }
}

static bool peak_memory(uint64_t *bytes)
{
    FILE *file = fopen("/proc/self/status", "r");
    if (!file)
        return fail("/proc/self/status: %s", strerror(errno));
    char line[256];
    bool found = false;
    while (!found && fgets(line, sizeof line, file))
        found = sscanf(line, "VmHWM: %" SCNu64 " kB", bytes) == 1;
    fclose(file);
    *bytes *= 1024;
    return found ? true : fail("/proc/self/status has no VmHWM");
}

// ---- The lines -----------------------------------------------------------------------------------------------------

static bool read_stream(FILE *file, unsigned char **data, size_t *length)
{
    struct stat status;
    if (fstat(fileno(file), &status) != 0)
        return fail("the input: %s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return fail("the input is not a file");
    *length = (size_t)status.st_size;
    if (!allocate(data, *length + TAG_LENGTH))
        return false;
    if (fread(*data, 1, *length, file) == *length)
        return true;
    free(*data);
    return fail("the input could not be read");
}

// With room for a tag behind it.
static bool read_file(const char *path, unsigned char **data, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail("%s: %s", path, strerror(errno));
    bool done = read_stream(file, data, length);
    fclose(file);
    return done;
}

// In place; a value never gets longer.
static bool percent_decode(char *value)
{
    char *to = value;
    for (const char *from = value; *from; from++, to++) {
        unsigned byte = (unsigned char)*from;
        if (byte == '%') {
            char digits[] = {from[1], from[1] ? from[2] : '\0', '\0'}, *end;
            bool two = strspn(digits, "0123456789abcdefABCDEF") == 2;
            byte = (unsigned)strtoul(digits, &end, 16);
            if (!two || byte == 0)
                return fail("bad percent-encoding");
            from += 2;
        }
        *to = (char)byte;
    }
    *to = '\0';
    return true;
}

static void print_encoded(const char *value)
{
    for (; *value; value++) {
        unsigned char byte = (unsigned char)*value;
        if (byte > ' ' && byte != 0x7f && byte != '%' && byte != '=')
            putchar(byte);
        else
            printf("%%%02x", byte);
    }
}

static void print_hex(const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        printf("%02x", bytes[i]);
}

static void answer_hello(const struct engine *engine)
{
    printf("engine name=%s version=", engine->name);
    print_encoded(engine->version);
    fputs(" backend=", stdout);
    print_encoded(engine->backend);
    putchar('\n');
}

static bool is_offered(const struct engine *engine, const struct operation *operation)
{
    return !engine->offers || engine->offers(operation->algorithm);
}

static void answer_operations(const struct engine *engine)
{
    fputs("operations", stdout);
    for (size_t i = 0; i < engine->operation_count; i++)
        if (is_offered(engine, &engine->operations[i]))
            printf(" %s", engine->operations[i].name);
    putchar('\n');
}

// What is left of the job before; its engine stays.
static void clear(struct job *job)
{
    if (job->operation && job->engine->end)
        job->engine->end(job);
    free(job->source);
    free(job->work);
    free(job->records);
    *job = (struct job){.engine = job->engine};
}

// Fills `*job` and does the operation once; what it leaves behind on failure is the caller's to clear.
static bool prepare(struct job *job, const char *path, unsigned char *digest)
{
    const struct operation *operation = job->operation;
    unsigned char *input = NULL;
    size_t length = 0;
    if ((job->engine->begin && !job->engine->begin(job)) || !read_file(path, &input, &length)
        || !operation->set_up(job, input, length) || !operation->run(job))
        return false;
    bool done = operation->digest ? operation->digest(job, digest)
                                  : job->engine->sha256(job->work, job->output_length, digest);
    if (!done)
        return false;
    reset_peak_memory();
    return true;
}

// The options of `prepare` are no more than the protocol's own: nothing here can be chosen.
static bool read_options(char *rest, char **path)
{
    for (char *word = strtok_r(NULL, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        if (!value)
            return fail("not KEY=VALUE: %s", word);
        *value++ = '\0';
        if (!percent_decode(value))
            return false;
        if (strcmp(word, "input") == 0)
            *path = value;
        else if (strcmp(word, "dir") != 0)
            return unsupported("option", word);
    }
    return *path ? true : fail("prepare needs input=FILE");
}

static bool answer_prepare(struct job *job, char *rest)
{
    clear(job);
    const char *name = strtok_r(NULL, " ", &rest);
    if (!name)
        return fail("prepare needs an operation");
    const struct operation *operation = NULL;
    for (size_t i = 0; i < job->engine->operation_count; i++)
        if (strcmp(job->engine->operations[i].name, name) == 0)
            operation = &job->engine->operations[i];
    if (!operation)
        return unsupported("operation", name);
    if (!is_offered(job->engine, operation))
        return unsupported("algorithm for", name);

    char *path = NULL;
    unsigned char digest[DIGEST_LENGTH];
    if (!read_options(rest, &path))
        return false;
    job->operation = operation;
    if (!prepare(job, path, digest)) {
        clear(job);
        return false;
    }
    fputs("ready digest=", stdout);
    print_hex(digest, DIGEST_LENGTH);
    printf(" bytes=%zu", job->output_length);
    if (job->records)
        printf(" units=%zu", job->record_count);
    putchar('\n');
    return true;
}

static bool answer_run(struct job *job, char *rest)
{
    const char *word = strtok_r(NULL, " ", &rest);
    char *end = NULL;
    unsigned long long iterations = word ? strtoull(word, &end, 10) : 0;
    if (!job->operation)
        return fail("nothing is prepared");
    if (!word || *end || word[0] == '-' || iterations == 0)
        return fail("run needs a number");

    bool (*run)(struct job *) = job->operation->run;
    job->longest_ns = 0;
    uint64_t cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID), wall = monotonic_ns();
    for (unsigned long long i = 0; i < iterations; i++)
        if (!run(job))
            return false;
    wall = monotonic_ns() - wall;
    cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;

    printf("sample wall_ns=%" PRIu64 " cpu_ns=%" PRIu64 " iterations=%llu", wall, cpu, iterations);
    if (job->records)
        printf(" longest_ns=%" PRIu64, job->longest_ns);
    putchar('\n');
    return true;
}

static bool answer_output(const struct job *job)
{
    if (!job->operation)
        return fail("nothing is prepared");
    if (job->output_length > SAID_LENGTH)
        return fail("an output of %zu bytes is too long to be said", job->output_length);
    fputs("output hex=", stdout);
    print_hex(job->work, job->output_length);
    putchar('\n');
    return true;
}

// The bytes that hexadecimal digits are; NULL for anything else.
static unsigned char *decode_hex(const char *digits, size_t *length)
{
    size_t count = strlen(digits);
    unsigned char *bytes = NULL;
    if (count % 2 != 0 || strspn(digits, "0123456789abcdefABCDEF") != count || !allocate(&bytes, count / 2))
        return NULL;
    for (size_t i = 0; i < count / 2; i++)
        bytes[i] = (unsigned char)strtoul((char[]){digits[2 * i], digits[2 * i + 1], '\0'}, NULL, 16);
    *length = count / 2;
    return bytes;
}

static bool answer_opens(struct job *job, char *rest)
{
    const char *word = strtok_r(NULL, " ", &rest);
    if (!job->operation)
        return fail("nothing is prepared");
    if (!job->operation->opens)
        return fail("it opens nothing of others");
    size_t length = 0;
    unsigned char digest[DIGEST_LENGTH], *output = word ? decode_hex(word, &length) : NULL;
    if (!output)
        return fail("it is not hexadecimal");
    bool done = job->operation->opens(job, output, length, digest);
    free(output);
    if (!done)
        return false;
    fputs("opened digest=", stdout);
    print_hex(digest, DIGEST_LENGTH);
    putchar('\n');
    return true;
}

static bool answer_memory(const struct job *job)
{
    uint64_t bytes = 0;
    if (!job->operation)
        return fail("nothing is prepared");
    if (!peak_memory(&bytes))
        return false;
    printf("memory peak_bytes=%" PRIu64 "\n", bytes);
    return true;
}

int serve(const struct engine *engine)
{
    struct job job = {.engine = engine};
    char *line = NULL, *rest = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        const char *command = strtok_r(line, " ", &rest);
        bool done = true;
        if (!command)
            done = fail("an empty line");
        else if (strcmp(command, "quit") == 0)
            break;
        else if (strcmp(command, "hello") == 0)
            answer_hello(engine);
        else if (strcmp(command, "operations") == 0)
            answer_operations(engine);
        else if (strcmp(command, "prepare") == 0)
            done = answer_prepare(&job, rest);
        else if (strcmp(command, "run") == 0)
            done = answer_run(&job, rest);
        else if (strcmp(command, "output") == 0)
            done = answer_output(&job);
        else if (strcmp(command, "opens") == 0)
            done = answer_opens(&job, rest);
        else if (strcmp(command, "memory") == 0)
            done = answer_memory(&job);
        else
            done = fail("no command %s", command);
        if (!done)
            printf("%s %s\n", refusal, message);
        fflush(stdout);
    }
    free(line);
    clear(&job);
    return 0;
}
