// The engines' side of the benchmark's line protocol (docs/design/bench.md), for engines in C.
//
// An engine lists its operations and calls serve(), which does the rest: the lines, the clocks, the digests. A function
// that returns a bool has said why by fail() where that is false.

#ifndef BENCH_PROTOCOL_H
#define BENCH_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEY_LENGTH = 32, NONCE_MAX_LENGTH = 24, TAG_LENGTH = 16, DIGEST_LENGTH = 32 };

struct record {
    size_t at, length;
};

// What was prepared. All zeros is nothing.
struct job {
    const struct engine *engine;
    const struct operation *operation;

    // The engine's own; it defines the type.
    struct peer *peer;

    // What an operation reads and does not change; those that work in place have none.
    unsigned char *source;
    size_t source_length;

    // What it works on in place, and the length of the output that it leaves there.
    unsigned char *work;
    size_t output_length;

    // Those of workload/records/seal.
    struct record *records;
    size_t record_count;
    uint64_t longest_ns;
};

struct operation {
    const char *name;
    // The engine's own; it defines the type.
    const struct algorithm *algorithm;
    // Takes over `input`, which has room for a tag behind it, as source or work.
    bool (*set_up)(struct job *, unsigned char *input, size_t length);
    bool (*run)(struct job *);
    // The digest that all engines agree on, if it is not that of the output.
    bool (*digest)(struct job *, unsigned char *digest);
    // The digest of what another engine's output opens to.
    bool (*opens)(struct job *, const unsigned char *output, size_t length, unsigned char *digest);
};

struct engine {
    const char *name;
    // Of the library that is at hand; `backend` is which of its implementations compute.
    const char *version, *backend;
    const struct operation *operations;
    size_t operation_count;
    // Whether the library at hand has the algorithm; NULL where it has all.
    bool (*offers)(const struct algorithm *);
    // Makes and frees what is the peer's, on failure too; NULL where there is nothing.
    bool (*begin)(struct job *);
    void (*end)(struct job *);
    bool (*sha256)(const unsigned char *data, size_t length, unsigned char *digest);

    // What the operations of an AEAD below need. A nonce has as many bytes as the algorithm takes.

    // Expands the key, whose bytes are 0, 1, 2, …, for sealing or opening.
    bool (*set_key)(struct job *, bool sealing);
    // Seals `length` bytes in place; the tag goes behind them.
    bool (*seal)(struct job *, const unsigned char *nonce, unsigned char *data, size_t length);
    // Opens `length` bytes in place, behind which the tag is.
    bool (*open)(struct job *, const unsigned char *nonce, unsigned char *data, size_t length);
};

// The program: answers until it is told to quit.
int serve(const struct engine *);

// ---- Failures, memory ----------------------------------------------------------------------------------------------

// Says what is answered instead; false, for the caller to return.
bool fail(const char *format, ...);

// The same of what is no failure.
bool unsupported(const char *what, const char *name);

// Buffers begin at a cache line in every engine, so that none is luckier with its allocator than another.
bool allocate(unsigned char **pointer, size_t length);

// ---- Operations of an AEAD -----------------------------------------------------------------------------------------

// The fixed key and nonce.
extern const unsigned char KEY[KEY_LENGTH], NONCE[NONCE_MAX_LENGTH];

bool set_up_seal(struct job *, unsigned char *input, size_t length);
bool run_seal(struct job *);
bool set_up_open(struct job *, unsigned char *input, size_t length);
bool run_open(struct job *);
bool set_up_records(struct job *, unsigned char *input, size_t length);
bool run_records(struct job *);

uint64_t monotonic_ns(void);

#endif
