/*
 * All vectors of files, keys, signatures, keys that sign and allowed signers (vectors/README.md), through the C library.
 *
 * vectors FOLDER [STEP]: the folder `vectors`; with a step each STEP-th case alone. Those of `plugin` are left out: C has no plugins.
 */
#define _POSIX_C_SOURCE 200809L

#include "check.h"
#include <dirent.h>

/** Above this a file is not read byte by byte: its borders are met by parts of other lengths. */
#define BY_BYTES_LEN 8192

typedef struct line {
    char *key;
    char *value;
} line;

typedef struct vector {
    const char *name;
    line lines[512];
    size_t count;
    data file;
} vector;

/** What a way of reading gave. */
typedef struct outcome {
    char code[64];
    char message[512];
    uint64_t chunk;
    data released;
    /** Bytes that `released` has room for. */
    size_t room_len;
} outcome;

/* ---- Reading vectors ---- */

static data read_file(const char *folder, const char *name)
{
    char *path = (char *)keep(strlen(folder) + strlen(name) + 2);
    sprintf(path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    long len = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        len = ftell(file);
    }
    if (file == NULL || len < 0 || len > 1 << 24 || fseek(file, 0, SEEK_SET) != 0) {
        printf("%s cannot be read\n", path);
        exit(2);
    }
    data all = room((size_t)len);
    if (fread(all.at, 1, all.len, file) != all.len) {
        printf("%s cannot be read\n", path);
        exit(2);
    }
    fclose(file);
    return all;
}

static bool parsed(vector *vector, data all)
{
    char *at = (char *)all.at;
    char *end = at + all.len;
    vector->count = 0;
    while (at < end) {
        char *stop = (char *)memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL) {
            return false;
        }
        if (stop == at) {
            vector->file = copy_of((uint8_t *)stop + 1, (size_t)(end - stop) - 1);
            return true;
        }
        *stop = 0;
        char *value = strstr(at, ": ");
        if (value == NULL || vector->count == sizeof vector->lines / sizeof *vector->lines) {
            return false;
        }
        *value = 0;
        vector->lines[vector->count].key = at;
        vector->lines[vector->count].value = value + 2;
        vector->count++;
        at = stop + 1;
    }
    return false;
}

/** Whether each key is one of these, which have a space before and behind them. */
static bool has_keys_of(const vector *vector, const char *keys)
{
    for (size_t i = 0; i < vector->count; i++) {
        char key[32];
        snprintf(key, sizeof key, " %s ", vector->lines[i].key);
        if (strstr(keys, key) == NULL) {
            fault("%s: %s is no key of a vector", vector->name, vector->lines[i].key);
            return false;
        }
    }
    return true;
}

/** The first value of a key; NULL where there is none. */
static const char *value_of(const vector *vector, const char *key)
{
    for (size_t i = 0; i < vector->count; i++) {
        if (strcmp(vector->lines[i].key, key) == 0) {
            return vector->lines[i].value;
        }
    }
    return NULL;
}

static data bytes_of(const char *text)
{
    data bytes = text_of(text == NULL ? "" : text);
    if (text == NULL) {
        bytes.at = NULL;
    }
    return bytes;
}

/* ---- Outcomes ---- */

/** Takes the code of an error, and frees it; whether it was success. */
static bool noted(outcome *found, sealstone_error *error)
{
    snprintf(found->code, sizeof found->code, "%s", error == NULL ? "success" : sealstone_error_code(error));
    snprintf(found->message, sizeof found->message, "%s", error == NULL ? "" : sealstone_error_message(error));
    found->chunk = sealstone_error_chunk(error);
    sealstone_error_free(error);
    return strcmp(found->code, "success") == 0;
}

static outcome nothing_yet(const vector *vector)
{
    outcome found;
    memset(&found, 0, sizeof found);
    found.room_len = vector->file.len + 1;
    found.released = room(found.room_len);
    found.released.len = 0;
    return found;
}

static void release(outcome *found, const uint8_t *at, size_t len)
{
    // Content that was compressed is longer than its file.
    if (found->room_len - found->released.len < len) {
        found->room_len = 2 * found->released.len + len;
        data more = room(found->room_len);
        memcpy(more.at, found->released.at, found->released.len);
        found->released.at = more.at;
    }
    if (len > 0) {
        memcpy(found->released.at + found->released.len, at, len);
    }
    found->released.len += len;
}

static void release_bytes(outcome *found, sealstone_bytes *bytes)
{
    release(found, sealstone_bytes_data(bytes), sealstone_bytes_len(bytes));
    sealstone_bytes_free(bytes);
}

