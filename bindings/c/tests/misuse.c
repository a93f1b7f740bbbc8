/*
 * What callers do wrong, and what they may do: pointers, lengths, memory that overlaps, objects after their end, threads and forks.
 *
 * misuse FOLDER: an empty folder to write in. `everything.c`, which the test in Rust writes of the header, calls each function with nothing;
 * here one argument at a time is wrong.
 */
#define _POSIX_C_SOURCE 200809L

#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *folder;

/** Objects and bytes that are right. */
static sealstone_identity *identity;
static sealstone_recipient *recipient;
static sealstone_encryptor *encryptor;
static sealstone_decryptor *decryptor;
static data plaintext;
static data sealed;

#define WRONG(call) FAILS("invalid_argument", call)

static char *path_of(const char *name)
{
    char *path = (char *)keep(strlen(folder) + strlen(name) + 2);
    sprintf(path, "%s/%s", folder, name);
    return path;
}

static void begin(void)
{
    sealstone_bytes *bytes = NULL;
    OK(sealstone_identity_generate("x25519", &identity));
    OK(sealstone_identity_recipient(identity, &recipient));
    const sealstone_recipient *recipients[] = {recipient};
    const sealstone_identity *identities[] = {identity};
    OK(sealstone_encryptor_new(recipients, 1, NULL, &encryptor));
    OK(sealstone_decryptor_new(identities, 1, NULL, 0, NULL, 0, &decryptor));
    plaintext = noise(40000);
    OK(sealstone_encrypt(encryptor, plaintext.at, plaintext.len, &bytes));
    sealed = taken(bytes);
}

static void end(void)
{
    // The encryptor and the decryptor keep what they were made of, so these may go first.
    sealstone_recipient_free(recipient);
    sealstone_identity_free(identity);
    sealstone_bytes *bytes = NULL;
    OK(sealstone_decrypt(decryptor, sealed.at, sealed.len, &bytes));
    SAME(taken(bytes), plaintext);
    sealstone_encryptor_free(encryptor);
    sealstone_decryptor_free(decryptor);
}

/* ---- Pointers ---- */

static void null_pointers(void)
{
    sealstone_bytes *bytes = (sealstone_bytes *)&checks;
    const sealstone_recipient *recipients[] = {recipient, NULL};
    const sealstone_identity *identities[] = {NULL};
    sealstone_encryptor *no_encryptor = NULL;
    sealstone_decryptor *no_decryptor = NULL;
    sealstone_recipient *no_recipient = NULL;
    sealstone_identity *no_identity = NULL;
    sealstone_identity_list *no_list = NULL;
    sealstone_inspection *no_inspection = NULL;
    sealstone_aead *no_aead = NULL;
    sealstone_writer *no_writer = NULL;
    sealstone_encrypt_stream *no_stream = NULL;
    uint8_t memory[64] = {0};
    size_t len = 77;
    bool is_text = true;
    STRUCTURE(sealstone_processed, done);

    WRONG(sealstone_encrypt(NULL, plaintext.at, plaintext.len, &bytes));
    CHECK(bytes == NULL);
    WRONG(sealstone_encrypt(encryptor, NULL, plaintext.len, &bytes));
    WRONG(sealstone_encrypt(encryptor, plaintext.at, plaintext.len, NULL));
    WRONG(sealstone_decrypt(NULL, sealed.at, sealed.len, &bytes));
    WRONG(sealstone_decrypt(decryptor, NULL, sealed.len, &bytes));
    WRONG(sealstone_decrypt(decryptor, sealed.at, sealed.len, NULL));
    WRONG(sealstone_decrypt_range(decryptor, sealed.at, sealed.len, 0, 1, NULL));
    WRONG(sealstone_inspect(sealed.at, sealed.len, NULL));
    WRONG(sealstone_inspect(NULL, 1, &no_inspection));
    WRONG(sealstone_encryptor_new(NULL, 1, NULL, &no_encryptor));
    WRONG(sealstone_encryptor_new(recipients, 2, NULL, &no_encryptor));
    WRONG(sealstone_encryptor_new(recipients, 1, NULL, NULL));
    WRONG(sealstone_decryptor_new(identities, 1, NULL, 0, NULL, 0, &no_decryptor));
    WRONG(sealstone_decryptor_new(NULL, 0, NULL, 5, NULL, 0, &no_decryptor));
    CHECK(no_encryptor == NULL && no_decryptor == NULL);
    WRONG(sealstone_identity_recipient(NULL, &no_recipient));
    WRONG(sealstone_identity_of_key(NULL, 32, &no_identity));
    WRONG(sealstone_identities_parse(NULL, 3, NULL, 0, &no_list));
    WRONG(sealstone_recipient_export(recipient, NULL, &bytes));
    WRONG(sealstone_recipient_kind(recipient, NULL));
    WRONG(sealstone_hash_len(NULL, &len));
    WRONG(sealstone_hash_len("sha256", NULL));
    WRONG(sealstone_hash_into(NULL, memory, 1, memory, 32));
    WRONG(sealstone_hash_into("sha256", NULL, 1, memory, 32));
    WRONG(sealstone_hash_into("sha256", memory, 1, NULL, 32));
    WRONG(sealstone_random_fill(NULL, 1));
    OK(sealstone_random_fill(NULL, 0));
    WRONG(sealstone_mac_into(NULL, memory, 1, memory, 32));
    WRONG(sealstone_aead_new(NULL, memory, 32, &no_aead));
    WRONG(sealstone_aead_new("aes-256-gcm", NULL, 32, &no_aead));
    WRONG(sealstone_aead_new("aes-256-gcm", memory, 32, NULL));
    WRONG(sealstone_derive(NULL, NULL, true, 32, NULL, &bytes));
    WRONG(sealstone_password_verify(memory, 1, NULL, true, NULL));
    WRONG(sealstone_encrypt_file(encryptor, NULL, path_of("x"), false, false, NULL, &done));
    WRONG(sealstone_encrypt_file(encryptor, path_of("x"), NULL, false, false, NULL, &done));
    WRONG(sealstone_encrypt_file(encryptor, path_of("x"), path_of("y"), false, false, NULL, NULL));
    WRONG(sealstone_encrypt_file(NULL, path_of("x"), path_of("y"), false, false, NULL, &done));
    WRONG(sealstone_inspect_file(NULL, false, NULL, &no_inspection));
    WRONG(sealstone_writer_new(encryptor, NULL, false, NULL, &no_writer));
    WRONG(sealstone_encrypt_stream_new(NULL, NULL, &no_stream));
    WRONG(sealstone_encrypt_stream_new(encryptor, NULL, NULL));
    WRONG(sealstone_file_is_armoured(NULL, 4, &is_text));
    CHECK(!is_text);
    WRONG(sealstone_job_new(NULL));
    WRONG(sealstone_job_cancel(NULL));
    WRONG(sealstone_job_progress(NULL, NULL));
    WRONG(sealstone_sign_verify(NULL, memory, 1, memory, 1, NULL));
    WRONG(sealstone_sm2_verify(NULL, memory, 1, memory, 1, NULL, 0, NULL));
    WRONG(sealstone_exchange_agree(NULL, NULL, NULL, 32, &bytes));
    WRONG(sealstone_signature_trust_key(NULL, NULL));
    WRONG(sealstone_base64_decode_into(memory, 4, memory + 32, 3, NULL));
    CHECK(bytes == NULL);
    // What is nothing of a result.
    CHECK(sealstone_error_code(NULL) == NULL && sealstone_error_message(NULL) == NULL && sealstone_error_number(NULL) == 0);
    CHECK(sealstone_bytes_data(NULL) == NULL && sealstone_bytes_len(NULL) == 0 && sealstone_bytes_text(NULL) == NULL);
    CHECK(sealstone_error_errno(NULL) == 0 && sealstone_error_chunk(NULL) == UINT64_MAX);
}

