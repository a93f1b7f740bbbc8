// The libsodium engine of the benchmark, behind the protocol of docs/design/bench.md.
//
// The detached functions, which those named `easy` call, with message and ciphertext at one address, as its
// documentation allows. Nothing of it keeps what was made of a key. sodium_init() picks its implementations.

#include "protocol.h"

#include <stdio.h>
#include <string.h>

#include <sodium.h>

struct algorithm {
    int (*seal)(unsigned char *data, size_t length, unsigned char *tag, const unsigned char *nonce);
    int (*open)(unsigned char *data, size_t length, const unsigned char *tag, const unsigned char *nonce);
};

static int seal_chacha20(unsigned char *data, size_t length, unsigned char *tag, const unsigned char *nonce)
{
    return crypto_aead_chacha20poly1305_ietf_encrypt_detached(data, tag, NULL, data, length, NULL, 0, NULL, nonce, KEY);
}

static int open_chacha20(unsigned char *data, size_t length, const unsigned char *tag, const unsigned char *nonce)
{
    return crypto_aead_chacha20poly1305_ietf_decrypt_detached(data, NULL, data, length, tag, NULL, 0, nonce, KEY);
}

static int seal_xchacha20(unsigned char *data, size_t length, unsigned char *tag, const unsigned char *nonce)
{
    return crypto_aead_xchacha20poly1305_ietf_encrypt_detached(data, tag, NULL, data, length, NULL, 0, NULL, nonce,
                                                               KEY);
}

static int open_xchacha20(unsigned char *data, size_t length, const unsigned char *tag, const unsigned char *nonce)
{
    return crypto_aead_xchacha20poly1305_ietf_decrypt_detached(data, NULL, data, length, tag, NULL, 0, nonce, KEY);
}

static int seal_xsalsa20(unsigned char *data, size_t length, unsigned char *tag, const unsigned char *nonce)
{
    return crypto_secretbox_detached(data, tag, data, length, nonce, KEY);
}

static int open_xsalsa20(unsigned char *data, size_t length, const unsigned char *tag, const unsigned char *nonce)
{
    return crypto_secretbox_open_detached(data, data, tag, length, nonce, KEY);
}

static bool seal(struct job *job, const unsigned char *nonce, unsigned char *data, size_t length)
{
    return job->operation->algorithm->seal(data, length, data + length, nonce) == 0 ? true : fail("sealing failed");
}

static bool open_sealed(struct job *job, const unsigned char *nonce, unsigned char *data, size_t length)
{
    return job->operation->algorithm->open(data, length, data + length, nonce) == 0 ? true : fail("not authentic");
}

// Every call takes the key as it is.
static bool set_key(struct job *job, bool sealing)
{
    (void)job;
    (void)sealing;
    return true;
}

static bool sha256(const unsigned char *data, size_t length, unsigned char *digest)
{
    return crypto_hash_sha256(digest, data, length) == 0 ? true : fail("SHA-256 failed");
}

static const struct algorithm CHACHA20_POLY1305 = {seal_chacha20, open_chacha20};
static const struct algorithm XCHACHA20_POLY1305 = {seal_xchacha20, open_xchacha20};
static const struct algorithm XSALSA20_POLY1305 = {seal_xsalsa20, open_xsalsa20};

static const struct operation OPERATIONS[] = {
    {"aead/chacha20-poly1305/seal", &CHACHA20_POLY1305, set_up_seal, run_seal},
    {"aead/chacha20-poly1305/open", &CHACHA20_POLY1305, set_up_open, run_open},
    {"aead/xchacha20-poly1305/seal", &XCHACHA20_POLY1305, set_up_seal, run_seal},
    {"aead/xchacha20-poly1305/open", &XCHACHA20_POLY1305, set_up_open, run_open},
    {"aead/xsalsa20-poly1305/seal", &XSALSA20_POLY1305, set_up_seal, run_seal},
    {"aead/xsalsa20-poly1305/open", &XSALSA20_POLY1305, set_up_open, run_open},
};

// Of the instruction sets that it knows; which of them a function uses it does not say.
static const char *instruction_sets(void)
{
    static char sets[64];
    const struct {
        const char *name;
        int found;
    } known[] = {
        {"sse2", sodium_runtime_has_sse2()},
        {"ssse3", sodium_runtime_has_ssse3()},
        {"sse4.1", sodium_runtime_has_sse41()},
        {"avx", sodium_runtime_has_avx()},
        {"avx2", sodium_runtime_has_avx2()},
        {"avx512f", sodium_runtime_has_avx512f()},
        {"neon", sodium_runtime_has_neon()},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].found)
            snprintf(sets + strlen(sets), sizeof sets - strlen(sets), "%s%s", *sets ? " " : "", known[i].name);
    return sets;
}

int main(void)
{
    if (sodium_init() < 0) {
        fputs("libsodium: sodium_init failed\n", stderr);
        return 1;
    }
    return serve(&(struct engine){
        .name = "libsodium",
        .version = sodium_version_string(),
        .backend = instruction_sets(),
        .operations = OPERATIONS,
        .operation_count = sizeof OPERATIONS / sizeof *OPERATIONS,
        .sha256 = sha256,
        .set_key = set_key,
        .seal = seal,
        .open = open_sealed,
    });
}