static void sha256_digits(data bytes, char digits[65])
{
    uint8_t digest[32];
    OK(sealstone_hash_into("sha256", bytes.at, bytes.len, digest, sizeof digest));
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(digits + 2 * i, 3, "%02x", digest[i]);
    }
}

/** Compares an outcome with what is expected; `releases` says whether the way gives the bytes before a fault. */
static void judge_as(const vector *vector, const char *way, const outcome *found, bool releases, const char *expect,
    const char *chunk, const char *released)
{
    checks++;
    if (strcmp(found->code, expect) != 0) {
        fault("%s, %s: %s (%s) instead of %s", vector->name, way, found->code, found->message, expect);
        return;
    }
    if (strcmp(expect, "success") == 0 || releases) {
        char digits[65];
        sha256_digits(found->released, digits);
        checks++;
        if (released == NULL || strcmp(digits, released) != 0) {
            fault("%s, %s: other bytes were released", vector->name, way);
        }
    }
    if (strcmp(expect, "success") != 0) {
        uint64_t wanted = chunk == NULL ? UINT64_MAX : strtoull(chunk, NULL, 10);
        checks++;
        if (found->chunk != wanted) {
            fault("%s, %s: chunk %llu", vector->name, way, (unsigned long long)found->chunk);
        }
    }
}

static void judge(const vector *vector, const char *way, const outcome *found, bool releases)
{
    const char *expect = value_of(vector, "expect");
    judge_as(vector, way, found, releases, expect, value_of(vector, "chunk"), value_of(vector, "released"));
}

/** Whether a file, armoured or not, has a suite that exists and the flag of compressed content. */
static bool is_compressed(data file)
{
    const char *armour = "-----BEGIN SEALSTONE FILE-----\n";
    size_t at = strlen(armour);
    uint8_t prefix[12];
    size_t len = 0;
    if (file.len >= at + 16 && memcmp(file.at, armour, at) == 0) {
        // Of armour that is broken there is no prefix.
        sealstone_error_free(sealstone_base64_decode_into(file.at + at, 16, prefix, sizeof prefix, &len));
    } else if (file.len >= sizeof prefix) {
        memcpy(prefix, file.at, sizeof prefix);
        len = sizeof prefix;
    }
    return len == sizeof prefix && memcmp(prefix, "\x89SEAL\r\n\x1a\x02", 9) == 0 && prefix[9] >= 1 && prefix[9] <= 3
        && (prefix[11] & 4) != 0;
}

/** Compares the outcome of a stream, which does not read compressed files yet: it says so of a header that is whole. */
static void judge_parts(const vector *vector, const char *way, const outcome *found, bool releases)
{
    data file = vector->file;
    bool is_whole = file.len >= 16;
    if (is_whole && file.at[0] == 0x89) {
        const uint8_t *area = file.at + 12;
        uint32_t area_len = (uint32_t)area[0] << 24 | (uint32_t)area[1] << 16 | (uint32_t)area[2] << 8 | area[3];
        is_whole = file.len >= (uint64_t)16 + area_len + 32;
    }
    if (is_whole && is_compressed(file)) {
        judge_as(vector, way, found, false, "unsupported_version", NULL, NULL);
        CHECK(found->released.len == 0);
    } else {
        judge(vector, way, found, releases);
    }
}

/** The inspection of a good file shows whether it is compressed. */
static void judge_inspection(const vector *vector)
{
    sealstone_inspection *seen = NULL;
    if (OK(sealstone_inspect(vector->file.at, vector->file.len, &seen))) {
        bool is_version_2 = sealstone_inspection_version(seen) == 2;
        CHECK(sealstone_inspection_compressed(seen) == is_compressed(vector->file));
        CHECK((sealstone_inspection_compressed(seen) || sealstone_inspection_archive(seen)) == is_version_2);
        CHECK(value_of(vector, "archive") == NULL || sealstone_inspection_archive(seen));
    }
    sealstone_inspection_free(seen);
}

/* ---- Sealed files ---- */

static outcome decrypted(const vector *vector, const sealstone_decryptor *decryptor)
{
    outcome found = nothing_yet(vector);
    sealstone_bytes *plaintext = NULL;
    if (noted(&found, sealstone_decrypt(decryptor, vector->file.at, vector->file.len, &plaintext))) {
        release_bytes(&found, plaintext);
    } else {
        CHECK(plaintext == NULL);
    }
    return found;
}