static void text_that_is_none(void)
{
    const char *texts[] = {"\xff", "x25519\xc3", "\xed\xa0\x80"};
    for (size_t i = 0; i < 3; i++) {
        sealstone_identity *none = NULL;
        size_t len = 0;
        WRONG(sealstone_identity_generate(texts[i], &none));
        WRONG(sealstone_hash_len(texts[i], &len));
        CHECK(none == NULL && len == 0);
    }
    // Names of files are any bytes; one that is not UTF-8 is a file that is not there.
    STRUCTURE(sealstone_processed, done);
    FAILS("io", sealstone_verify_file(decryptor, path_of("\xff\xfe"), false, NULL, &done));
    CHECK(done.plaintext == 0 && done.struct_size == sizeof done);
}

/* ---- Lengths ---- */

/** A length that no memory has is refused before any byte is read. */
static void lengths_of_no_memory(void)
{
    const size_t lengths[] = {SIZE_MAX, SIZE_MAX - 15, (size_t)1 << (8 * sizeof(size_t) - 1)};
    uint8_t memory[64];
    memset(memory, 7, sizeof memory);
    sealstone_bytes *bytes = NULL;
    for (size_t i = 0; i < 3; i++) {
        size_t len = lengths[i];
        size_t said = 5;
        const sealstone_recipient *recipients[] = {recipient};
        sealstone_encryptor *none = NULL;
        sealstone_identity_list *list = NULL;
        sealstone_batch_result *batch = NULL;
        const uint32_t items[] = {1};
        WRONG(sealstone_encrypt(encryptor, memory, len, &bytes));
        WRONG(sealstone_decrypt(decryptor, memory, len, &bytes));
        WRONG(sealstone_hash_into("sha256", memory, len, memory, 32));
        WRONG(sealstone_hash_into("sha256", memory, 1, memory, len));
        WRONG(sealstone_random_fill(memory, len));
        WRONG(sealstone_identities_parse(memory, len, NULL, 0, &list));
        WRONG(sealstone_identities_parse(memory, 1, memory, len, &list));
        WRONG(sealstone_encryptor_new(recipients, len, NULL, &none));
        WRONG(sealstone_encrypt_batch(encryptor, memory, 1, items, len, NULL, 0, &batch));
        WRONG(sealstone_hash_batch("sha256", memory, 1, items, len, memory, 32));
        WRONG(sealstone_base64_decode_into(memory, len, memory, 1, &said));
        CHECK(said == 0 && bytes == NULL && none == NULL && list == NULL && batch == NULL);

        sealstone_encrypt_stream *stream = NULL;
        sealstone_decrypt_stream *opening = NULL;
        sealstone_sealer *sealer = NULL;
        sealstone_hasher *hasher = NULL;
        OK(sealstone_encrypt_stream_new(encryptor, NULL, &stream));
        WRONG(sealstone_encrypt_stream_update_len(stream, SIZE_MAX, &said));
        WRONG(sealstone_encrypt_stream_update(stream, memory, len, memory, 1, &said));
        WRONG(sealstone_encrypt_stream_update(stream, memory, 1, memory, len, &said));
        sealstone_encrypt_stream_free(stream);
        OK(sealstone_decrypt_stream_new(decryptor, NULL, &opening));
        OK(sealstone_decrypt_stream_update_len(opening, 4, &said));
        OK(sealstone_decrypt_stream_update(opening, sealed.at, 4, memory + 32, said, &said));
        WRONG(sealstone_decrypt_stream_update_len(opening, SIZE_MAX, &said));
        WRONG(sealstone_decrypt_stream_update(opening, memory, len, memory, 1, &said));
        sealstone_decrypt_stream_free(opening);
        OK(sealstone_sealer_new(encryptor, NULL, &sealer));
        WRONG(sealstone_seal_into(sealer, memory, len, memory, 1, 1));
        WRONG(sealstone_seal_into(sealer, memory, 1, memory, len, 1));
        sealstone_sealer_free(sealer);
        // Digests of any length, of which no memory has one so long.
        OK(sealstone_hasher_new("shake128", &hasher));
        FAILS("too_long", sealstone_hasher_digest(hasher, len, &bytes));
        CHECK(bytes == NULL);
        sealstone_hasher_free(hasher);
        sealstone_sm2_private *key = NULL;
        sealstone_sm2_public *public_key = NULL;
        sealstone_sm2_exchanged *exchanged = NULL;
        OK(sealstone_sm2_generate(&key));
        OK(sealstone_sm2_public_key(key, &public_key));
        FAILS("too_long",
            sealstone_sm2_exchange(key, true, NULL, 0, key, public_key, NULL, 0, public_key, len, &exchanged));
        CHECK(exchanged == NULL);
        sealstone_sm2_public_free(public_key);
        sealstone_sm2_private_free(key);
    }
    FAILS("too_long", sealstone_hkdf("sha256", memory, 32, NULL, 0, NULL, 0, UINT32_MAX, &bytes));
    for (size_t i = 0; i < 4; i++) {
        CHECK(memory[i] == 7);
    }
}

