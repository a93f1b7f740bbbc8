// The OpenSSL engine of the benchmark: libcrypto's EVP interface behind the protocol of docs/design/bench.md.
//
// As OpenSSL's manual recommends, the cipher is fetched once, and one EVP_CIPHER_CTX keeps the expanded key and takes
// a nonce or IV for each use. Everything is done in place. So is the digest, and its EVP_MD_CTX is used again. Of SM2 the key
// and the context that encrypts or decrypts stay; a signature has a context of its own, since the user is hashed into it.

#include "protocol.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

enum { BLOCK_LENGTH = 16, BATCH = 16 };

// SM4's, which are those of the study in Go whose table the report shows.
static const char SM4_KEY[] = "1234567890abcdef", SM4_IV[] = "fedcba0987654321";

// The key of the examples in GB/T 32918.5, and the user id of whoever has agreed on no other.
static const char SM2_PRIVATE_KEY[] = "3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8";
static const char SM2_PUBLIC_KEY[] = "04" "09f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020"
                                     "ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13";
static const char SM2_ID[] = "1234567812345678";

// An update takes its length as an int.
static const size_t UPDATE_LENGTH = (size_t)1 << 30;

// As OpenSSL calls them. It has one: a cipher, a hash, which SM2 has as well, or a kind of key whose private form is a seed.
struct algorithm {
    const char *cipher, *hash, *key;
};

struct peer {
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *context;
    EVP_MD *md;
    EVP_MD_CTX *hashing;
    EVP_PKEY *key;
    EVP_PKEY_CTX *key_context;

    // What is verified.
    unsigned char *signature;
    size_t signature_length;

    // What is decapsulated, and behind it its secret.
    unsigned char *encapsulated;

    // Of the job's work, which may be longer than the output.
    size_t work_capacity;

#ifdef WITH_ZLIB
    z_stream deflate;
    bool deflating;
#endif
};

// With OpenSSL's own reason, where it gives one.
static bool fail_openssl(const char *what)
{
    unsigned long code = ERR_get_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    ERR_clear_error();
    return fail("%s: %s", what, reason ? reason : "failed");
}

// ---- Sealing and opening -------------------------------------------------------------------------------------------

// Expands the fixed key for sealing or opening.
static bool set_key(struct job *job, bool sealing)
{
    bool is_sm4 = strncmp(job->operation->algorithm->cipher, "SM4-", 4) == 0;
    const unsigned char *key = is_sm4 ? (const unsigned char *)SM4_KEY : KEY;
    struct peer *peer = job->peer;
    return EVP_CipherInit_ex2(peer->context, peer->cipher, key, NULL, sealing, NULL) ? true : fail_openssl("the key");
}

// Both directions in place, without the tag.
static bool cipher(struct job *job, const unsigned char *nonce, unsigned char *data, size_t length)
{
    if (!EVP_CipherInit_ex2(job->peer->context, NULL, NULL, nonce, -1, NULL))
        return fail_openssl("the nonce");
    while (length > 0) {
        int part = (int)(length < UPDATE_LENGTH ? length : UPDATE_LENGTH), written;
        if (!EVP_CipherUpdate(job->peer->context, data, &written, data, part) || written != part)
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
    if (!EVP_CipherFinal_ex(job->peer->context, tag, &written)
        || !EVP_CIPHER_CTX_ctrl(job->peer->context, EVP_CTRL_AEAD_GET_TAG, TAG_LENGTH, tag))
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
    if (!EVP_CIPHER_CTX_ctrl(job->peer->context, EVP_CTRL_AEAD_SET_TAG, TAG_LENGTH, tag))
        return fail_openssl("the tag");
    return EVP_CipherFinal_ex(job->peer->context, tag, &written) > 0 ? true : fail("not authentic");
}

static bool sha256(const unsigned char *data, size_t length, unsigned char *digest)
{
    return EVP_Digest(data, length, digest, NULL, EVP_sha256(), NULL) ? true : fail_openssl("SHA-256");
}

// ---- Operations ----------------------------------------------------------------------------------------------------

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
    return set_key(job, true)
        && (EVP_CIPHER_CTX_set_padding(job->peer->context, 0) ? true : fail_openssl("no padding"));
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
    return set_up_units(job, input, length, BLOCK_LENGTH) && run_message(job) && set_key(job, false);
}