static outcome streamed(const vector *vector, const sealstone_decryptor *decryptor, size_t part_len)
{
    outcome found = nothing_yet(vector);
    sealstone_decrypt_stream *stream = NULL;
    uint8_t *memory = NULL;
    bool goes_on = noted(&found, sealstone_decrypt_stream_new(decryptor, NULL, &stream));
    size_t at = 0;
    while (goes_on && at < vector->file.len) {
        size_t len = vector->file.len - at < part_len ? vector->file.len - at : part_len;
        size_t room_len = 0;
        size_t written = 0;
        goes_on = noted(&found, sealstone_decrypt_stream_update_len(stream, len, &room_len));
        memory = (uint8_t *)realloc(memory, room_len + 1);
        goes_on = goes_on
            && noted(&found, sealstone_decrypt_stream_update(stream, vector->file.at + at, len, memory, room_len, &written));
        release(&found, memory, written);
        at += len;
    }
    if (goes_on) {
        size_t room_len = 0;
        size_t written = 0;
        OK(sealstone_decrypt_stream_update_len(stream, 0, &room_len));
        memory = (uint8_t *)realloc(memory, room_len + 1);
        noted(&found, sealstone_decrypt_stream_finish(stream, memory, room_len, &written));
        release(&found, memory, written);
    }
    free(memory);
    sealstone_decrypt_stream_free(stream);
    return found;
}

/** The file behind its armour; a fault of that is noted. */
static bool without_armour(const vector *vector, outcome *found, data *file)
{
    bool is_text = false;
    OK(sealstone_file_is_armoured(vector->file.at, vector->file.len, &is_text));
    if (!is_text) {
        *file = vector->file;
        return true;
    }
    sealstone_dearmour *dearmour = NULL;
    sealstone_bytes *start = NULL;
    sealstone_bytes *rest = NULL;
    OK(sealstone_dearmour_new(false, &dearmour));
    bool is_right = noted(found, sealstone_dearmour_update(dearmour, vector->file.at, vector->file.len, &start));
    if (is_right) {
        is_right = noted(found, sealstone_dearmour_finish(dearmour, &rest));
    }
    *file = room(sealstone_bytes_len(start) + sealstone_bytes_len(rest));
    if (sealstone_bytes_len(start) > 0) {
        memcpy(file->at, sealstone_bytes_data(start), sealstone_bytes_len(start));
    }
    if (sealstone_bytes_len(rest) > 0) {
        memcpy(file->at + sealstone_bytes_len(start), sealstone_bytes_data(rest), sealstone_bytes_len(rest));
    }
    sealstone_bytes_free(start);
    sealstone_bytes_free(rest);
    sealstone_dearmour_free(dearmour);
    return is_right;
}

/** Begins a file that is in memory as a whole. */
static sealstone_opener *begun(const sealstone_decryptor *decryptor, data file, outcome *found, size_t *head_len)
{
    size_t start_len = sealstone_file_start_len();
    if (!noted(found, sealstone_file_head_len(file.at, file.len < start_len ? file.len : start_len, head_len))) {
        return NULL;
    }
    sealstone_opener *opener = NULL;
    *head_len = *head_len < file.len ? *head_len : file.len;
    noted(found, sealstone_opener_new(decryptor, file.at, *head_len, NULL, &opener));
    return opener;
}

/** Opens units of so many chunks where they lie. */
static outcome opened(const vector *vector, const sealstone_decryptor *decryptor, size_t unit_chunks)
{
    outcome found = nothing_yet(vector);
    data file;
    size_t head_len = 0;
    sealstone_opener *opener = NULL;
    if (!without_armour(vector, &found, &file) || (opener = begun(decryptor, file, &found, &head_len)) == NULL) {
        return found;
    }
    uint64_t plaintext_len = 0;
    size_t said = 0;
    OK(sealstone_opener_head_len(opener, &said));
    CHECK(said == head_len);
    if (noted(&found, sealstone_opener_plaintext_len(opener, file.len, &plaintext_len))) {
        size_t chunk_len = sealstone_sealed_chunk_len();
        size_t tag_len = sealstone_tag_len();
        size_t at = head_len;
        uint64_t first = 0;
        do {
            size_t left = file.len - at;
            size_t len = left < unit_chunks * chunk_len ? left : unit_chunks * chunk_len;
            data places = copy_of(file.at + at, len);
            if (!noted(&found, sealstone_opener_open(opener, first, places.at, places.len))) {
                CHECK(is_zero(places.at, places.len));
                break;
            }
            for (size_t place = 0; place < len; place += chunk_len) {
                size_t sealed = len - place < chunk_len ? len - place : chunk_len;
                release(&found, places.at + place, sealed - tag_len);
            }
            at += len;
            first += unit_chunks;
        } while (at < file.len);
        if (strcmp(found.code, "success") == 0) {
            CHECK(found.released.len == plaintext_len);
        }
    }
    sealstone_opener_free(opener);
    return found;
}

