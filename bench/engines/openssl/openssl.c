// The OpenSSL engine of the benchmark: libcrypto's EVP interface behind the protocol of docs/design/bench.md.
//
// As OpenSSL's manual recommends, the cipher is fetched once, and one EVP_CIPHER_CTX keeps the expanded key and takes
// a nonce or IV for each use. Everything is done in place. So is the digest, and its EVP_MD_CTX is used again. Of SM2 the key
// and the context that encrypts or decrypts stay; a signature has a context of its own, since the user is hashed into it.

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

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/params.h>

#ifdef WITH_ZLIB
#include <zlib.h>
#endif

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "the openssl engine needs OpenSSL 3"
#endif

enum { KEY_LENGTH = 32, NONCE_LENGTH = 12, TAG_LENGTH = 16, DIGEST_LENGTH = 32, BLOCK_LENGTH = 16, BATCH = 16 };

// SM4's, which are those of the study in Go whose table the report shows.
static const char SM4_KEY[] = "1234567890abcdef", SM4_IV[] = "fedcba0987654321";

// The key of the examples in GB/T 32918.5, and the user id of whoever has agreed on no other.
static const char SM2_PRIVATE_KEY[] = "3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8";
static const char SM2_PUBLIC_KEY[] = "04" "09f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020"
                                     "ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13";
static const char SM2_ID[] = "1234567812345678";

// The longest output that is said.
enum { SAID_LENGTH = 1 << 14 };

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
    EVP_MD *md;
    EVP_MD_CTX *hashing;
    EVP_PKEY *key;
    EVP_PKEY_CTX *key_context;
    unsigned char nonce[NONCE_LENGTH];

    // What an operation reads and does not change; those that work in place have none.
    unsigned char *source;
    size_t source_length;

    // What it works on in place, and the length of the output that it leaves there.
    unsigned char *work;
    size_t output_length;
    size_t work_capacity;

    // What sm2/verify verifies.
    unsigned char *signature;
    size_t signature_length;

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
    // Of these it has one: a cipher, or a hash, which SM2 has as well.
    const char *cipher, *hash;
    // Both take over `input`, which has room for a tag behind it, as source or work.
    bool (*set_up)(struct job *, unsigned char *input, size_t length);
    bool (*run)(struct job *);
    // The digest that all engines agree on, if it is not that of the output.
    bool (*digest)(struct job *, unsigned char *digest);
    // The digest of what another engine's output opens to.
    bool (*opens)(struct job *, const unsigned char *output, size_t length, unsigned char *digest);
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

static bool set_up_hash(struct job *job, unsigned char *input, size_t length)
{
    job->source = input;
    job->source_length = length;
    job->output_length = (size_t)EVP_MD_get_size(job->md);
    return allocate(&job->work, job->output_length);
}

static bool run_hash(struct job *job)
{
    return EVP_DigestInit_ex2(job->hashing, job->md, NULL)
            && EVP_DigestUpdate(job->hashing, job->source, job->source_length)
            && EVP_DigestFinal_ex(job->hashing, job->work, NULL)
        ? true
        : fail_openssl("the digest");
}

static bool import_key(struct job *job, OSSL_PARAM_BLD *builder, BIGNUM *private_key, const unsigned char *public_key,
                       size_t public_length)
{
    if (!builder || !OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "SM2", 0)
        || !OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, private_key)
        || !OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, public_key, public_length))
        return false;
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "SM2", NULL);
    bool done = params && context && EVP_PKEY_fromdata_init(context) > 0
        && EVP_PKEY_fromdata(context, &job->key, EVP_PKEY_KEYPAIR, params) > 0;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(params);
    return done;
}