static bool set_up_stream(struct job *job, unsigned char *input, size_t length)
{
    job->work = input;
    job->output_length = length;
    return set_key(job, true);
}

static bool set_up_stream_back(struct job *job, unsigned char *input, size_t length)
{
    return set_up_stream(job, input, length) && run_message(job) && set_key(job, false);
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
    if (deflateInit2(&job->peer->deflate, 6, Z_DEFLATED, raw_window_bits, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
        return fail("deflateInit2 failed");
    job->peer->deflating = true;
    job->peer->work_capacity = deflateBound(&job->peer->deflate, (uLong)length);
    return allocate(&job->work, job->peer->work_capacity + TAG_LENGTH) && set_key(job, true);
}

static bool run_deflate(struct job *job)
{
    z_stream *stream = &job->peer->deflate;
    if (deflateReset(stream) != Z_OK)
        return fail("deflateReset failed");
    stream->next_in = job->source;
    stream->avail_in = (uInt)job->source_length;
    stream->next_out = job->work;
    stream->avail_out = (uInt)(job->peer->work_capacity < UINT_MAX ? job->peer->work_capacity : UINT_MAX);
    if (deflate(stream, Z_FINISH) != Z_STREAM_END)
        return fail("deflate failed");
    size_t length = (size_t)(stream->next_out - job->work);
    job->output_length = length + TAG_LENGTH;
    return seal(job, NONCE, job->work, length);
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
    bool done = set_key(job, false) && open_sealed(job, NONCE, job->work, length)
        && allocate(&text, job->source_length) && inflate_raw(job->work, length, text, job->source_length)
        && sha256(text, job->source_length, digest) && set_key(job, true);
    free(text);
    return done;
}

#endif

static bool set_up_hash(struct job *job, unsigned char *input, size_t length)
{
    job->source = input;
    job->source_length = length;
    job->output_length = (size_t)EVP_MD_get_size(job->peer->md);
    return allocate(&job->work, job->output_length);
}

static bool run_hash(struct job *job)
{
    return EVP_DigestInit_ex2(job->peer->hashing, job->peer->md, NULL)
            && EVP_DigestUpdate(job->peer->hashing, job->source, job->source_length)
            && EVP_DigestFinal_ex(job->peer->hashing, job->work, NULL)
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
        && EVP_PKEY_fromdata(context, &job->peer->key, EVP_PKEY_KEYPAIR, params) > 0;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(params);
    return done;
}

// Room for what is longer than the input by less than `room`.
static bool set_up_source(struct job *job, unsigned char *input, size_t length, size_t room)
{
    job->source = input;
    job->source_length = length;
    job->peer->work_capacity = length + room;
    return allocate(&job->work, job->peer->work_capacity);
}

static bool set_up_sm2(struct job *job, unsigned char *input, size_t length)
{
    enum { ROOM = 256 };
    if (!set_up_source(job, input, length, ROOM))
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
    signing->hash = EVP_MD_CTX_new();
    if (!signing->hash)
        return false;
    // A key that is a seed makes its own context.
    if (!job->peer->md)
        return true;
    signing->key = EVP_PKEY_CTX_new_from_pkey(NULL, job->peer->key, NULL);
    if (!signing->key || EVP_PKEY_CTX_set1_id(signing->key, SM2_ID, strlen(SM2_ID)) <= 0)
        return false;
    EVP_MD_CTX_set_pkey_ctx(signing->hash, signing->key);
    return true;
}

static void end_signing(struct signing *signing)
{
    EVP_MD_CTX_free(signing->hash);
    EVP_PKEY_CTX_free(signing->key);
}

static bool sign(struct job *job, unsigned char *signature, size_t *length)
{
    struct peer *peer = job->peer;
    struct signing signing = {0};
    bool done = begin_signing(job, &signing)
        && EVP_DigestSignInit(signing.hash, NULL, peer->md, NULL, peer->key) > 0
        && EVP_DigestSign(signing.hash, signature, length, job->source, job->source_length) > 0;
    end_signing(&signing);
    return done ? true : fail_openssl("the signature");
}

static bool verify(struct job *job, const unsigned char *signature, size_t length)
{
    struct peer *peer = job->peer;
    struct signing signing = {0};
    bool done = begin_signing(job, &signing)
        && EVP_DigestVerifyInit(signing.hash, NULL, peer->md, NULL, peer->key) > 0
        && EVP_DigestVerify(signing.hash, signature, length, job->source, job->source_length) == 1;
    end_signing(&signing);
    return done ? true : fail_openssl("the signature is not this key's over this message");
}

static bool run_sign(struct job *job)
{
    job->output_length = job->peer->work_capacity;
    return sign(job, job->work, &job->output_length);
}

// Who verifies agrees on the message.
static bool opens_signature(struct job *job, const unsigned char *output, size_t length, unsigned char *digest)
{
    return verify(job, output, length) && sha256(job->source, job->source_length, digest);
}

static bool digest_signed(struct job *job, unsigned char *digest)
{
    return opens_signature(job, job->work, job->output_length, digest);
}

// Signs the source before the clock.
static bool sign_first(struct job *job)
{
    struct peer *peer = job->peer;
    peer->signature_length = peer->work_capacity;
    memcpy(job->work, job->source, job->source_length);
    job->output_length = job->source_length;
    return allocate(&peer->signature, peer->signature_length)
        && sign(job, peer->signature, &peer->signature_length);
}

static bool set_up_verify(struct job *job, unsigned char *input, size_t length)
{
    return set_up_sm2(job, input, length) && sign_first(job);
}

static bool run_verify(struct job *job)
{
    return verify(job, job->peer->signature, job->peer->signature_length);
}

static bool new_key_context(struct job *job, bool encrypts)
{
    struct peer *peer = job->peer;
    EVP_PKEY_CTX_free(peer->key_context);
    peer->key_context = EVP_PKEY_CTX_new_from_pkey(NULL, peer->key, NULL);
    return peer->key_context
            && (encrypts ? EVP_PKEY_encrypt_init(peer->key_context) : EVP_PKEY_decrypt_init(peer->key_context)) > 0
        ? true
        : fail_openssl("the key's context");
}

static bool set_up_public(struct job *job, unsigned char *input, size_t length)
{
    return set_up_sm2(job, input, length) && new_key_context(job, true);
}

static bool run_public(struct job *job)
{
    job->output_length = job->peer->work_capacity;
    return EVP_PKEY_encrypt(job->peer->key_context, job->work, &job->output_length, job->source, job->source_length) > 0
        ? true
        : fail_openssl("the encryption");
}

static bool run_private(struct job *job)
{
    job->output_length = job->peer->work_capacity;
    return EVP_PKEY_decrypt(job->peer->key_context, job->work, &job->output_length, job->source, job->source_length) > 0
        ? true
        : fail_openssl("the decryption");
}

static bool opens_ciphertext(struct job *job, const unsigned char *output, size_t length, unsigned char *digest)
{
    unsigned char *plaintext = NULL;
    size_t plaintext_length = length;
    bool done = new_key_context(job, false) && allocate(&plaintext, plaintext_length);
    if (done && EVP_PKEY_decrypt(job->peer->key_context, plaintext, &plaintext_length, output, length) <= 0)
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
    return allocate(&job->work, job->peer->work_capacity) && new_key_context(job, false);
}

// The key whose seed is bytes 0, 1, 2, …
static bool import_seed(struct job *job, size_t seed_length)
{
    unsigned char seed[64];
    for (size_t i = 0; i < seed_length; i++)
        seed[i] = (unsigned char)i;
    // Of ML-KEM and ML-DSA alike.
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string("seed", seed, seed_length), OSSL_PARAM_construct_end()};
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, job->operation->algorithm->key, NULL);
    bool done = context && EVP_PKEY_fromdata_init(context) > 0
        && EVP_PKEY_fromdata(context, &job->peer->key, EVP_PKEY_KEYPAIR, params) > 0;
    EVP_PKEY_CTX_free(context);
    return done ? true : fail_openssl("the key");
}