static outcome opened_into(const vector *vector, const sealstone_decryptor *decryptor)
{
    outcome found = nothing_yet(vector);
    data file;
    size_t head_len = 0;
    sealstone_opener *opener = NULL;
    if (!without_armour(vector, &found, &file) || (opener = begun(decryptor, file, &found, &head_len)) == NULL) {
        return found;
    }
    uint64_t plaintext_len = 0;
    if (noted(&found, sealstone_opener_plaintext_len(opener, file.len, &plaintext_len))) {
        data plaintext = room((size_t)plaintext_len);
        if (noted(&found, sealstone_open_into(opener, file.at, file.len, plaintext.at, plaintext.len, 2))) {
            release(&found, plaintext.at, plaintext.len);
        } else {
            CHECK(is_zero(plaintext.at, plaintext.len));
        }
    }
    sealstone_opener_free(opener);
    return found;
}

static outcome ranged(const vector *vector, const sealstone_decryptor *decryptor, uint64_t start, uint64_t end)
{
    outcome found = nothing_yet(vector);
    sealstone_bytes *plaintext = NULL;
    if (noted(&found, sealstone_decrypt_range(decryptor, vector->file.at, vector->file.len, start, end, &plaintext))) {
        release_bytes(&found, plaintext);
    }
    return found;
}

/** The keys of a vector: identities in the order of their lines, and then the passphrases. */
static sealstone_decryptor *decryptor_of(const vector *vector)
{
    const sealstone_identity *identities[128];
    sealstone_identity_list *lists[128];
    sealstone_identity *single[128];
    size_t count = 0;
    size_t list_count = 0;
    size_t single_count = 0;
    for (size_t i = 0; i < vector->count; i++) {
        data key = text_of(vector->lines[i].value);
        bool is_der = strcmp(vector->lines[i].key, "identity-pkcs8") == 0;
        if (is_der) {
            data decoded = room(key.len);
            OK(sealstone_base64_decode_into(key.at, key.len, decoded.at, decoded.len, &decoded.len));
            key = decoded;
        }
        if (is_der || strcmp(vector->lines[i].key, "identity") == 0) {
            sealstone_identity_list *list = NULL;
            if (OK(sealstone_identities_parse(key.at, key.len, NULL, 0, &list))) {
                CHECK(sealstone_identity_list_count(list) == 1);
                lists[list_count++] = list;
                identities[count++] = sealstone_identity_list_at(list, 0);
            }
        }
    }
    for (size_t i = 0; i < vector->count; i++) {
        if (strcmp(vector->lines[i].key, "passphrase") == 0) {
            data text = text_of(vector->lines[i].value);
            sealstone_identity *identity = NULL;
            if (OK(sealstone_identity_of_passphrase(text.at, text.len, &identity))) {
                single[single_count++] = identity;
                identities[count++] = identity;
            }
        }
    }
    data context = bytes_of(value_of(vector, "context"));
    sealstone_decryptor *decryptor = NULL;
    OK(sealstone_decryptor_new(identities, count, context.at, context.len, NULL, 0, &decryptor));
    // The decryptor keeps what it was made of.
    while (list_count > 0) {
        sealstone_identity_list_free(lists[--list_count]);
    }
    while (single_count > 0) {
        sealstone_identity_free(single[--single_count]);
    }
    return decryptor;
}

/** Of these the header takes long, with which the ways of reading have nothing to do. */
static bool is_slow(const vector *vector)
{
    size_t len = strlen(vector->name);
    const char *cost = "writers_cost";
    return strncmp(vector->name, "attempts_", 9) == 0 || (len > strlen(cost) && strcmp(vector->name + len - strlen(cost), cost) == 0);
}

static void judge_file(const vector *vector)
{
    if (!has_keys_of(vector,
            " expect section comment identity identity-pkcs8 passphrase context range chunk released"
            // About members of archives, which are bytes here.
            " archive list extract member data ")) {
        return;
    }
    sealstone_decryptor *decryptor = decryptor_of(vector);
    const char *range = value_of(vector, "range");
    if (range != NULL) {
        const char *dots = strstr(range, "..");
        outcome found = ranged(vector, decryptor, strtoull(range, NULL, 10), strtoull(dots + 2, NULL, 10));
        judge(vector, "range", &found, false);
        sealstone_decryptor_free(decryptor);
        return;
    }
    outcome whole = decrypted(vector, decryptor);
    judge(vector, "whole", &whole, false);
    if (!is_slow(vector)) {
        size_t lengths[] = {65536, 1000, 1};
        for (size_t i = 0; i < 3; i++) {
            if (lengths[i] > 1 || vector->file.len <= BY_BYTES_LEN) {
                outcome found = streamed(vector, decryptor, lengths[i]);
                judge_parts(vector, lengths[i] == 1 ? "parts of 1" : "parts", &found, true);
            }
        }
        for (size_t chunks = 1; chunks <= 3; chunks += 2) {
            outcome found = opened(vector, decryptor, chunks);
            judge_parts(vector, "units", &found, false);
        }
        outcome found = opened_into(vector, decryptor);
        judge_parts(vector, "into memory", &found, false);
        if (strcmp(whole.code, "success") == 0) {
            judge_inspection(vector);
            uint64_t len = whole.released.len;
            found = ranged(vector, decryptor, len / 3, len - len / 3);
            CHECK(strcmp(found.code, "success") == 0);
            CHECK(same(found.released.at, found.released.len, whole.released.at + len / 3, len - 2 * (len / 3)));
        }
    }
    sealstone_decryptor_free(decryptor);
}