static void memory_of_other_lengths(void)
{
    uint8_t memory[256];
    memset(memory, 7, sizeof memory);
    size_t len = 0;
    FAILS("wrong_length", sealstone_hash_into("sha256", memory, 1, memory, 31));
    CHECK(memory[0] == 7 || is_zero(memory, 31));
    memset(memory, 7, sizeof memory);

    sealstone_aead *aead = NULL;
    FAILS("wrong_length", sealstone_aead_new("aes-256-gcm", memory, 31, &aead));
    OK(sealstone_aead_new("aes-256-gcm", memory, 32, &aead));
    WRONG(sealstone_aead_seal(aead, memory, 12, NULL, 0, memory + 64, 20, memory + 128, 35));
    FAILS("wrong_length", sealstone_aead_seal(aead, memory, 11, NULL, 0, memory + 64, 20, memory + 128, 36));
    CHECK(is_zero(memory + 128, 36));
    OK(sealstone_aead_seal(aead, memory, 12, NULL, 0, memory + 64, 20, memory + 128, 36));
    WRONG(sealstone_aead_open(aead, memory, 12, NULL, 0, memory + 128, 36, memory + 64, 19));
    FAILS("not_authentic", sealstone_aead_open(aead, memory, 12, NULL, 0, memory + 128, 15, memory + 64, 20));
    const uint32_t items[] = {1, 1};
    WRONG(sealstone_aead_seal_batch(aead, NULL, 0, memory, 3, items, 2, memory + 64, 58));
    sealstone_aead_free(aead);

    sealstone_mac *mac = NULL;
    OK(sealstone_mac_new("hmac-sha256", memory, 32, NULL, 0, 0, &mac));
    WRONG(sealstone_mac_into(mac, memory, 1, memory + 64, 31));
    sealstone_mac_free(mac);

    sealstone_cipher *cipher = NULL;
    OK(sealstone_cipher_new("aes-128-cbc", memory, 16, &cipher));
    FAILS("wrong_length", sealstone_cipher_encrypt(cipher, memory, 15, memory, 16, memory + 64, 32, SEALSTONE_DEFAULT));
    FAILS("wrong_length", sealstone_cipher_encrypt(cipher, memory, 16, memory, 16, memory + 64, 31, SEALSTONE_DEFAULT));
    WRONG(sealstone_cipher_encrypt(cipher, memory, 16, memory, 16, memory + 64, 32, 3));
    sealstone_cipher_free(cipher);

    sealstone_sealer *sealer = NULL;
    uint64_t file_len = 0;
    OK(sealstone_sealer_new(encryptor, NULL, &sealer));
    OK(sealstone_sealer_file_len(sealer, plaintext.len, &file_len));
    FAILS("too_long", sealstone_sealer_file_len(sealer, UINT64_MAX, &file_len));
    CHECK(file_len == 0);
    FAILS("wrong_length", sealstone_seal_into(sealer, plaintext.at, plaintext.len, memory, sizeof memory, 1));
    CHECK(is_zero(memory, sizeof memory));
    WRONG(sealstone_seal_into(sealer, plaintext.at, plaintext.len, memory, sizeof memory, 1));
    sealstone_sealer_free(sealer);

    size_t head_len = 0;
    sealstone_opener *opener = NULL;
    OK(sealstone_file_head_len(sealed.at, sealstone_file_start_len(), &head_len));
    OK(sealstone_opener_new(decryptor, sealed.at, head_len, NULL, &opener));
    memset(memory, 7, sizeof memory);
    FAILS("wrong_length", sealstone_open_into(opener, sealed.at, sealed.len, memory, sizeof memory, 1));
    CHECK(is_zero(memory, sizeof memory));
    sealstone_opener_free(opener);

    sealstone_encrypt_stream *stream = NULL;
    OK(sealstone_encrypt_stream_new(encryptor, NULL, &stream));
    OK(sealstone_encrypt_stream_update_len(stream, 10, &len));
    data file = room(len);
    memset(file.at, 7, file.len);
    WRONG(sealstone_encrypt_stream_update(stream, plaintext.at, 10, file.at, len - 1, &len));
    CHECK(len == 0 && is_zero(file.at, file.len - 1));
    // A caller's mistake ends nothing.
    OK(sealstone_encrypt_stream_update(stream, plaintext.at, 10, file.at, file.len, &len));
    WRONG(sealstone_encrypt_stream_finish(stream, file.at, 3, &len));
    sealstone_encrypt_stream_free(stream);

    sealstone_sign_private *key = NULL;
    OK(sealstone_sign_generate("ed25519", &key));
    memset(memory, 7, sizeof memory);
    WRONG(sealstone_sign_into(key, plaintext.at, 1, memory, 63, &len, NULL));
    CHECK(len == 0 && (is_zero(memory, 63) || memory[0] == 7));
    OK(sealstone_sign_into(key, plaintext.at, 1, memory, sizeof memory, &len, NULL));
    CHECK(len == 64 && memory[64] == 7);
    sealstone_sign_private_free(key);

    sealstone_batch_result *batch = NULL;
    WRONG(sealstone_encrypt_batch(encryptor, plaintext.at, 3, items, 2, NULL, 0, &batch));
    CHECK(batch == NULL);
}