static bool set_up_ml_dsa(struct job *job, unsigned char *input, size_t length)
{
    enum { SEED_LENGTH = 32, SIGNATURE_LENGTH = 3309 };
    return set_up_source(job, input, length, SIGNATURE_LENGTH) && import_seed(job, SEED_LENGTH);
}

static bool set_up_ml_dsa_verify(struct job *job, unsigned char *input, size_t length)
{
    return set_up_ml_dsa(job, input, length) && sign_first(job);
}

enum { SECRET_LENGTH = 32, CIPHERTEXT_LENGTH = 1088 };

static bool new_kem_context(struct job *job, bool encapsulates)
{
    struct peer *peer = job->peer;
    EVP_PKEY_CTX_free(peer->key_context);
    peer->key_context = EVP_PKEY_CTX_new_from_pkey(NULL, peer->key, NULL);
    return peer->key_context
            && (encapsulates ? EVP_PKEY_encapsulate_init(peer->key_context, NULL)
                             : EVP_PKEY_decapsulate_init(peer->key_context, NULL)) > 0
        ? true
        : fail_openssl("the key's context");
}

static bool set_up_encapsulate(struct job *job, unsigned char *input, size_t length)
{
    enum { SEED_LENGTH = 64 };
    return set_up_source(job, input, length, CIPHERTEXT_LENGTH + SECRET_LENGTH) && import_seed(job, SEED_LENGTH)
        && new_kem_context(job, true);
}

