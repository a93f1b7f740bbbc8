// The OpenSSL engine of the benchmark: libcrypto's EVP interface behind the protocol of docs/design/bench.md.
//
// As OpenSSL's manual recommends, the cipher is fetched once, and one EVP_CIPHER_CTX keeps the expanded key and takes
// a nonce or IV for each use. Everything is done in place.

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#ifdef WITH_ZLIB
#include <zlib.h>
#endif

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "the openssl engine needs OpenSSL 3"
#endif

enum { KEY_LENGTH = 32, NONCE_LENGTH = 12, TAG_LENGTH = 16, DIGEST_LENGTH = 32, BLOCK_LENGTH = 16, BATCH = 16 };

// SM4's, which are those of the study in Go whose table the report shows.
static const char SM4_KEY[] = "1234567890abcdef", SM4_IV[] = "fedcba0987654321";

// An update takes its length as an int.
static const size_t UPDATE_LENGTH = (size_t)1 << 30;

struct record {
    size_t at, length;
};

// What was prepared. All zeros is nothing.
struct job {
    const struct operation *operation;
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *context;
    unsigned char nonce[NONCE_LENGTH];

    // What an operation reads and does not change; only open and deflate-seal have it.
    unsigned char *source;
    size_t source_length;

    // What it works on in place, and the length of the output that it leaves there.
    unsigned char *work;
    size_t output_length;

    struct record *records;
    size_t record_count;
    uint64_t longest_ns;

#ifdef WITH_ZLIB
    z_stream deflate;
    bool deflating;
    size_t work_length;
#endif
};

struct operation {
    const char *name;
    const char *cipher;
    // Both take over `input`, which has room for a tag behind it, as source or work.
    bool (*set_up)(struct job *, unsigned char *input, size_t length);
    bool (*run)(struct job *);
    // The digest that all engines agree on, if it is not that of the output.
    bool (*digest)(struct job *, unsigned char *digest);
};

// ---- Failures ------------------------------------------------------------------------------------------------------

// What is answered instead.
static const char *refusal;
static char message[1024];

static bool fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    refusal = "error";
    return false;
}

static bool unsupported(const char *what, const char *name)
{
    fail("it has no %s %s", what, name);
    refusal = "unsupported";
    return false;
}

// With OpenSSL's own reason, where it gives one.
static bool fail_openssl(const char *what)
{
    unsigned long code = ERR_get_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    ERR_clear_error();
    return fail("%s: %s", what, reason ? reason : "failed");
}

// Buffers begin at a cache line in every engine, so that none is luckier with its allocator than another.
static bool allocate(unsigned char **pointer, size_t length)
{
    const size_t line = 64;
    *pointer = aligned_alloc(line, (length / line + 1) * line);
    return *pointer ? true : fail("no memory for %zu bytes", length);
}

// ---- Sealing and opening -------------------------------------------------------------------------------------------

// Expands the fixed key for sealing (1) or opening (0).
static bool set_key(struct job *job, int sealing)
{
    unsigned char key[KEY_LENGTH];
    for (int i = 0; i < KEY_LENGTH; i++)
        key[i] = (unsigned char)i;
    if (strncmp(job->operation->cipher, "SM4-", 4) == 0)
        memcpy(key, SM4_KEY, BLOCK_LENGTH);
    return EVP_CipherInit_ex2(job->context, job->cipher, key, NULL, sealing, NULL) ? true : fail_openssl("the key");
}

// Both directions in place, without the tag.
static bool cipher(struct job *job, const unsigned char *nonce, unsigned char *data, size_t length)
{
    if (!EVP_CipherInit_ex2(job->context, NULL, NULL, nonce, -1, NULL))
        return fail_openssl("the nonce");
    while (length > 0) {
        int part = (int)(length < UPDATE_LENGTH ? length : UPDATE_LENGTH), written;
        if (!EVP_CipherUpdate(job->context, data, &written, data, part) || written != part)
            return fail_openssl("the update");
        data += part;
        length -= (size_t)part;
    }
    return true;
}

// Seals `length` bytes in place; the tag goes behind them.
static bool seal(struct job *job, const unsigned char *nonce, unsigned char *data, size_t length)
{
    int written;
    if (!cipher(job, nonce, data, length))
        return false;
    unsigned char *tag = data + length;
    if (!EVP_CipherFinal_ex(job->context, tag, &written)
        || !EVP_CIPHER_CTX_ctrl(job->context, EVP_CTRL_AEAD_GET_TAG, TAG_LENGTH, tag))
        return fail_openssl("the tag");
    return true;
}