/* ---- Memory that overlaps ---- */

static void in_place(void)
{
    data key = noise(32);
    data nonce = noise(16);
    data memory = noise(200);
    data apart = room(116);
    data text = copy_of(memory.at, 100);
    sealstone_aead *aead = NULL;
    OK(sealstone_aead_new("aes-256-gcm", key.at, key.len, &aead));
    OK(sealstone_aead_seal(aead, nonce.at, 12, NULL, 0, text.at, 100, apart.at, 116));
    // The result may lie where the input lies.
    OK(sealstone_aead_seal(aead, nonce.at, 12, NULL, 0, memory.at, 100, memory.at, 116));
    CHECK(same(memory.at, 116, apart.at, 116));
    OK(sealstone_aead_open(aead, nonce.at, 12, NULL, 0, memory.at, 116, memory.at, 100));
    CHECK(same(memory.at, 100, text.at, 100));
    // Calls that move their input take it from anywhere, as memmove does.
    OK(sealstone_aead_seal(aead, nonce.at, 12, NULL, 0, memory.at, 100, memory.at + 7, 116));
    CHECK(same(memory.at + 7, 116, apart.at, 116));
    OK(sealstone_aead_open(aead, nonce.at, 12, NULL, 0, memory.at + 7, 116, memory.at + 20, 100));
    CHECK(same(memory.at + 20, 100, text.at, 100));
    // A nonce and additional data are read while the result is written.
    WRONG(sealstone_aead_seal(aead, memory.at + 10, 12, NULL, 0, text.at, 100, memory.at, 116));
    WRONG(sealstone_aead_seal(aead, nonce.at, 12, memory.at + 115, 5, text.at, 100, memory.at, 116));
    OK(sealstone_aead_seal(aead, nonce.at, 12, memory.at + 116, 5, text.at, 100, memory.at, 116));
    sealstone_aead_free(aead);

    sealstone_cipher *cipher = NULL;
    size_t len = 0;
    memcpy(memory.at, text.at, 100);
    OK(sealstone_cipher_new("sm4-cbc", key.at, 16, &cipher));
    OK(sealstone_cipher_encrypt(cipher, nonce.at, 16, text.at, 96, apart.at, 96, SEALSTONE_NO));
    OK(sealstone_cipher_encrypt(cipher, nonce.at, 16, memory.at, 96, memory.at, 96, SEALSTONE_NO));
    CHECK(same(memory.at, 96, apart.at, 96));
    OK(sealstone_cipher_decrypt(cipher, nonce.at, 16, memory.at, 96, memory.at + 5, 96, SEALSTONE_NO, &len));
    CHECK(len == 96 && same(memory.at + 5, 96, text.at, 96));
    WRONG(sealstone_cipher_encrypt(cipher, memory.at + 80, 16, memory.at, 96, memory.at, 96, SEALSTONE_NO));
    uint32_t lengths[] = {48, 48};
    WRONG(sealstone_cipher_encrypt_batch(cipher, memory.at + 64, 32, lengths, 2, text.at, 96, memory.at, 96));
    sealstone_cipher_free(cipher);

    // A digest and a tag are written when they are done.
    data digest = room(32);
    memcpy(memory.at, text.at, 100);
    OK(sealstone_hash_into("sha256", text.at, 100, digest.at, 32));
    OK(sealstone_hash_into("sha256", memory.at, 100, memory.at + 50, 32));
    CHECK(same(memory.at + 50, 32, digest.at, 32));

    // Other results lie apart from all that is read.
    data file = room(sealed.len);
    sealstone_sealer *sealer = NULL;
    OK(sealstone_sealer_new(encryptor, NULL, &sealer));
    memcpy(file.at, plaintext.at, plaintext.len);
    WRONG(sealstone_seal_into(sealer, file.at, plaintext.len, file.at, file.len, 1));
    WRONG(sealstone_seal_into(sealer, file.at + file.len - plaintext.len, plaintext.len, file.at, file.len, 1));
    OK(sealstone_seal_into(sealer, plaintext.at, plaintext.len, file.at, file.len, 1));
    sealstone_sealer_free(sealer);
    sealstone_encrypt_stream *stream = NULL;
    OK(sealstone_encrypt_stream_new(encryptor, NULL, &stream));
    WRONG(sealstone_encrypt_stream_update(stream, file.at + 5, 10, file.at, file.len, &len));
    sealstone_encrypt_stream_free(stream);
}

