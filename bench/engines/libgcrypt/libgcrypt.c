// The libgcrypt engine of the benchmark, behind the protocol of docs/design/bench.md.
//
// As its manual has it: one handle keeps the expanded key, gcry_cipher_setiv begins each message, and where no input is
// named the work is done in place. Both directions take one handle.

#include "protocol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcrypt.h>

struct algorithm {
    enum gcry_cipher_algos cipher;
    enum gcry_cipher_modes mode;
};

struct peer {
    gcry_cipher_hd_t handle;
};

enum { NONCE_LENGTH = 12 };

static bool check(const char *what, gcry_error_t error)
{
    return error ? fail("%s: %s", what, gcry_strerror(error)) : true;
}

static bool set_key(struct job *job, bool sealing)
{
    (void)sealing;
    return check("the key", gcry_cipher_setkey(job->peer->handle, KEY, KEY_LENGTH));
}

static bool seal(struct job *job, const unsigned char *nonce, unsigned char *data, size_t length)
{
    gcry_cipher_hd_t handle = job->peer->handle;
    return check("the nonce", gcry_cipher_setiv(handle, nonce, NONCE_LENGTH))
        && check("sealing", gcry_cipher_encrypt(handle, data, length, NULL, 0))
        && check("the tag", gcry_cipher_gettag(handle, data + length, TAG_LENGTH));
}

static bool open_sealed(struct job *job, const unsigned char *nonce, unsigned char *data, size_t length)
{
    gcry_cipher_hd_t handle = job->peer->handle;
    return check("the nonce", gcry_cipher_setiv(handle, nonce, NONCE_LENGTH))
        && check("opening", gcry_cipher_decrypt(handle, data, length, NULL, 0))
        && check("the tag", gcry_cipher_checktag(handle, data + length, TAG_LENGTH));
}

static bool sha256(const unsigned char *data, size_t length, unsigned char *digest)
{
    gcry_md_hash_buffer(GCRY_MD_SHA256, digest, data, length);
    return true;
}

static const struct algorithm AES_256_GCM = {GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_GCM};
static const struct algorithm CHACHA20_POLY1305 = {GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_POLY1305};

static const struct operation OPERATIONS[] = {
    {"aead/aes-256-gcm/seal", &AES_256_GCM, set_up_seal, run_seal},
    {"aead/aes-256-gcm/open", &AES_256_GCM, set_up_open, run_open},
    {"aead/chacha20-poly1305/seal", &CHACHA20_POLY1305, set_up_seal, run_seal},
    {"aead/chacha20-poly1305/open", &CHACHA20_POLY1305, set_up_open, run_open},
};

static bool offers(const struct algorithm *algorithm)
{
    return gcry_cipher_test_algo(algorithm->cipher) == 0;
}

static bool begin(struct job *job)
{
    const struct algorithm *algorithm = job->operation->algorithm;
    job->peer = calloc(1, sizeof *job->peer);
    return job->peer ? check("the cipher", gcry_cipher_open(&job->peer->handle, algorithm->cipher, algorithm->mode, 0))
                     : fail("no memory");
}

static void end(struct job *job)
{
    if (job->peer)
        gcry_cipher_close(job->peer->handle);
    free(job->peer);
}

// The words of `hwflist:intel-avx:intel-avx2:`, in place.
static const char *instruction_sets(char *found)
{
    char *sets = found + strcspn(found, ":"), *end = found + strlen(found);
    sets += *sets != '\0';
    while (end > sets && end[-1] == ':')
        *--end = '\0';
    for (char *at = sets; at < end; at++)
        *at = *at == ':' ? ' ' : *at;
    return sets;
}

int main(void)
{
    // Nothing here is secret, and locked memory may be scarce.
    const char *version = gcry_check_version(GCRYPT_VERSION);
    if (!version || gcry_control(GCRYCTL_DISABLE_SECMEM, 0) || gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0)) {
        fputs("libgcrypt: it is older than its header, or cannot be initialised\n", stderr);
        return 1;
    }
    char *found = gcry_get_config(0, "hwflist");
    int status = serve(&(struct engine){
        .name = "libgcrypt",
        .version = version,
        .backend = found ? instruction_sets(found) : "",
        .operations = OPERATIONS,
        .operation_count = sizeof OPERATIONS / sizeof *OPERATIONS,
        .offers = offers,
        .begin = begin,
        .end = end,
        .sha256 = sha256,
        .set_key = set_key,
        .seal = seal,
        .open = open_sealed,
    });
    gcry_free(found);
    return status;
}