// Opens `length` bytes in place, behind which the tag is.
static bool open_sealed(struct job *job, const unsigned char *nonce, unsigned char *data, size_t length)
{
    int written;
    unsigned char *tag = data + length;
    if (!cipher(job, nonce, data, length))
        return false;
    if (!EVP_CIPHER_CTX_ctrl(job->context, EVP_CTRL_AEAD_SET_TAG, TAG_LENGTH, tag))
        return fail_openssl("the tag");
    return EVP_CipherFinal_ex(job->context, tag, &written) > 0 ? true : fail("not authentic");
}

static bool sha256(const unsigned char *data, size_t length, unsigned char *digest)
{
    return EVP_Digest(data, length, digest, NULL, EVP_sha256(), NULL) ? true : fail_openssl("SHA-256");
}

// ---- Time and memory -----------------------------------------------------------------------------------------------

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
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

// ---- Operations ----------------------------------------------------------------------------------------------------

static bool set_up_seal(struct job *job, unsigned char *input, size_t length)
{
    job->work = input;
    job->output_length = length + TAG_LENGTH;
    return set_key(job, 1);
}

// Sealing again what is sealed already is the same work, so nothing is restored between two runs.
static bool run_seal(struct job *job)
{
    return seal(job, job->nonce, job->work, job->output_length - TAG_LENGTH);
}

static bool set_up_open(struct job *job, unsigned char *input, size_t length)
{
    job->source = input;
    job->source_length = length + TAG_LENGTH;
    job->output_length = length;
    return allocate(&job->work, job->source_length) && set_key(job, 1) && seal(job, job->nonce, input, length)
        && set_key(job, 0);
}

// Opening in place destroys its input, so every run begins with a copy of it.
static bool run_open(struct job *job)
{
    memcpy(job->work, job->source, job->source_length);
    return open_sealed(job, job->nonce, job->work, job->output_length);
}

// Spreads the lines, so that each has room for its tag. An end of a line is one line feed; the last needs none.
static bool set_up_records(struct job *job, unsigned char *input, size_t length)
{
    const unsigned char *end = input + length;
    size_t text_length = 0;
    for (const unsigned char *at = input, *next; at < end; at = next + 1) {
        next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next : end;
        text_length += (size_t)(next - at);
        job->record_count++;
    }
    job->output_length = text_length + job->record_count * TAG_LENGTH;
    // It is the job's, to be freed if there is no memory.
    job->source = input;
    job->records = calloc(job->record_count + 1, sizeof *job->records);
    if (!job->records)
        return fail("no memory for %zu records", job->record_count);
    if (!allocate(&job->work, job->output_length))
        return false;

    size_t to = 0, count = 0;
    for (const unsigned char *at = input, *next; at < end; at = next + 1) {
        next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next : end;
        size_t record_length = (size_t)(next - at);
        memcpy(job->work + to, at, record_length);
        job->records[count++] = (struct record){to, record_length};
        to += record_length + TAG_LENGTH;
    }
    free(job->source);
    job->source = NULL;
    return set_key(job, 1);
}

static bool run_records(struct job *job)
{
    unsigned char nonce[NONCE_LENGTH] = {0};
    uint64_t before = nanoseconds(CLOCK_MONOTONIC);
    for (size_t i = 0; i < job->record_count; i++) {
        for (int byte = 0; byte < 8; byte++)
            nonce[NONCE_LENGTH - 1 - byte] = (unsigned char)((uint64_t)i >> (8 * byte));
        if (!seal(job, nonce, job->work + job->records[i].at, job->records[i].length))
            return false;
        uint64_t now = nanoseconds(CLOCK_MONOTONIC);
        if (now - before > job->longest_ns)
            job->longest_ns = now - before;
        before = now;
    }
    return true;
}

// What is no whole number of units is followed by zeros until it is.
static bool set_up_units(struct job *job, unsigned char *input, size_t length, size_t unit)
{
    // It is the job's, to be freed if there is no memory.
    job->source = input;
    job->output_length = (length + unit - 1) / unit * unit;
    if (!allocate(&job->work, job->output_length))
        return false;
    memset(job->work, 0, job->output_length);
    memcpy(job->work, input, length);
    free(job->source);
    job->source = NULL;
    return set_key(job, 1) && (EVP_CIPHER_CTX_set_padding(job->context, 0) ? true : fail_openssl("no padding"));
}

// One message in place, over and over on what is there: it is the same work. Nothing is left for a last call.
static bool run_message(struct job *job)
{
    return cipher(job, (const unsigned char *)SM4_IV, job->work, job->output_length);
}