/* ---- Keys ---- */

/** Compares a line `key`, or `secret`, the next of those. */
static void judge_line(const vector *vector, const char *key, size_t *next, const char *found)
{
    for (; *next < vector->count; ++*next) {
        if (strcmp(vector->lines[*next].key, key) == 0) {
            break;
        }
    }
    checks++;
    if (*next == vector->count || strcmp(vector->lines[*next].value, found) != 0) {
        fault("%s: another %s: %s", vector->name, key, found);
    }
    ++*next;
}

static void judge_no_more(const vector *vector, const char *key, size_t next)
{
    for (; next < vector->count; next++) {
        CHECK(strcmp(vector->lines[next].key, key) != 0);
    }
}

static void judge_recipient(const vector *vector, const sealstone_recipient *recipient, size_t *next)
{
    const char *kind = NULL;
    sealstone_bytes *fingerprint = NULL;
    char named[256];
    OK(sealstone_recipient_kind(recipient, &kind));
    OK(sealstone_recipient_fingerprint(recipient, &fingerprint));
    snprintf(named, sizeof named, "%s %s", kind, sealstone_bytes_text(fingerprint));
    sealstone_bytes_free(fingerprint);
    judge_line(vector, "key", next, named);
}

/** Compares a line `secret`, the next of those, with a key in PKCS#8, which has the private key's bytes. */
static void judge_secret(const vector *vector, const sealstone_identity *identity, size_t *next)
{
    sealstone_bytes *bytes = NULL;
    OK(sealstone_identity_export(identity, "der", NULL, 0, &bytes));
    data der = taken(bytes);
    while (*next < vector->count && strcmp(vector->lines[*next].key, "secret") != 0) {
        ++*next;
    }
    bool is_there = false;
    if (*next < vector->count) {
        data secret = hex(vector->lines[*next].value);
        for (size_t at = 0; at + secret.len <= der.len; at++) {
            is_there = is_there || memcmp(der.at + at, secret.at, secret.len) == 0;
        }
    }
    checks++;
    if (!is_there) {
        fault("%s: another secret", vector->name);
    }
    ++*next;
}

static void judge_keys(const vector *vector)
{
    if (!has_keys_of(vector, " expect section comment read passphrase key secret ")) {
        return;
    }
    outcome found = nothing_yet(vector);
    size_t next = 0;
    if (strcmp(value_of(vector, "read"), "recipients") == 0) {
        sealstone_recipient_list *list = NULL;
        if (noted(&found, sealstone_recipients_parse(vector->file.at, vector->file.len, &list))) {
            for (size_t i = 0; i < sealstone_recipient_list_count(list); i++) {
                judge_recipient(vector, sealstone_recipient_list_at(list, i), &next);
            }
            judge_no_more(vector, "key", next);
        }
        sealstone_recipient_list_free(list);
    } else {
        sealstone_identity_list *list = NULL;
        data passphrase = bytes_of(value_of(vector, "passphrase"));
        size_t next_secret = 0;
        if (noted(&found,
                sealstone_identities_parse(vector->file.at, vector->file.len, passphrase.at, passphrase.len, &list))) {
            for (size_t i = 0; i < sealstone_identity_list_count(list); i++) {
                sealstone_recipient *recipient = NULL;
                OK(sealstone_identity_recipient(sealstone_identity_list_at(list, i), &recipient));
                judge_recipient(vector, recipient, &next);
                sealstone_recipient_free(recipient);
                judge_secret(vector, sealstone_identity_list_at(list, i), &next_secret);
            }
            judge_no_more(vector, "key", next);
            judge_no_more(vector, "secret", next_secret);
        }
        sealstone_identity_list_free(list);
    }
    checks++;
    if (strcmp(found.code, value_of(vector, "expect")) != 0) {
        fault("%s: %s (%s) instead of %s", vector->name, found.code, found.message, value_of(vector, "expect"));
    }
}

