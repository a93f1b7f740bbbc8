/*
 * What the tests in C share: checks that are counted, memory that lives until the end, and bytes by their digits.
 *
 * A check that fails is printed, and the program goes on; `ended` says how it went. All of it is C11 and C++17.
 */
#ifndef CHECK_H
#define CHECK_H

#include <sealstone.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t checks;
static size_t faults;

/** A fault, in the words of printf. Of very many only the first are printed. */
static inline void fault(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;
static inline void fault(const char *format, ...)
{
    faults++;
    if (faults > 50) {
        return;
    }
    va_list words;
    va_start(words, format);
    vprintf(format, words);
    va_end(words);
    printf("\n");
    fflush(stdout);
}

static inline bool check(bool is_right, const char *what, int line)
{
    checks++;
    if (!is_right) {
        fault("line %d: %s", line, what);
    }
    return is_right;
}

/** A function succeeds. */
static inline bool succeeds(sealstone_error *error, const char *what, int line)
{
    checks++;
    if (error != NULL) {
        fault("line %d: %s: %s (%s)", line, what, sealstone_error_code(error), sealstone_error_message(error));
    }
    bool is_right = error == NULL;
    sealstone_error_free(error);
    return is_right;
}

/** A function fails with a code. */
static inline bool fails(const char *code, sealstone_error *error, const char *what, int line)
{
    checks++;
    const char *found = error == NULL ? "success" : sealstone_error_code(error);
    bool is_right = strcmp(found, code) == 0;
    if (!is_right) {
        const char *message = error == NULL ? "" : sealstone_error_message(error);
        fault("line %d: %s: %s (%s) instead of %s", line, what, found, message, code);
    }
    sealstone_error_free(error);
    return is_right;
}

#define CHECK(condition) check((condition), #condition, __LINE__)
#define OK(call) succeeds((call), #call, __LINE__)
#define FAILS(code, call) fails((code), (call), #call, __LINE__)

/** Options, or a result of numbers: all is zero but the size. */
#define STRUCTURE(type, name)                                                                                              \
    type name;                                                                                                             \
    memset(&name, 0, sizeof name);                                                                                         \
    name.struct_size = sizeof name

/* ---- Memory, which lives until the end: each piece is one of its own, so that tools see what is read behind it ---- */

typedef struct kept {
    struct kept *next;
    void *memory;
} kept;

static kept *all_kept;

static inline uint8_t *keep(size_t len)
{
    kept *one = (kept *)malloc(sizeof *one);
    void *memory = calloc(len == 0 ? 1 : len, 1);
    if (one == NULL || memory == NULL) {
        printf("there is no memory\n");
        exit(2);
    }
    one->next = all_kept;
    one->memory = memory;
    all_kept = one;
    return (uint8_t *)memory;
}

static inline void let_go(void)
{
    while (all_kept != NULL) {
        kept *one = all_kept;
        all_kept = one->next;
        free(one->memory);
        free(one);
    }
}

/** Bytes and their length. */
typedef struct data {
    uint8_t *at;
    size_t len;
} data;

static inline data room(size_t len)
{
    data made;
    made.at = keep(len);
    made.len = len;
    return made;
}

static inline data copy_of(const uint8_t *at, size_t len)
{
    data made = room(len);
    if (len > 0) {
        memcpy(made.at, at, len);
    }
    return made;
}

static inline data text_of(const char *text)
{
    return copy_of((const uint8_t *)text, strlen(text));
}

static inline int digit(char letter)
{
    return letter >= '0' && letter <= '9' ? letter - '0' : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : letter - 'A' + 10;
}

/** The bytes of hexadecimal digits, between which there may be spaces. */
static inline data hex(const char *digits)
{
    data made = room(strlen(digits) / 2 + 1);
    size_t count = 0;
    for (; *digits != 0; digits++) {
        if (*digits != ' ') {
            made.at[count / 2] = (uint8_t)(made.at[count / 2] << 4 | digit(*digits));
            count++;
        }
    }
    made.len = count / 2;
    return made;
}

/** Bytes that do not repeat soon, and are the same in every run. */
static inline data noise(size_t len)
{
    data made = room(len);
    uint64_t state = 0x9e3779b97f4a7c15;
    for (size_t i = 0; i < len; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        made.at[i] = (uint8_t)(state >> 24);
    }
    return made;
}

static inline bool same(const uint8_t *one, size_t one_len, const uint8_t *other, size_t other_len)
{
    return one_len == other_len && (one_len == 0 || memcmp(one, other, one_len) == 0);
}

static inline bool is_zero(const uint8_t *at, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (at[i] != 0) {
            return false;
        }
    }
    return true;
}

/** Bytes of a result become memory of ours, which lives until the end. */
static inline data taken(sealstone_bytes *bytes)
{
    data made = copy_of(sealstone_bytes_data(bytes), sealstone_bytes_len(bytes));
    sealstone_bytes_free(bytes);
    return made;
}

static inline bool check_same(data found, data wanted, const char *what, int line)
{
    return check(same(found.at, found.len, wanted.at, wanted.len), what, line);
}

#define SAME(found, wanted) check_same((found), (wanted), #found " is " #wanted, __LINE__)

/** Prints how it went; the exit status. */
static inline int ended(const char *name)
{
    let_go();
    printf("%s: %zu checks, %zu faults\n", name, checks, faults);
    return faults == 0 ? 0 : 1;
}

#endif