static bool set_up_encrypt(struct job *job, unsigned char *input, size_t length)
{
    return set_up_units(job, input, length, BLOCK_LENGTH);
}

static bool set_up_decrypt(struct job *job, unsigned char *input, size_t length)
{
    return set_up_units(job, input, length, BLOCK_LENGTH) && run_message(job) && set_key(job, 0);
}

static bool set_up_stream(struct job *job, unsigned char *input, size_t length)
{
    job->work = input;
    job->output_length = length;
    return set_key(job, 1);
}

static bool set_up_stream_back(struct job *job, unsigned char *input, size_t length)
{
    return set_up_stream(job, input, length) && run_message(job) && set_key(job, 0);
}

static bool set_up_batch(struct job *job, unsigned char *input, size_t length)
{
    return set_up_units(job, input, length, (size_t)BATCH * BLOCK_LENGTH);
}

// Messages that have nothing to do with each other, one after the other: EVP has nothing for several.
static bool run_batch(struct job *job)
{
    size_t length = job->output_length / BATCH;
    unsigned char iv[BLOCK_LENGTH];
    memcpy(iv, SM4_IV, BLOCK_LENGTH);
    for (int i = 0; i < BATCH; i++) {
        iv[BLOCK_LENGTH - 1] = (unsigned char)(SM4_IV[BLOCK_LENGTH - 1] ^ i);
        if (!cipher(job, iv, job->work + (size_t)i * length, length))
            return false;
    }
    return true;
}

#ifdef WITH_ZLIB