// The ciphertext, and behind it the secret.
static bool run_encapsulate(struct job *job)
{
    size_t ciphertext_length = CIPHERTEXT_LENGTH, secret_length = SECRET_LENGTH;
    job->output_length = CIPHERTEXT_LENGTH + SECRET_LENGTH;
    return EVP_PKEY_encapsulate(job->peer->key_context, job->work, &ciphertext_length, job->work + CIPHERTEXT_LENGTH,
                                &secret_length) > 0
        ? true
        : fail_openssl("the encapsulation");
}

static bool decapsulate(struct job *job, const unsigned char *ciphertext, unsigned char *secret)
{
    size_t secret_length = SECRET_LENGTH;
    return EVP_PKEY_decapsulate(job->peer->key_context, secret, &secret_length, ciphertext, CIPHERTEXT_LENGTH) > 0
        ? true
        : fail_openssl("the decapsulation");
}

// Who has the same secret agrees on the input.
static bool digest_secret(struct job *job, const unsigned char *secret, const unsigned char *expected,
                          unsigned char *digest)
{
    return memcmp(secret, expected, SECRET_LENGTH) == 0 ? sha256(job->source, job->source_length, digest)
                                                         : fail("it is the ciphertext of another secret");
}

static bool opens_encapsulated(struct job *job, const unsigned char *output, size_t length, unsigned char *digest)
{
    unsigned char secret[SECRET_LENGTH];
    if (length != CIPHERTEXT_LENGTH + SECRET_LENGTH)
        return fail("a ciphertext and a secret are no %zu bytes", length);
    bool done = new_kem_context(job, false) && decapsulate(job, output, secret)
        && digest_secret(job, secret, output + CIPHERTEXT_LENGTH, digest);
    return new_kem_context(job, true) && done;
}

static bool digest_encapsulated(struct job *job, unsigned char *digest)
{
    return opens_encapsulated(job, job->work, job->output_length, digest);
}