/* ---- Signature files ---- */

static sealstone_signature_reader *reader_of(const vector *vector, outcome *found)
{
    sealstone_signature_trusting *trusting = NULL;
    sealstone_signature_reader *reader = NULL;
    bool goes_on = noted(found, sealstone_signature_trusting_new(value_of(vector, "namespace"), NULL, &trusting));
    for (size_t i = 0; goes_on && i < vector->count; i++) {
        if (strcmp(vector->lines[i].key, "signer") == 0) {
            data line = text_of(vector->lines[i].value);
            goes_on = noted(found, sealstone_signature_trust_file(trusting, line.at, line.len));
        }
    }
    if (goes_on) {
        noted(found, sealstone_signature_reader_new(trusting, &reader));
    }
    sealstone_signature_trusting_free(trusting);
    return reader;
}

/** Ends; compares what is said of the signer. */
static void verify_end(const vector *vector, outcome *found, sealstone_signature_verifying *verifying, uint64_t content_len)
{
    sealstone_verification *said = NULL;
    if (noted(found, sealstone_signature_verifying_finish(verifying, &said))) {
        const char *note = value_of(vector, "note");
        const char *comment = sealstone_verification_comment(said);
        char by[256];
        snprintf(by, sizeof by, "%s %s", sealstone_verification_kind(said), sealstone_verification_fingerprint(said));
        checks++;
        if (strcmp(by, value_of(vector, "signed-by")) != 0) {
            fault("%s: signed by %s", vector->name, by);
        }
        CHECK((note == NULL) == (comment == NULL) && (note == NULL || strcmp(note, comment) == 0));
        CHECK(sealstone_verification_content_len(said) == content_len);
    }
    sealstone_verification_free(said);
}

static void take_content(sealstone_signature_verifying *verifying, data content, size_t from, size_t to, size_t part_len)
{
    for (size_t at = from; at < to; at += part_len) {
        OK(sealstone_signature_verifying_update(verifying, content.at + at, to - at < part_len ? to - at : part_len));
    }
}

static void judge_verdict(const vector *vector, const outcome *found)
{
    checks++;
    if (strcmp(found->code, value_of(vector, "expect")) != 0) {
        fault("%s: %s (%s) instead of %s", vector->name, found->code, found->message, value_of(vector, "expect"));
    }
    if (strcmp(found->code, "unknown_signer") == 0) {
        CHECK(strstr(found->message, value_of(vector, "signed-by")) != NULL);
    }
}

static void judge_detached(const vector *vector, size_t part_len)
{
    outcome found = nothing_yet(vector);
    const char *times = value_of(vector, "times");
    data once = hex(value_of(vector, "content"));
    size_t count = times == NULL ? 1 : (size_t)strtoull(times, NULL, 10);
    data content = room(once.len * count);
    for (size_t i = 0; i < count && once.len > 0; i++) {
        memcpy(content.at + i * once.len, once.at, once.len);
    }
    sealstone_signature_reader *reader = reader_of(vector, &found);
    sealstone_signature_verifying *verifying = NULL;
    if (reader != NULL
        && noted(&found, sealstone_signature_verifying_new(reader, vector->file.at, vector->file.len, &verifying))) {
        take_content(verifying, content, 0, content.len, part_len);
        verify_end(vector, &found, verifying, content.len);
    }
    judge_verdict(vector, &found);
    sealstone_signature_verifying_free(verifying);
    sealstone_signature_reader_free(reader);
}

/** As of a file whose end is read first, or of a stream, whose end comes last. */
static void judge_attached(const vector *vector, bool is_stream)
{
    outcome found = nothing_yet(vector);
    sealstone_signature_reader *reader = reader_of(vector, &found);
    sealstone_signature_verifying *verifying = NULL;
    size_t most = sealstone_signature_max_len();
    size_t start = vector->file.len > most ? vector->file.len - most : 0;
    size_t in_tail = 0;
    if (reader != NULL && noted(&found, sealstone_signature_attached(reader, &verifying))) {
        if (is_stream) {
            take_content(verifying, vector->file, 0, start, 5000);
        }
        if (noted(&found,
                sealstone_signature_attached_at(verifying, vector->file.at + start, vector->file.len - start, &in_tail))) {
            take_content(verifying, vector->file, is_stream ? start : 0, start + in_tail, 5000);
            verify_end(vector, &found, verifying, start + in_tail);
        }
    }
    judge_verdict(vector, &found);
    if (strcmp(found.code, "success") == 0) {
        char digits[65];
        sha256_digits(copy_of(vector->file.at, start + in_tail), digits);
        CHECK(strcmp(digits, value_of(vector, "released")) == 0);
    }
    sealstone_signature_verifying_free(verifying);
    sealstone_signature_reader_free(reader);
}