/* ---- Objects after their end ---- */

static void ends(void)
{
    size_t place = sealstone_sealed_chunk_len();
    data memory = room(2 * place);
    sealstone_bytes *bytes = NULL;
    size_t len = 0;

    // A unit is sealed once, and the last unit ends its file.
    sealstone_sealer *sealer = NULL;
    sealstone_unit *unit = NULL;
    sealstone_unit *last = NULL;
    OK(sealstone_sealer_new(encryptor, NULL, &sealer));
    WRONG(sealstone_sealer_next_unit(sealer, place + 15, &unit));
    CHECK(unit == NULL);
    OK(sealstone_sealer_next_unit(sealer, place, &unit));
    OK(sealstone_unit_seal(unit, memory.at, place));
    WRONG(sealstone_unit_seal(unit, memory.at, place));
    CHECK(is_zero(memory.at, place));
    sealstone_unit_free(unit);
    OK(sealstone_sealer_next_unit(sealer, 100, &last));
    FAILS("wrong_length", sealstone_unit_seal(last, memory.at, 99));
    WRONG(sealstone_unit_seal(last, memory.at, 100));
    sealstone_unit_free(last);
    WRONG(sealstone_sealer_next_unit(sealer, place, &unit));
    WRONG(sealstone_sealer_head(sealer, &bytes));
    sealstone_sealer_free(sealer);

    sealstone_encrypt_stream *stream = NULL;
    OK(sealstone_encrypt_stream_new(encryptor, NULL, &stream));
    OK(sealstone_encrypt_stream_finish(stream, memory.at, memory.len, &len));
    WRONG(sealstone_encrypt_stream_finish(stream, memory.at, memory.len, &len));
    WRONG(sealstone_encrypt_stream_update(stream, plaintext.at, 1, memory.at, memory.len, &len));
    WRONG(sealstone_encrypt_stream_update_len(stream, 1, &len));
    CHECK(len == 0);
    sealstone_encrypt_stream_free(stream);

    // A stream whose file is wrong has ended with the error.
    sealstone_decrypt_stream *opening = NULL;
    data changed = copy_of(sealed.at, sealed.len);
    data result = room(sealed.len);
    changed.at[sealed.len - 1] ^= 1;
    OK(sealstone_decrypt_stream_new(decryptor, NULL, &opening));
    OK(sealstone_decrypt_stream_update(opening, changed.at, changed.len, result.at, result.len, &len));
    CHECK(len == 2 * sealstone_chunk_len() && same(result.at, len, plaintext.at, len));
    FAILS("not_authentic", sealstone_decrypt_stream_finish(opening, result.at, result.len, &len));
    CHECK(len == 0 && is_zero(result.at, result.len));
    WRONG(sealstone_decrypt_stream_finish(opening, result.at, result.len, &len));
    sealstone_decrypt_stream_free(opening);
    OK(sealstone_decrypt_stream_new(decryptor, NULL, &opening));
    changed.at[sealed.len / 2] ^= 1;
    OK(sealstone_decrypt_stream_update(opening, changed.at, changed.len, result.at, result.len, &len));
    CHECK(len == sealstone_chunk_len());
    FAILS("not_authentic", sealstone_decrypt_stream_update(opening, changed.at, 1, result.at, result.len, &len));
    CHECK(len == 0);
    WRONG(sealstone_decrypt_stream_update(opening, changed.at, 1, result.at, result.len, &len));
    sealstone_decrypt_stream_free(opening);
    OK(sealstone_decrypt_stream_new(decryptor, NULL, &opening));
    FAILS("not_sealstone", sealstone_decrypt_stream_update(opening, plaintext.at, 1000, result.at, result.len, &len));
    WRONG(sealstone_decrypt_stream_finish(opening, result.at, result.len, &len));
    sealstone_decrypt_stream_free(opening);

    sealstone_sign_private *key = NULL;
    sealstone_signature_writer *writer = NULL;
    sealstone_signature_signing *signing = NULL;
    OK(sealstone_sign_generate("ed25519", &key));
    OK(sealstone_signature_writer_new(key, NULL, NULL, NULL, &writer));
    OK(sealstone_signature_signing_new(writer, &signing));
    OK(sealstone_signature_signing_finish(signing, &bytes));
    sealstone_bytes_free(bytes);
    WRONG(sealstone_signature_signing_finish(signing, &bytes));
    WRONG(sealstone_signature_signing_update(signing, plaintext.at, 1));
    CHECK(bytes == NULL);
    sealstone_sign_private_free(key);
    sealstone_signature_writer_free(writer);
    sealstone_signature_signing_free(signing);

    sealstone_armour *armour = NULL;
    OK(sealstone_armour_new(&armour));
    OK(sealstone_armour_finish(armour, &bytes));
    sealstone_bytes_free(bytes);
    WRONG(sealstone_armour_finish(armour, &bytes));
    sealstone_armour_free(armour);
}