static bool set_up_decapsulate(struct job *job, unsigned char *input, size_t length)
{
    if (!set_up_encapsulate(job, input, length) || !run_encapsulate(job)
        || !allocate(&job->peer->encapsulated, job->output_length))
        return false;
    memcpy(job->peer->encapsulated, job->work, job->output_length);
    job->output_length = SECRET_LENGTH;
    return new_kem_context(job, false);
}

static bool run_decapsulate(struct job *job)
{
    return decapsulate(job, job->peer->encapsulated, job->work);
}

static bool digest_decapsulated(struct job *job, unsigned char *digest)
{
    return digest_secret(job, job->work, job->peer->encapsulated + CIPHERTEXT_LENGTH, digest);
}

static const struct algorithm AES_256_GCM = {.cipher = "AES-256-GCM"};
static const struct algorithm CHACHA20_POLY1305 = {.cipher = "ChaCha20-Poly1305"};
static const struct algorithm SM4_ECB = {.cipher = "SM4-ECB"};
static const struct algorithm SM4_CBC = {.cipher = "SM4-CBC"};
static const struct algorithm SM4_CTR = {.cipher = "SM4-CTR"};
static const struct algorithm SM4_GCM = {.cipher = "SM4-GCM"};
static const struct algorithm SM3 = {.hash = "SM3"};
static const struct algorithm SHA2_256 = {.hash = "SHA2-256"};
static const struct algorithm SHA2_512 = {.hash = "SHA2-512"};
static const struct algorithm SHA3_256 = {.hash = "SHA3-256"};
static const struct algorithm BLAKE2B_512 = {.hash = "BLAKE2B-512"};
// Since OpenSSL 3.5.
static const struct algorithm ML_KEM_768 = {.key = "ML-KEM-768"};
static const struct algorithm ML_DSA_65 = {.key = "ML-DSA-65"};

static const struct operation OPERATIONS[] = {
    {"aead/aes-256-gcm/seal", &AES_256_GCM, set_up_seal, run_seal},
    {"aead/aes-256-gcm/open", &AES_256_GCM, set_up_open, run_open},
    {"aead/chacha20-poly1305/seal", &CHACHA20_POLY1305, set_up_seal, run_seal},
    {"aead/chacha20-poly1305/open", &CHACHA20_POLY1305, set_up_open, run_open},
    {"workload/records/seal", &AES_256_GCM, set_up_records, run_records},
    {"workload/text/seal", &AES_256_GCM, set_up_seal, run_seal},
#ifdef WITH_ZLIB
    {"workload/text/deflate-seal", &AES_256_GCM, set_up_deflate, run_deflate, digest_inflated},
#endif
    {"sm4/ecb/encrypt", &SM4_ECB, set_up_encrypt, run_message},
    {"sm4/ecb/decrypt", &SM4_ECB, set_up_decrypt, run_message},
    {"sm4/cbc/encrypt", &SM4_CBC, set_up_encrypt, run_message},
    {"sm4/cbc/decrypt", &SM4_CBC, set_up_decrypt, run_message},
    {"sm4/ctr/encrypt", &SM4_CTR, set_up_stream, run_message},
    {"sm4/ctr/decrypt", &SM4_CTR, set_up_stream_back, run_message},
    {"sm4/cbc/encrypt-batch-16", &SM4_CBC, set_up_batch, run_batch},
    // Since OpenSSL 3.1.
    {"sm4/gcm/seal", &SM4_GCM, set_up_seal, run_seal},
    {"sm4/gcm/open", &SM4_GCM, set_up_open, run_open},
    {"sm4/gcm/seal-records", &SM4_GCM, set_up_records, run_records},
#ifdef WITH_ZLIB
    {"sm4/gcm/deflate-seal", &SM4_GCM, set_up_deflate, run_deflate, digest_inflated},
#endif
    {"sm2/sign", &SM3, set_up_sm2, run_sign, digest_signed, opens_signature},
    {"sm2/verify", &SM3, set_up_verify, run_verify},
    {"sm2/encrypt", &SM3, set_up_public, run_public, digest_encrypted, opens_ciphertext},
    {"sm2/decrypt", &SM3, set_up_private, run_private},
    {"hash/sm3", &SM3, set_up_hash, run_hash},
    {"hash/sha256", &SHA2_256, set_up_hash, run_hash},
    {"hash/sha512", &SHA2_512, set_up_hash, run_hash},
    {"hash/sha3-256", &SHA3_256, set_up_hash, run_hash},
    {"hash/blake2b", &BLAKE2B_512, set_up_hash, run_hash},
    {"exchange/ml-kem-768/encapsulate", &ML_KEM_768, set_up_encapsulate, run_encapsulate, digest_encapsulated,
     opens_encapsulated},
    {"exchange/ml-kem-768/decapsulate", &ML_KEM_768, set_up_decapsulate, run_decapsulate, digest_decapsulated},
    {"sign/ml-dsa-65/sign", &ML_DSA_65, set_up_ml_dsa, run_sign, digest_signed, opens_signature},
    {"sign/ml-dsa-65/verify", &ML_DSA_65, set_up_ml_dsa_verify, run_verify},
};