// The key, and room for what is longer than the input by less than this.
static bool set_up_sm2(struct job *job, unsigned char *input, size_t length)
{
    enum { ROOM = 256 };
    job->source = input;
    job->source_length = length;
    job->work_capacity = length + ROOM;
    if (!allocate(&job->work, job->work_capacity))
        return false;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *private_key = NULL;
    long public_length = 0;
    unsigned char *public_key = OPENSSL_hexstr2buf(SM2_PUBLIC_KEY, &public_length);
    bool done = public_key && BN_hex2bn(&private_key, SM2_PRIVATE_KEY)
        && import_key(job, builder, private_key, public_key, (size_t)public_length);
    OPENSSL_free(public_key);
    BN_free(private_key);
    OSSL_PARAM_BLD_free(builder);
    return done ? true : fail_openssl("the key");
}

// The two contexts of a signature, the user's id in them, as the manual of EVP_PKEY-SM2 has it.
struct signing {
    EVP_PKEY_CTX *key;
    EVP_MD_CTX *hash;
};

static bool begin_signing(struct job *job, struct signing *signing)
{
    signing->key = EVP_PKEY_CTX_new_from_pkey(NULL, job->key, NULL);
    signing->hash = EVP_MD_CTX_new();
    if (!signing->key || !signing->hash || EVP_PKEY_CTX_set1_id(signing->key, SM2_ID, strlen(SM2_ID)) <= 0)
        return false;
    EVP_MD_CTX_set_pkey_ctx(signing->hash, signing->key);
    return true;
}

static void end_signing(struct signing *signing)
{
    EVP_MD_CTX_free(signing->hash);
    EVP_PKEY_CTX_free(signing->key);
}

static bool sm2_sign(struct job *job, unsigned char *signature, size_t *length)
{
    struct signing signing = {0};
    bool done = begin_signing(job, &signing) && EVP_DigestSignInit(signing.hash, NULL, job->md, NULL, job->key) > 0
        && EVP_DigestSign(signing.hash, signature, length, job->source, job->source_length) > 0;
    end_signing(&signing);
    return done ? true : fail_openssl("the signature");
}

static bool sm2_verify(struct job *job, const unsigned char *signature, size_t length)
{
    struct signing signing = {0};
    bool done = begin_signing(job, &signing) && EVP_DigestVerifyInit(signing.hash, NULL, job->md, NULL, job->key) > 0
        && EVP_DigestVerify(signing.hash, signature, length, job->source, job->source_length) == 1;
    end_signing(&signing);
    return done ? true : fail_openssl("the signature is not this key's over this message");
}

static bool run_sign(struct job *job)
{
    job->output_length = job->work_capacity;
    return sm2_sign(job, job->work, &job->output_length);
}

// Who verifies agrees on the message.
static bool opens_signature(struct job *job, const unsigned char *output, size_t length, unsigned char *digest)
{
    return sm2_verify(job, output, length) && sha256(job->source, job->source_length, digest);
}

static bool digest_signed(struct job *job, unsigned char *digest)
{
    return opens_signature(job, job->work, job->output_length, digest);
}

static bool set_up_verify(struct job *job, unsigned char *input, size_t length)
{
    if (!set_up_sm2(job, input, length))
        return false;
    job->signature_length = job->work_capacity;
    memcpy(job->work, input, length);
    job->output_length = length;
    return allocate(&job->signature, job->signature_length) && sm2_sign(job, job->signature, &job->signature_length);
}

static bool run_verify(struct job *job)
{
    return sm2_verify(job, job->signature, job->signature_length);
}

static bool new_key_context(struct job *job, bool encrypts)
{
    EVP_PKEY_CTX_free(job->key_context);
    job->key_context = EVP_PKEY_CTX_new_from_pkey(NULL, job->key, NULL);
    return job->key_context
            && (encrypts ? EVP_PKEY_encrypt_init(job->key_context) : EVP_PKEY_decrypt_init(job->key_context)) > 0
        ? true
        : fail_openssl("the key's context");
}

static bool set_up_public(struct job *job, unsigned char *input, size_t length)
{
    return set_up_sm2(job, input, length) && new_key_context(job, true);
}