/* ---- Structures of other versions ---- */

static void structures(void)
{
    const sealstone_recipient *recipients[] = {recipient};
    sealstone_encryptor *made = NULL;
    bool is_text = false;
    STRUCTURE(sealstone_encrypt_options, options);
    options.armour = SEALSTONE_YES;
    options.struct_size = 0;
    WRONG(sealstone_encryptor_new(recipients, 1, &options, &made));
    options.struct_size = sizeof(size_t) - 1;
    WRONG(sealstone_encryptor_new(recipients, 1, &options, &made));
    CHECK(made == NULL);
    // Of an older header, in which armour was not yet an option.
    options.struct_size = offsetof(sealstone_encrypt_options, armour);
    OK(sealstone_encryptor_new(recipients, 1, &options, &made));
    OK(sealstone_encryptor_armours(made, &is_text));
    CHECK(!is_text);
    sealstone_encryptor_free(made);
    options.struct_size = sizeof options;
    OK(sealstone_encryptor_new(recipients, 1, &options, &made));
    OK(sealstone_encryptor_armours(made, &is_text));
    CHECK(is_text);
    sealstone_encryptor_free(made);
    options.armour = 3;
    WRONG(sealstone_encryptor_new(recipients, 1, &options, &made));
    // Of a newer header: an option that is not set changes nothing, and one that is set is not ignored.
    struct {
        sealstone_encrypt_options known;
        uint64_t unknown;
    } newer;
    memset(&newer, 0, sizeof newer);
    newer.known.struct_size = sizeof newer;
    OK(sealstone_encryptor_new(recipients, 1, &newer.known, &made));
    sealstone_encryptor_free(made);
    newer.unknown = 1;
    WRONG(sealstone_encryptor_new(recipients, 1, &newer.known, &made));
    newer.known.struct_size = SIZE_MAX;
    WRONG(sealstone_encryptor_new(recipients, 1, &newer.known, &made));
    CHECK(made == NULL);

    // Results: as much as the caller has room for.
    sealstone_job *job = NULL;
    struct {
        sealstone_progress known;
        uint64_t unknown;
    } progress;
    OK(sealstone_job_new(&job));
    memset(&progress, 7, sizeof progress);
    progress.known.struct_size = 0;
    WRONG(sealstone_job_progress(job, &progress.known));
    progress.known.struct_size = offsetof(sealstone_progress, total);
    OK(sealstone_job_progress(job, &progress.known));
    CHECK(progress.known.done == 0 && progress.known.total == 0x0707070707070707);
    progress.known.struct_size = sizeof progress;
    OK(sealstone_job_progress(job, &progress.known));
    CHECK(progress.known.total == UINT64_MAX && progress.unknown == 0x0707070707070707);
    CHECK(progress.known.struct_size == sizeof progress);
    sealstone_job_free(job);
}

/* ---- Objects in any order, and threads ---- */

static void orders(void)
{
    sealstone_identity_list *list = NULL;
    sealstone_bytes *bytes = NULL;
    sealstone_decryptor *made = NULL;
    OK(sealstone_identity_export(identity, "age", NULL, 0, &bytes));
    OK(sealstone_identities_parse(sealstone_bytes_data(bytes), sealstone_bytes_len(bytes), NULL, 0, &list));
    sealstone_bytes_free(bytes);
    const sealstone_identity *identities[] = {sealstone_identity_list_at(list, 0)};
    OK(sealstone_decryptor_new(identities, 1, NULL, 0, NULL, 0, &made));
    sealstone_identity_list_free(list);
    sealstone_decrypt_stream *stream = NULL;
    data result = room(sealed.len);
    size_t len = 0;
    OK(sealstone_decrypt_stream_new(made, NULL, &stream));
    sealstone_decryptor_free(made);
    OK(sealstone_decrypt_stream_update(stream, sealed.at, sealed.len, result.at, result.len, &len));
    result.len = len;
    OK(sealstone_decrypt_stream_finish(stream, result.at + len, sealed.len - len, &len));
    result.len += len;
    SAME(result, plaintext);
    sealstone_decrypt_stream_free(stream);

    data key = noise(32);
    sealstone_mac *mac = NULL;
    sealstone_mac_signer *signer = NULL;
    OK(sealstone_mac_new("hmac-sha256", key.at, key.len, NULL, 0, 0, &mac));
    OK(sealstone_mac_signer_new(mac, &signer));
    sealstone_mac_free(mac);
    OK(sealstone_mac_signer_tag(signer, &bytes));
    sealstone_bytes_free(bytes);
    sealstone_mac_signer_free(signer);

    // A unit outlives its sealer.
    sealstone_sealer *sealer = NULL;
    sealstone_unit *unit = NULL;
    OK(sealstone_sealer_new(encryptor, NULL, &sealer));
    OK(sealstone_sealer_next_unit(sealer, 16, &unit));
    sealstone_sealer_free(sealer);
    OK(sealstone_unit_seal(unit, result.at, 16));
    sealstone_unit_free(unit);
}