enum { OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS };

static bool offers(const struct algorithm *algorithm)
{
    EVP_CIPHER *cipher = algorithm->cipher ? EVP_CIPHER_fetch(NULL, algorithm->cipher, NULL) : NULL;
    EVP_MD *md = algorithm->hash ? EVP_MD_fetch(NULL, algorithm->hash, NULL) : NULL;
    EVP_KEYMGMT *key = algorithm->key ? EVP_KEYMGMT_fetch(NULL, algorithm->key, NULL) : NULL;
    bool has_one = cipher || md || key;
    EVP_CIPHER_free(cipher);
    EVP_MD_free(md);
    EVP_KEYMGMT_free(key);
    ERR_clear_error();
    return has_one;
}

// The cipher or the hash, and a context for it. A key has its own, once it is there.
static bool begin(struct job *job)
{
    const char *cipher = job->operation->algorithm->cipher, *hash = job->operation->algorithm->hash;
    struct peer *peer = job->peer = calloc(1, sizeof *peer);
    if (!peer)
        return fail("no memory");
    if (cipher) {
        peer->cipher = EVP_CIPHER_fetch(NULL, cipher, NULL);
        peer->context = EVP_CIPHER_CTX_new();
    } else if (hash) {
        peer->md = EVP_MD_fetch(NULL, hash, NULL);
        peer->hashing = EVP_MD_CTX_new();
    } else {
        return true;
    }
    return (peer->cipher && peer->context) || (peer->md && peer->hashing) ? true : fail_openssl(cipher ? cipher : hash);
}

static void end(struct job *job)
{
    struct peer *peer = job->peer;
    if (!peer)
        return;
    EVP_CIPHER_CTX_free(peer->context);
    EVP_CIPHER_free(peer->cipher);
    EVP_MD_CTX_free(peer->hashing);
    EVP_MD_free(peer->md);
    EVP_PKEY_CTX_free(peer->key_context);
    EVP_PKEY_free(peer->key);
    free(peer->signature);
    free(peer->encapsulated);
#ifdef WITH_ZLIB
    if (peer->deflating)
        deflateEnd(&peer->deflate);
#endif
    free(peer);
}

int main(void)
{
    const char *cpu = OpenSSL_version(OPENSSL_CPU_INFO), *prefix = "CPUINFO: ";
    return serve(&(struct engine){
        .name = "openssl",
        .version = OpenSSL_version(OPENSSL_FULL_VERSION_STRING),
        .backend = strncmp(cpu, prefix, strlen(prefix)) == 0 ? cpu + strlen(prefix) : cpu,
        .operations = OPERATIONS,
        .operation_count = OPERATION_COUNT,
        .offers = offers,
        .begin = begin,
        .end = end,
        .sha256 = sha256,
        .set_key = set_key,
        .seal = seal,
        .open = open_sealed,
    });
}