static bool run_public(struct job *job)
{
    job->output_length = job->work_capacity;
    return EVP_PKEY_encrypt(job->key_context, job->work, &job->output_length, job->source, job->source_length) > 0
        ? true
        : fail_openssl("the encryption");
}

static bool run_private(struct job *job)
{
    job->output_length = job->work_capacity;
    return EVP_PKEY_decrypt(job->key_context, job->work, &job->output_length, job->source, job->source_length) > 0
        ? true
        : fail_openssl("the decryption");
}

static bool opens_ciphertext(struct job *job, const unsigned char *output, size_t length, unsigned char *digest)
{
    unsigned char *plaintext = NULL;
    size_t plaintext_length = length;
    bool done = new_key_context(job, false) && allocate(&plaintext, plaintext_length);
    if (done && EVP_PKEY_decrypt(job->key_context, plaintext, &plaintext_length, output, length) <= 0)
        done = fail_openssl("the decryption");
    done = done && sha256(plaintext, plaintext_length, digest);
    free(plaintext);
    return new_key_context(job, true) && done;
}

static bool digest_encrypted(struct job *job, unsigned char *digest)
{
    return opens_ciphertext(job, job->work, job->output_length, digest);
}

static bool set_up_private(struct job *job, unsigned char *input, size_t length)
{
    if (!set_up_public(job, input, length) || !run_public(job))
        return false;
    // The ciphertext becomes the source, and there is room for it where the plaintext goes.
    free(job->source);
    job->source = job->work;
    job->source_length = job->output_length;
    job->work = NULL;
    return allocate(&job->work, job->work_capacity) && new_key_context(job, false);
}

static const struct operation OPERATIONS[] = {
    {"aead/aes-256-gcm/seal", "AES-256-GCM", NULL, set_up_seal, run_seal, NULL, NULL},
    {"aead/aes-256-gcm/open", "AES-256-GCM", NULL, set_up_open, run_open, NULL, NULL},
    {"aead/chacha20-poly1305/seal", "ChaCha20-Poly1305", NULL, set_up_seal, run_seal, NULL, NULL},
    {"aead/chacha20-poly1305/open", "ChaCha20-Poly1305", NULL, set_up_open, run_open, NULL, NULL},
    {"workload/records/seal", "AES-256-GCM", NULL, set_up_records, run_records, NULL, NULL},
    {"workload/text/seal", "AES-256-GCM", NULL, set_up_seal, run_seal, NULL, NULL},
#ifdef WITH_ZLIB
    {"workload/text/deflate-seal", "AES-256-GCM", NULL, set_up_deflate, run_deflate, digest_inflated, NULL},
#endif
    {"sm4/ecb/encrypt", "SM4-ECB", NULL, set_up_encrypt, run_message, NULL, NULL},
    {"sm4/ecb/decrypt", "SM4-ECB", NULL, set_up_decrypt, run_message, NULL, NULL},
    {"sm4/cbc/encrypt", "SM4-CBC", NULL, set_up_encrypt, run_message, NULL, NULL},
    {"sm4/cbc/decrypt", "SM4-CBC", NULL, set_up_decrypt, run_message, NULL, NULL},
    {"sm4/ctr/encrypt", "SM4-CTR", NULL, set_up_stream, run_message, NULL, NULL},
    {"sm4/ctr/decrypt", "SM4-CTR", NULL, set_up_stream_back, run_message, NULL, NULL},
    {"sm4/cbc/encrypt-batch-16", "SM4-CBC", NULL, set_up_batch, run_batch, NULL, NULL},
    // Since OpenSSL 3.1.
    {"sm4/gcm/seal", "SM4-GCM", NULL, set_up_seal, run_seal, NULL, NULL},
    {"sm4/gcm/open", "SM4-GCM", NULL, set_up_open, run_open, NULL, NULL},
    {"sm2/sign", NULL, "SM3", set_up_sm2, run_sign, digest_signed, opens_signature},
    {"sm2/verify", NULL, "SM3", set_up_verify, run_verify, NULL, NULL},
    {"sm2/encrypt", NULL, "SM3", set_up_public, run_public, digest_encrypted, opens_ciphertext},
    {"sm2/decrypt", NULL, "SM3", set_up_private, run_private, NULL, NULL},
    {"hash/sm3", NULL, "SM3", set_up_hash, run_hash, NULL, NULL},
    {"hash/sha256", NULL, "SHA2-256", set_up_hash, run_hash, NULL, NULL},
    {"hash/sha512", NULL, "SHA2-512", set_up_hash, run_hash, NULL, NULL},
    {"hash/sha3-256", NULL, "SHA3-256", set_up_hash, run_hash, NULL, NULL},
    {"hash/blake2b", NULL, "BLAKE2B-512", set_up_hash, run_hash, NULL, NULL},
};