#define THREADS 8

typedef struct shared_work {
    sealstone_aead *aead;
    sealstone_opener *opener;
    sealstone_hasher *hasher;
    size_t head_len;
    uint8_t turn;
    bool is_right;
} shared_work;

/** What a thread does with objects that all threads have; nothing of `check.h`, which counts for one thread. */
static void *at_once(void *given)
{
    shared_work *work = (shared_work *)given;
    work->is_right = true;
    for (int round = 0; round < 5; round++) {
        sealstone_bytes *file = NULL;
        sealstone_bytes *text = NULL;
        sealstone_error *error = sealstone_encrypt(encryptor, plaintext.at, plaintext.len, &file);
        work->is_right = work->is_right && error == NULL;
        error = sealstone_decrypt(decryptor, sealstone_bytes_data(file), sealstone_bytes_len(file), &text);
        work->is_right = work->is_right && error == NULL
            && same(sealstone_bytes_data(text), sealstone_bytes_len(text), plaintext.at, plaintext.len);
        sealstone_bytes_free(file);
        sealstone_bytes_free(text);

        uint8_t nonce[12] = {0};
        uint8_t box[116];
        nonce[0] = work->turn;
        error = sealstone_aead_seal(work->aead, nonce, 12, NULL, 0, plaintext.at, 100, box, sizeof box);
        work->is_right = work->is_right && error == NULL;
        error = sealstone_aead_open(work->aead, nonce, 12, NULL, 0, box, sizeof box, box, 100);
        work->is_right = work->is_right && error == NULL && same(box, 100, plaintext.at, 100);

        size_t chunk = sealstone_sealed_chunk_len();
        uint8_t *places = (uint8_t *)malloc(chunk);
        uint64_t number = (uint64_t)(round % 2);
        memcpy(places, sealed.at + work->head_len + number * chunk, chunk);
        error = sealstone_opener_open(work->opener, number, places, chunk);
        work->is_right = work->is_right && error == NULL && same(places, 16384, plaintext.at + number * 16384, 16384);
        free(places);
        error = sealstone_hasher_update(work->hasher, plaintext.at, 1000);
        work->is_right = work->is_right && error == NULL;
        error = sealstone_encrypt(NULL, plaintext.at, 1, &file);
        work->is_right = work->is_right && sealstone_error_number(error) == SEALSTONE_INVALID_ARGUMENT;
        sealstone_error_free(error);
    }
    return NULL;
}