static void judge_signature(const vector *vector)
{
    if (strcmp(value_of(vector, "form"), "detached") == 0) {
        judge_detached(vector, SIZE_MAX / 2);
        judge_detached(vector, 4001);
    } else {
        judge_attached(vector, false);
        judge_attached(vector, true);
    }
}

/* ---- Keys that sign ---- */

/** Algorithms that `sealstone_sign_` has and signature files do not: their vectors have no keys that anybody could read. */
static bool is_of_another_algorithm(const vector *vector)
{
    const char *others[] = {"ml_dsa_44", "ml_dsa_87", "p384", "rsa", "secp256k1"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char name[64];
        snprintf(name, sizeof name, "algorithm_private_%s", others[i]);
        bool is_private = strcmp(vector->name, name) == 0;
        snprintf(name, sizeof name, "algorithm_public_%s", others[i]);
        if (is_private || strcmp(vector->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void judge_signer(const vector *vector, const char *way, const outcome *found)
{
    const char *expect = value_of(vector, "expect");
    // A key alone is wrong as a key; as a signer it is a wrong signer.
    const char *code = strcmp(found->code, "invalid_key") == 0 ? "invalid_signer" : found->code;
    checks++;
    if (strcmp(code, expect) != 0) {
        fault("%s, %s: %s (%s) instead of %s", vector->name, way, found->code, found->message, expect);
    }
}

static void judge_public(const vector *vector, const sealstone_sign_public *key)
{
    const char *kind = NULL;
    sealstone_bytes *fingerprint = NULL;
    char named[256];
    size_t next = 0;
    OK(sealstone_sign_public_kind(key, &kind));
    OK(sealstone_sign_fingerprint(key, &fingerprint));
    snprintf(named, sizeof named, "%s %s", kind, sealstone_bytes_text(fingerprint));
    sealstone_bytes_free(fingerprint);
    judge_line(vector, "key", &next, named);
}

/** A public key as a signer: all of a file's, and one key of its own. */
static void judge_public_signer(const vector *vector)
{
    outcome found = nothing_yet(vector);
    sealstone_signature_trusting *trusting = NULL;
    OK(sealstone_signature_trusting_new(NULL, NULL, &trusting));
    noted(&found, sealstone_signature_trust_file(trusting, vector->file.at, vector->file.len));
    judge_signer(vector, "signers", &found);
    size_t keys = 0;
    for (size_t i = 0; i < vector->count; i++) {
        keys += strcmp(vector->lines[i].key, "key") == 0;
    }
    // Of several keys in one file this function takes none.
    if (keys <= 1 && !is_of_another_algorithm(vector)) {
        sealstone_sign_public *key = NULL;
        if (noted(&found, sealstone_sign_public_parse(vector->file.at, vector->file.len, &key))) {
            noted(&found, sealstone_signature_trust_key(trusting, key));
        }
        judge_signer(vector, "public key", &found);
        if (strcmp(found.code, "success") == 0) {
            judge_public(vector, key);
        }
        sealstone_sign_public_free(key);
    }
    sealstone_signature_trusting_free(trusting);
}

static void judge_private_signer(const vector *vector)
{
    outcome found = nothing_yet(vector);
    sealstone_sign_private *key = NULL;
    sealstone_signature_writer *writer = NULL;
    data passphrase = bytes_of(value_of(vector, "passphrase"));
    if (noted(&found,
            sealstone_sign_private_parse(vector->file.at, vector->file.len, passphrase.at, passphrase.len, &key))) {
        noted(&found, sealstone_signature_writer_new(key, NULL, NULL, NULL, &writer));
    }
    if (is_of_another_algorithm(vector)) {
        // It may be found first that it is no key of the algorithm.
        CHECK(strcmp(found.code, "unsupported_key") == 0 || strcmp(found.code, "invalid_key") == 0);
    } else {
        judge_signer(vector, "private key", &found);
    }
    if (strcmp(found.code, "success") == 0) {
        sealstone_sign_public *public_key = NULL;
        sealstone_bytes *secret = NULL;
        char digits[513] = "";
        size_t next = 0;
        OK(sealstone_sign_public_key(key, &public_key));
        judge_public(vector, public_key);
        OK(sealstone_sign_private_export(key, "raw", NULL, 0, &secret));
        for (size_t i = 0; i < sealstone_bytes_len(secret) && i < 256; i++) {
            snprintf(digits + 2 * i, 3, "%02x", sealstone_bytes_data(secret)[i]);
        }
        sealstone_bytes_free(secret);
        judge_line(vector, "secret", &next, digits);
        sealstone_sign_public_free(public_key);
    }
    sealstone_signature_writer_free(writer);
    sealstone_sign_private_free(key);
}

static void judge_signing_key(const vector *vector)
{
    if (strcmp(value_of(vector, "read"), "public") == 0) {
        judge_public_signer(vector);
    } else {
        judge_private_signer(vector);
    }
}

/* ---- Allowed signers ---- */

/** Seconds since 1970 of YYYYMMDDhhmmssZ. */
static uint64_t seconds_of(const char *time)
{
    int numbers[6];
    const int lengths[6] = {4, 2, 2, 2, 2, 2};
    for (int i = 0; i < 6; i++) {
        numbers[i] = 0;
        for (int k = 0; k < lengths[i]; k++) {
            numbers[i] = 10 * numbers[i] + digit(*time++);
        }
    }
    const int before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int year = numbers[0];
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    int past = year - 1;
    int64_t days = (int64_t)365 * (year - 1970) + (past / 4 - past / 100 + past / 400) - (1969 / 4 - 1969 / 100 + 1969 / 400);
    days += before[numbers[1] - 1] + (numbers[1] > 2 && is_leap) + numbers[2] - 1;
    return (uint64_t)(((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]);
}

/** Which signers a file gives shows in signatures alone, of which these vectors have none: here the verdict on the file is compared. */
static void judge_allowed(const vector *vector)
{
    outcome found = nothing_yet(vector);
    sealstone_signature_trusting *trusting = NULL;
    sealstone_signature_reader *reader = NULL;
    sealstone_signature_verifying *verifying = NULL;
    uint64_t at = seconds_of(value_of(vector, "time"));
    bool gives_signer = value_of(vector, "signer") != NULL;
    bool goes_on = noted(&found, sealstone_signature_trusting_new(value_of(vector, "namespace"), NULL, &trusting))
        && noted(&found,
            sealstone_signature_trust_allowed(
                trusting, vector->file.at, vector->file.len, value_of(vector, "principal"), at));
    checks++;
    if (strcmp(found.code, value_of(vector, "expect")) != 0) {
        fault("%s: %s (%s) instead of %s", vector->name, found.code, found.message, value_of(vector, "expect"));
    }
    if (goes_on && OK(sealstone_signature_reader_new(trusting, &reader))) {
        data none = text_of("no signature");
        noted(&found, sealstone_signature_verifying_new(reader, none.at, none.len, &verifying));
        const char *wanted = gives_signer ? "not_a_signature" : found.code;
        CHECK(strcmp(found.code, wanted) == 0 && strcmp(found.code, "success") != 0);
    }
    sealstone_signature_verifying_free(verifying);
    sealstone_signature_reader_free(reader);
    sealstone_signature_trusting_free(trusting);
}

/* ---- All of them ---- */

static void judge_folder(
    const char *vectors, const char *name, void (*judge_one)(const vector *), size_t step, size_t least)
{
    char folder[4096];
    struct dirent **entries = NULL;
    snprintf(folder, sizeof folder, "%s/%s", vectors, name);
    int found = scandir(folder, &entries, NULL, alphasort);
    size_t count = 0;
    size_t before = checks;
    for (int i = 0; i < found; i++) {
        if (entries[i]->d_name[0] != '.' && (size_t)i % step == 0) {
            vector one;
            memset(&one, 0, sizeof one);
            one.name = entries[i]->d_name;
            if (parsed(&one, read_file(folder, one.name)) && value_of(&one, "expect") != NULL) {
                judge_one(&one);
                count++;
            } else {
                fault("%s is no vector", one.name);
            }
            let_go();
        }
        free(entries[i]);
    }
    free(entries);
    if (count < least / step) {
        fault("only %zu cases in %s", count, folder);
    }
    printf("%s: %zu cases, %zu checks\n", name, count, checks - before);
}

int main(int count, char **arguments)
{
    size_t step = count > 2 ? (size_t)strtoull(arguments[2], NULL, 10) : 1;
    if (count < 2 || step == 0) {
        printf("usage: vectors FOLDER [STEP]\n");
        return 2;
    }
    judge_folder(arguments[1], "file", judge_file, step, 1697);
    judge_folder(arguments[1], "keys", judge_keys, step, 734);
    judge_folder(arguments[1], "signature", judge_signature, step, 513);
    judge_folder(arguments[1], "signing_keys", judge_signing_key, step, 250);
    judge_folder(arguments[1], "allowed_signers", judge_allowed, step, 143);
    return ended("vectors");
}