static bool set_up_deflate(struct job *job, unsigned char *input, size_t length)
{
    job->source = input;
    job->source_length = length;
    if (length > UINT_MAX)
        return fail("zlib takes at most %u bytes at once", UINT_MAX);
    const int raw_window_bits = -15, memory_level = 8;
    if (deflateInit2(&job->deflate, 6, Z_DEFLATED, raw_window_bits, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
        return fail("deflateInit2 failed");
    job->deflating = true;
    job->work_length = deflateBound(&job->deflate, (uLong)length);
    return allocate(&job->work, job->work_length + TAG_LENGTH) && set_key(job, 1);
}

static bool run_deflate(struct job *job)
{
    z_stream *stream = &job->deflate;
    if (deflateReset(stream) != Z_OK)
        return fail("deflateReset failed");
    stream->next_in = job->source;
    stream->avail_in = (uInt)job->source_length;
    stream->next_out = job->work;
    stream->avail_out = (uInt)(job->work_length < UINT_MAX ? job->work_length : UINT_MAX);
    if (deflate(stream, Z_FINISH) != Z_STREAM_END)
        return fail("deflate failed");
    size_t length = (size_t)(stream->next_out - job->work);
    job->output_length = length + TAG_LENGTH;
    return seal(job, job->nonce, job->work, length);
}

static bool inflate_raw(unsigned char *data, size_t length, unsigned char *text, size_t text_length)
{
    z_stream stream = {
        .next_in = data, .avail_in = (uInt)length, .next_out = text, .avail_out = (uInt)text_length,
    };
    if (inflateInit2(&stream, -15) != Z_OK)
        return fail("inflateInit2 failed");
    int status = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    return status == Z_STREAM_END && stream.total_out == text_length ? true : fail("it does not inflate");
}

// Compressors differ, so the digest is that of what comes back.
static bool digest_inflated(struct job *job, unsigned char *digest)
{
    size_t length = job->output_length - TAG_LENGTH;
    unsigned char *text = NULL;
    bool done = set_key(job, 0) && open_sealed(job, job->nonce, job->work, length)
        && allocate(&text, job->source_length) && inflate_raw(job->work, length, text, job->source_length)
        && sha256(text, job->source_length, digest) && set_key(job, 1);
    free(text);
    return done;
}

#endif

static const struct operation OPERATIONS[] = {
    {"aead/aes-256-gcm/seal", "AES-256-GCM", set_up_seal, run_seal, NULL},
    {"aead/aes-256-gcm/open", "AES-256-GCM", set_up_open, run_open, NULL},
    {"aead/chacha20-poly1305/seal", "ChaCha20-Poly1305", set_up_seal, run_seal, NULL},
    {"aead/chacha20-poly1305/open", "ChaCha20-Poly1305", set_up_open, run_open, NULL},
    {"workload/records/seal", "AES-256-GCM", set_up_records, run_records, NULL},
    {"workload/text/seal", "AES-256-GCM", set_up_seal, run_seal, NULL},
#ifdef WITH_ZLIB
    {"workload/text/deflate-seal", "AES-256-GCM", set_up_deflate, run_deflate, digest_inflated},
#endif
    {"sm4/ecb/encrypt", "SM4-ECB", set_up_encrypt, run_message, NULL},
    {"sm4/ecb/decrypt", "SM4-ECB", set_up_decrypt, run_message, NULL},
    {"sm4/cbc/encrypt", "SM4-CBC", set_up_encrypt, run_message, NULL},
    {"sm4/cbc/decrypt", "SM4-CBC", set_up_decrypt, run_message, NULL},
    {"sm4/ctr/encrypt", "SM4-CTR", set_up_stream, run_message, NULL},
    {"sm4/ctr/decrypt", "SM4-CTR", set_up_stream_back, run_message, NULL},
    {"sm4/cbc/encrypt-batch-16", "SM4-CBC", set_up_batch, run_batch, NULL},
    // Since OpenSSL 3.1.
    {"sm4/gcm/seal", "SM4-GCM", set_up_seal, run_seal, NULL},
    {"sm4/gcm/open", "SM4-GCM", set_up_open, run_open, NULL},
};

enum { OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS };

static void clear(struct job *job)
{
    EVP_CIPHER_CTX_free(job->context);
    EVP_CIPHER_free(job->cipher);
    free(job->source);
    free(job->work);
    free(job->records);
#ifdef WITH_ZLIB
    if (job->deflating)
        deflateEnd(&job->deflate);
#endif
    *job = (struct job){0};
}

// ---- The protocol --------------------------------------------------------------------------------------------------

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

static void answer_hello(void)
{
    fputs("engine name=openssl version=", stdout);
    print_encoded(OpenSSL_version(OPENSSL_FULL_VERSION_STRING));
    fputs(" backend=", stdout);
    const char *cpu = OpenSSL_version(OPENSSL_CPU_INFO), *prefix = "CPUINFO: ";
    print_encoded(strncmp(cpu, prefix, strlen(prefix)) == 0 ? cpu + strlen(prefix) : cpu);
    putchar('\n');
}

static void answer_operations(void)
{
    fputs("operations", stdout);
    for (size_t i = 0; i < OPERATION_COUNT; i++) {
        EVP_CIPHER *offered = EVP_CIPHER_fetch(NULL, OPERATIONS[i].cipher, NULL);
        if (offered)
            printf(" %s", OPERATIONS[i].name);
        EVP_CIPHER_free(offered);
    }
    ERR_clear_error();
    putchar('\n');
}

// Fills `*job` and does the operation once; what it leaves behind on failure is the caller's to clear.
static bool prepare(struct job *job, const char *path, unsigned char *digest)
{
    for (int i = 0; i < NONCE_LENGTH; i++)
        job->nonce[i] = (unsigned char)(0x40 + i);
    job->cipher = EVP_CIPHER_fetch(NULL, job->operation->cipher, NULL);
    if (!job->cipher) {
        ERR_clear_error();
        return unsupported("cipher", job->operation->cipher);
    }
    job->context = EVP_CIPHER_CTX_new();
    if (!job->context)
        return fail_openssl(job->operation->cipher);

    unsigned char *input = NULL;
    size_t length = 0;
    if (!read_file(path, &input, &length) || !job->operation->set_up(job, input, length)
        || !job->operation->run(job))
        return false;
    size_t output_length = job->output_length;
    if (job->operation->digest ? !job->operation->digest(job, digest) : !sha256(job->work, output_length, digest))
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
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        if (strcmp(OPERATIONS[i].name, name) == 0)
            operation = &OPERATIONS[i];
    if (!operation)
        return unsupported("operation", name);

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
    for (int i = 0; i < DIGEST_LENGTH; i++)
        printf("%02x", digest[i]);
    printf(" bytes=%zu", job->output_length);
    if (operation->run == run_records)
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
    uint64_t cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID), wall = nanoseconds(CLOCK_MONOTONIC);
    for (unsigned long long i = 0; i < iterations; i++)
        if (!run(job))
            return false;
    wall = nanoseconds(CLOCK_MONOTONIC) - wall;
    cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;

    printf("sample wall_ns=%" PRIu64 " cpu_ns=%" PRIu64 " iterations=%llu", wall, cpu, iterations);
    if (run == run_records)
        printf(" longest_ns=%" PRIu64, job->longest_ns);
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

int main(void)
{
    struct job job = {0};
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
            answer_hello();
        else if (strcmp(command, "operations") == 0)
            answer_operations();
        else if (strcmp(command, "prepare") == 0)
            done = answer_prepare(&job, rest);
        else if (strcmp(command, "run") == 0)
            done = answer_run(&job, rest);
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