static void threads(void)
{
    data key = noise(32);
    shared_work work[THREADS];
    pthread_t running[THREADS];
    memset(work, 0, sizeof work);
    OK(sealstone_aead_new("aes-256-gcm", key.at, key.len, &work[0].aead));
    OK(sealstone_hasher_new("sha256", &work[0].hasher));
    OK(sealstone_file_head_len(sealed.at, sealstone_file_start_len(), &work[0].head_len));
    OK(sealstone_opener_new(decryptor, sealed.at, work[0].head_len, NULL, &work[0].opener));
    for (uint8_t i = 0; i < THREADS; i++) {
        work[i] = work[0];
        work[i].turn = i;
        CHECK(pthread_create(&running[i], NULL, at_once, &work[i]) == 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        CHECK(pthread_join(running[i], NULL) == 0);
        CHECK(work[i].is_right);
    }
    // All parts were taken, each as a whole.
    sealstone_hasher *alone = NULL;
    sealstone_bytes *bytes = NULL;
    OK(sealstone_hasher_digest(work[0].hasher, 32, &bytes));
    data together = taken(bytes);
    OK(sealstone_hasher_new("sha256", &alone));
    for (size_t i = 0; i < 5 * THREADS; i++) {
        OK(sealstone_hasher_update(alone, plaintext.at, 1000));
    }
    OK(sealstone_hasher_digest(alone, 32, &bytes));
    SAME(taken(bytes), together);
    sealstone_hasher_free(alone);
    sealstone_hasher_free(work[0].hasher);
    sealstone_opener_free(work[0].opener);
    sealstone_aead_free(work[0].aead);
}

/* ---- Forks ---- */

static void forks(void)
{
    sealstone_encrypt_stream *stream = NULL;
    sealstone_decrypt_stream *opening = NULL;
    sealstone_sealer *sealer = NULL;
    sealstone_unit *unit = NULL;
    sealstone_writer *writer = NULL;
    data file = room(2 * sealed.len);
    data result = room(2 * sealed.len);
    data place = room(16);
    size_t len = 0;
    size_t opened = 0;
    sealstone_bytes *bytes = NULL;
    STRUCTURE(sealstone_processed, done);
    OK(sealstone_encrypt_stream_new(encryptor, NULL, &stream));
    OK(sealstone_encrypt_stream_update(stream, plaintext.at, 20000, file.at, file.len, &len));
    OK(sealstone_decrypt_stream_new(decryptor, NULL, &opening));
    OK(sealstone_decrypt_stream_update(opening, sealed.at, 20000, result.at, result.len, &opened));
    OK(sealstone_sealer_new(encryptor, NULL, &sealer));
    OK(sealstone_sealer_next_unit(sealer, sealstone_sealed_chunk_len(), &unit));
    OK(sealstone_writer_new(encryptor, path_of("of the parent"), false, NULL, &writer));
    OK(sealstone_writer_write(writer, plaintext.at, plaintext.len));

    fflush(stdout);
    size_t before = faults;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        size_t written = 0;
        uint8_t *chunk = keep(sealstone_sealed_chunk_len());
        sealstone_unit *other = NULL;
        WRONG(sealstone_encrypt_stream_update(stream, plaintext.at, 10, result.at, result.len, &written));
        WRONG(sealstone_encrypt_stream_finish(stream, result.at, result.len, &written));
        WRONG(sealstone_decrypt_stream_update(opening, sealed.at, 10, result.at, result.len, &written));
        WRONG(sealstone_unit_seal(unit, chunk, sealstone_sealed_chunk_len()));
        WRONG(sealstone_sealer_next_unit(sealer, sealstone_sealed_chunk_len(), &other));
        WRONG(sealstone_seal_into(sealer, plaintext.at, 1, result.at, result.len, 1));
        WRONG(sealstone_writer_write(writer, plaintext.at, 1));
        WRONG(sealstone_writer_commit(writer, &done));
        sealstone_encrypt_stream_free(stream);
        sealstone_decrypt_stream_free(opening);
        sealstone_unit_free(unit);
        sealstone_sealer_free(sealer);
        // This leaves the file of the parent.
        sealstone_writer_free(writer);

        // What keeps no file goes on here, and a file of the child's own is one.
        OK(sealstone_encrypt(encryptor, plaintext.at, plaintext.len, &bytes));
        data own = taken(bytes);
        OK(sealstone_decrypt(decryptor, own.at, own.len, &bytes));
        SAME(taken(bytes), plaintext);
        OK(sealstone_writer_new(encryptor, path_of("of the child"), false, NULL, &writer));
        OK(sealstone_writer_write(writer, plaintext.at, plaintext.len));
        OK(sealstone_writer_commit(writer, &done));
        sealstone_writer_free(writer);
        // A child whose checks were right ends by a signal: of the writer the library keeps here what only the parent may end, and at an exit
        // Valgrind would call that a leak.
        if (faults == before) {
            kill(getpid(), SIGKILL);
        }
        _exit(1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    OK(sealstone_verify_file(decryptor, path_of("of the child"), false, NULL, &done));
    CHECK(done.plaintext == plaintext.len);

    // In the parent all goes on.
    file.len = len;
    OK(sealstone_encrypt_stream_update(stream, plaintext.at + 20000, plaintext.len - 20000, file.at + file.len, sealed.len, &len));
    file.len += len;
    OK(sealstone_encrypt_stream_finish(stream, file.at + file.len, sealed.len, &len));
    file.len += len;
    OK(sealstone_decrypt(decryptor, file.at, file.len, &bytes));
    SAME(taken(bytes), plaintext);
    OK(sealstone_decrypt_stream_update(opening, sealed.at + 20000, sealed.len - 20000, result.at + opened, sealed.len, &len));
    opened += len;
    OK(sealstone_decrypt_stream_finish(opening, result.at + opened, sealed.len, &len));
    CHECK(opened + len == plaintext.len && same(result.at, plaintext.len, plaintext.at, plaintext.len));
    data places = room(sealstone_sealed_chunk_len());
    OK(sealstone_unit_seal(unit, places.at, places.len));
    sealstone_unit_free(unit);
    OK(sealstone_sealer_next_unit(sealer, 16, &unit));
    OK(sealstone_unit_seal(unit, place.at, place.len));
    OK(sealstone_writer_commit(writer, &done));
    OK(sealstone_verify_file(decryptor, path_of("of the parent"), false, NULL, &done));
    CHECK(done.plaintext == plaintext.len);
    sealstone_encrypt_stream_free(stream);
    sealstone_decrypt_stream_free(opening);
    sealstone_unit_free(unit);
    sealstone_sealer_free(sealer);
    sealstone_writer_free(writer);
}

int main(int count, char **arguments)
{
    if (count < 2) {
        printf("usage: misuse FOLDER\n");
        return 2;
    }
    folder = arguments[1];
    begin();
    null_pointers();
    text_that_is_none();
    lengths_of_no_memory();
    memory_of_other_lengths();
    in_place();
    ends();
    structures();
    orders();
    threads();
    forks();
    end();
    return ended("misuse");
}