enum { OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS };

static void clear(struct job *job)
{
    EVP_CIPHER_CTX_free(job->context);
    EVP_CIPHER_free(job->cipher);
    EVP_MD_CTX_free(job->hashing);
    EVP_MD_free(job->md);
    EVP_PKEY_CTX_free(job->key_context);
    EVP_PKEY_free(job->key);
    free(job->source);
    free(job->work);
    free(job->signature);
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

static void print_hex(const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        printf("%02x", bytes[i]);
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

static bool has_algorithms(const struct operation *operation)
{
    EVP_CIPHER *cipher = operation->cipher ? EVP_CIPHER_fetch(NULL, operation->cipher, NULL) : NULL;
    EVP_MD *md = operation->hash ? EVP_MD_fetch(NULL, operation->hash, NULL) : NULL;
    bool has_one = cipher || md;
    EVP_CIPHER_free(cipher);
    EVP_MD_free(md);
    return has_one;
}

static void answer_operations(void)
{
    fputs("operations", stdout);
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        if (has_algorithms(&OPERATIONS[i]))
            printf(" %s", OPERATIONS[i].name);
    ERR_clear_error();
    putchar('\n');
}

// The cipher or the hash, and a context for it.
static bool fetch(struct job *job)
{
    const char *cipher = job->operation->cipher, *hash = job->operation->hash;
    if (cipher) {
        job->cipher = EVP_CIPHER_fetch(NULL, cipher, NULL);
        job->context = EVP_CIPHER_CTX_new();
    } else {
        job->md = EVP_MD_fetch(NULL, hash, NULL);
        job->hashing = EVP_MD_CTX_new();
    }
    if (!job->cipher && !job->md) {
        ERR_clear_error();
        return unsupported("algorithm", cipher ? cipher : hash);
    }
    return job->context || job->hashing ? true : fail_openssl(cipher ? cipher : hash);
}

// Fills `*job` and does the operation once; what it leaves behind on failure is the caller's to clear.
static bool prepare(struct job *job, const char *path, unsigned char *digest)
{
    for (int i = 0; i < NONCE_LENGTH; i++)
        job->nonce[i] = (unsigned char)(0x40 + i);
    if (!fetch(job))
        return false;

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
    print_hex(digest, DIGEST_LENGTH);
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

static bool answer_opens(struct job *job, char *rest)
{
    const char *word = strtok_r(NULL, " ", &rest);
    if (!job->operation)
        return fail("nothing is prepared");
    if (!job->operation->opens)
        return fail("it opens nothing of others");
    long length = 0;
    unsigned char digest[DIGEST_LENGTH], *output = word ? OPENSSL_hexstr2buf(word, &length) : NULL;
    if (!output) {
        ERR_clear_error();
        return fail("it is not hexadecimal");
    }
    bool done = job->operation->opens(job, output, (size_t)length, digest);
    OPENSSL_free(output);
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
