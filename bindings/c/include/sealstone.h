/*
 * Sealstone: encrypts files and data to public keys, and has the algorithms that applications need.
 *
 * `make generate` writes this file; the words are those of the library's sources. The guide is docs/guide/c.md.
 *
 * Errors. A function that can fail returns NULL of success, and otherwise an error, which the caller frees. An error has a code,
 * which never changes, such as "not_authentic", a number for `switch`, and a message. After an error `*out` is NULL or 0, a structure
 * is unchanged, and memory for a result holds no plaintext: it is unchanged or zero. Every function can give `invalid_argument`, of a
 * pointer that is NULL and may not be, of text that is not UTF-8, of memory that is too short or overlaps, and of an object that is
 * used after its end; and `internal`, of a bug in this library. When memory runs out the program ends.
 *
 * Ownership. An object that comes through `out` is the caller's until its `_free`, which takes NULL too; each is freed once. A function
 * borrows all that it takes for the time of the call. Objects keep what they were made of: a recipient may be freed once an
 * encryptor has it. What `_at` of a list returns is the list's.
 *
 * Bytes are a pointer and a length; the pointer is NULL only where the length is 0. Optional bytes are NULL where there are none. Memory
 * of a result is the caller's where the length is known before; `sealstone_bytes` is zeroed when it is freed. The memory of a result may
 * be that of the input that it is made of, and no other.
 *
 * Text and names of files end in a zero byte; optional text is NULL where there is none. Text is UTF-8, names of files are the
 * system's bytes. Algorithms, kinds and forms are named as everywhere in Sealstone: "aes-256-gcm", "hybrid", "pem".
 *
 * Options are structures of which `struct_size` is set to sizeof the structure, and what is zero has its default; NULL stands for all
 * defaults. An option of a newer header than this library is refused when it is not zero. A number of threads that is 0 is all cores
 * of the machine.
 *
 * Threads. An object whose functions take it `const` may be used by several threads at the same time; streams, units and hashers take
 * turns. A function starts threads only for the time of its call, and ends them: none stays, there is no signal handler and no
 * atexit. So a process may fork between two calls. A file that was begun before a fork goes on in the process that began it, and
 * is refused in the other.
 *
 * A job shows how far a call is, and ends it, from another thread; NULL stands for none. What was begun with a job goes on when the
 * job is freed.
 */
#ifndef SEALSTONE_H
#define SEALSTONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of errors: new ones may come. */
#define SEALSTONE_INTERNAL 1
#define SEALSTONE_INVALID_ARGUMENT 2
#define SEALSTONE_NOT_SEALSTONE 3
#define SEALSTONE_UNSUPPORTED_VERSION 4
#define SEALSTONE_UNSUPPORTED_SUITE 5
#define SEALSTONE_MALFORMED_HEADER 6
#define SEALSTONE_MALFORMED_ARMOUR 7
#define SEALSTONE_TRUNCATED 8
#define SEALSTONE_CONTEXT_REQUIRED 9
#define SEALSTONE_CONTEXT_NOT_BOUND 10
#define SEALSTONE_COST_TOO_HIGH 11
#define SEALSTONE_NO_MATCHING_IDENTITY 12
#define SEALSTONE_HEADER_NOT_AUTHENTIC 13
#define SEALSTONE_NOT_AUTHENTIC 14
#define SEALSTONE_MIXED_RECIPIENTS 15
#define SEALSTONE_INVALID_RECIPIENTS 16
#define SEALSTONE_INVALID_RECIPIENT 17
#define SEALSTONE_INVALID_IDENTITY 18
#define SEALSTONE_UNSUPPORTED_KEY 19
#define SEALSTONE_PASSPHRASE_REQUIRED 20
#define SEALSTONE_NOT_IN_PROFILE 21
#define SEALSTONE_INVALID_PASSPHRASE 22
#define SEALSTONE_INVALID_CONTEXT 23
#define SEALSTONE_UNKNOWN_ALGORITHM 24
#define SEALSTONE_INVALID_OPTION 25
#define SEALSTONE_INVALID_COST 26
#define SEALSTONE_WRONG_LENGTH 27
#define SEALSTONE_INVALID_ENCODING 28
#define SEALSTONE_INVALID_KEY 29
#define SEALSTONE_INVALID_SIGNATURE 30
#define SEALSTONE_NOT_A_SIGNATURE 31
#define SEALSTONE_MALFORMED_SIGNATURE 32
#define SEALSTONE_UNSUPPORTED_SIGNATURE 33
#define SEALSTONE_WRONG_NAMESPACE 34
#define SEALSTONE_UNKNOWN_SIGNER 35
#define SEALSTONE_INVALID_NAMESPACE 36
#define SEALSTONE_INVALID_COMMENT 37
#define SEALSTONE_INVALID_SIGNER 38
#define SEALSTONE_MALFORMED_CIPHERTEXT 39
#define SEALSTONE_EMPTY_PLAINTEXT 40
#define SEALSTONE_INVALID_USER_ID 41
#define SEALSTONE_PARTIAL_BLOCK 42
#define SEALSTONE_LEGACY_ENCRYPTION 43
#define SEALSTONE_INVALID_PADDING 44
#define SEALSTONE_UNAVAILABLE_BACKEND 45
#define SEALSTONE_RANGE_OUT_OF_BOUNDS 46
#define SEALSTONE_NOT_SEEKABLE 47
#define SEALSTONE_TOO_LONG 48
#define SEALSTONE_PLUGIN_FAILED 49
#define SEALSTONE_NO_RANDOMNESS 50
#define SEALSTONE_SAME_FILE 51
#define SEALSTONE_OUTPUT_EXISTS 52
#define SEALSTONE_HARD_LINKS 53
#define SEALSTONE_NOT_REGULAR_FILE 54
#define SEALSTONE_INPUT_CHANGED 55
#define SEALSTONE_CANCELLED 56
#define SEALSTONE_IO 57
#define SEALSTONE_MALFORMED_COMPRESSION 58
#define SEALSTONE_MALFORMED_ARCHIVE 59
#define SEALSTONE_UNSAFE_MEMBER 60
#define SEALSTONE_NOT_AN_ARCHIVE 61
#define SEALSTONE_NO_SUCH_MEMBER 62
#define SEALSTONE_NAMES_COLLIDE 63
#define SEALSTONE_INCOMPLETE_ARCHIVE 64

/** A choice that may be left to its default. */
typedef uint32_t sealstone_choice;
#define SEALSTONE_DEFAULT 0
#define SEALSTONE_YES 1
#define SEALSTONE_NO 2

typedef struct sealstone_error sealstone_error;
typedef struct sealstone_bytes sealstone_bytes;
typedef struct sealstone_aead sealstone_aead;
typedef struct sealstone_age_decryptor sealstone_age_decryptor;
typedef struct sealstone_age_encryptor sealstone_age_encryptor;
typedef struct sealstone_age_identity sealstone_age_identity;
typedef struct sealstone_age_opener sealstone_age_opener;
typedef struct sealstone_age_recipient sealstone_age_recipient;
typedef struct sealstone_age_sealer sealstone_age_sealer;
typedef struct sealstone_armour sealstone_armour;
typedef struct sealstone_ccm sealstone_ccm;
typedef struct sealstone_chunked_key sealstone_chunked_key;
typedef struct sealstone_cipher sealstone_cipher;
typedef struct sealstone_dearmour sealstone_dearmour;
typedef struct sealstone_decrypt_stream sealstone_decrypt_stream;
typedef struct sealstone_decryptor sealstone_decryptor;
typedef struct sealstone_encrypt_stream sealstone_encrypt_stream;
typedef struct sealstone_encryptor sealstone_encryptor;
typedef struct sealstone_exchange_private sealstone_exchange_private;
typedef struct sealstone_exchange_public sealstone_exchange_public;
typedef struct sealstone_hasher sealstone_hasher;
typedef struct sealstone_identity sealstone_identity;
typedef struct sealstone_job sealstone_job;
typedef struct sealstone_key_cache sealstone_key_cache;
typedef struct sealstone_key_wrap sealstone_key_wrap;
typedef struct sealstone_legacy sealstone_legacy;
typedef struct sealstone_mac sealstone_mac;
typedef struct sealstone_mac_signer sealstone_mac_signer;
typedef struct sealstone_opener sealstone_opener;
typedef struct sealstone_recipient sealstone_recipient;
typedef struct sealstone_rewrapper sealstone_rewrapper;
typedef struct sealstone_rsa_private sealstone_rsa_private;
typedef struct sealstone_rsa_public sealstone_rsa_public;
typedef struct sealstone_sealer sealstone_sealer;
typedef struct sealstone_sign_private sealstone_sign_private;
typedef struct sealstone_sign_public sealstone_sign_public;
typedef struct sealstone_signature_reader sealstone_signature_reader;
typedef struct sealstone_signature_signing sealstone_signature_signing;
typedef struct sealstone_signature_trusting sealstone_signature_trusting;
typedef struct sealstone_signature_verifying sealstone_signature_verifying;
typedef struct sealstone_signature_writer sealstone_signature_writer;
typedef struct sealstone_sm2_exchanged sealstone_sm2_exchanged;
typedef struct sealstone_sm2_private sealstone_sm2_private;
typedef struct sealstone_sm2_public sealstone_sm2_public;
typedef struct sealstone_unit sealstone_unit;
typedef struct sealstone_writer sealstone_writer;
typedef struct sealstone_identity_list sealstone_identity_list;
typedef struct sealstone_recipient_list sealstone_recipient_list;
typedef struct sealstone_stanza_info sealstone_stanza_info;
typedef struct sealstone_left_out sealstone_left_out;
typedef struct sealstone_item_failure sealstone_item_failure;
typedef struct sealstone_inspection sealstone_inspection;
typedef struct sealstone_archived sealstone_archived;
typedef struct sealstone_listing sealstone_listing;
typedef struct sealstone_batch_result sealstone_batch_result;
typedef struct sealstone_verification sealstone_verification;
/**
 * How a key is derived from the secret that two sides share: by `hkdf`, or by `concat`, which has no salt, over a hash
 * by its name.
 */
typedef struct sealstone_agreed_by {
    size_t struct_size;
    const char *kdf;
    const char *hash;
    const uint8_t *salt;
    size_t salt_len;
    const uint8_t *info;
    size_t info_len;
} sealstone_agreed_by;

/** Options of an encryptor. Core has the defaults. */
typedef struct sealstone_encrypt_options {
    size_t struct_size;
    /** The suite's name. */
    const char *suite;
    /** The context that the file is bound to: 1 to 1,024 bytes. By default there is none. */
    const uint8_t *context;
    size_t context_len;
    /** Whether recipients that resist quantum computers may be together with others. By default they may not. */
    sealstone_choice allow_mixed;
    /** The profile that has to allow all of this, by name. By default there is none. */
    const char *profile;
    /** Whether the file is text. By default it is not. */
    sealstone_choice armour;
    /** The most threads that compute. By default they are as many as the machine has. */
    uint32_t threads;
} sealstone_encrypt_options;

/**
 * The cost of a derivation: `argon2id`, `argon2i` and `argon2d` with memory in KiB, passes and lanes; `scrypt` with the
 * logarithm of N, r and p; `pbkdf2-HASH` with iterations.
 */
typedef struct sealstone_cost {
    size_t struct_size;
    /** The name. */
    const char *name;
    /** The first number. */
    uint32_t a;
    /** The second number, 0 where there is none. */
    uint32_t b;
    /** The third number, likewise. */
    uint32_t c;
} sealstone_cost;

/**
 * All that a key is derived of: password and salt, and of Argon2 alone a secret and associated data, which may be
 * empty.
 */
typedef struct sealstone_derived_of {
    size_t struct_size;
    const uint8_t *password;
    size_t password_len;
    const uint8_t *salt;
    size_t salt_len;
    const uint8_t *secret;
    size_t secret_len;
    const uint8_t *data;
    size_t data_len;
} sealstone_derived_of;

/** The options of OAEP on both sides: a hash by its name, by default the usual one, and a label. */
typedef struct sealstone_oaep_options {
    size_t struct_size;
    const char *hash;
    const uint8_t *label;
    size_t label_len;
} sealstone_oaep_options;

/** Options of a signature. What is not there has its default, by the kind of the key. */
typedef struct sealstone_sign_options {
    size_t struct_size;
    const char *hash;
    const char *encoding;
    const char *scheme;
    /** The context; an empty one is none. */
    const uint8_t *context;
    size_t context_len;
    /** The id of a user of SM2. */
    const uint8_t *id;
    size_t id_len;
} sealstone_sign_options;

/** How many bytes an operation on a file has processed. */
typedef struct sealstone_processed {
    size_t struct_size;
    /** Bytes of plaintext. */
    uint64_t plaintext;
    /** Bytes of the whole file, without armour. */
    uint64_t ciphertext;
} sealstone_processed;

/** The members of an archive that were made. */
typedef struct sealstone_extracted {
    size_t struct_size;
    /** The number of files, folders and links. */
    uint64_t members;
    /** Bytes of all files. */
    uint64_t file_bytes;
} sealstone_extracted;

/** How far a job is. */
typedef struct sealstone_progress {
    size_t struct_size;
    /** Bytes that are done. */
    uint64_t done;
    /** Bytes in all; 2^64 - 1 while that is not known. */
    uint64_t total;
} sealstone_progress;

/** How many bytes were signed into a file. */
typedef struct sealstone_signed {
    size_t struct_size;
    /** Bytes of the content. */
    uint64_t content;
    /** Bytes of the content and its signature. */
    uint64_t written;
} sealstone_signed;


/* ---- Version, errors and bytes ---- */

/** The version of the library, such as "0.1.0". */
const char *sealstone_version(void);
/** The number of its binary interface, as in the name of the shared library, such as "0.1". */
const char *sealstone_abi(void);

/** The code of an error, such as "not_authentic"; NULL of NULL. */
const char *sealstone_error_code(const sealstone_error *error);
/** The number of the code, such as SEALSTONE_NOT_AUTHENTIC; 0 of NULL. */
uint32_t sealstone_error_number(const sealstone_error *error);
/** The message, for people; NULL of NULL. */
const char *sealstone_error_message(const sealstone_error *error);
/** The system's errno, where the system refused something; else 0. */
int sealstone_error_errno(const sealstone_error *error);
/** The chunk of a file that is not authentic, from 0 on; UINT64_MAX where no chunk is known. */
uint64_t sealstone_error_chunk(const sealstone_error *error);
void sealstone_error_free(sealstone_error *error);

/** The bytes, which live until they are freed; NULL of NULL. */
const uint8_t *sealstone_bytes_data(const sealstone_bytes *bytes);
/** How many there are. */
size_t sealstone_bytes_len(const sealstone_bytes *bytes);
/** The same bytes as a string: a zero byte is behind them. */
const char *sealstone_bytes_text(const sealstone_bytes *bytes);
/** Zeroes the bytes, and frees them. */
void sealstone_bytes_free(sealstone_bytes *bytes);

/* ---- Keys, files, messages, and ciphertexts in chunks ---- */

/**
 * Encrypts files and folders into one archive, which appears when all of it is there. `folders` has their names and
 * `exclude` the patterns of members to leave out, several with a zero byte between them. `compression` is `auto` (the
 * default), `none`, or a level of Zstandard from `1` to `22`. A member that cannot be read is no error: look at
 * `left_out` of the result. Errors: cost_too_high, mixed_recipients, invalid_recipients, not_in_profile,
 * invalid_option, unavailable_backend, too_long, no_randomness, same_file, output_exists, not_regular_file, cancelled,
 * io.
 */
sealstone_error *sealstone_encrypt_folder(const sealstone_encryptor *encryptor, const uint8_t *folders,
    size_t folders_len, const char *output, bool replace, const uint8_t *exclude, size_t exclude_len,
    const char *compression, bool one_file_system, bool owners, bool attributes, const sealstone_job *job,
    sealstone_archived **out);

/**
 * Lists the members of an archive. It reads only the end of the file: the list is what the writer of the archive put
 * there. Errors: not_sealstone, unsupported_version, unsupported_suite, malformed_header, malformed_armour,
 * malformed_compression, malformed_archive, not_an_archive, truncated, context_required, context_not_bound,
 * cost_too_high, no_matching_identity, header_not_authentic, not_authentic, not_in_profile, unavailable_backend,
 * not_seekable, too_long, not_regular_file, input_changed, cancelled, io.
 */
sealstone_error *sealstone_list_archive(const sealstone_decryptor *decryptor, const char *input,
    const sealstone_job *job, sealstone_listing **out);

/**
 * Makes the files and folders of an archive in a new folder, which appears when all of it is authentic. If `paths` has
 * the paths of members, several with a zero byte between them, it makes only these and what is in such folders, and the
 * folder may exist. `outside_links` allows symbolic links that may lead out of the folder. Errors: not_sealstone,
 * unsupported_version, unsupported_suite, malformed_header, malformed_armour, malformed_compression, malformed_archive,
 * unsafe_member, not_an_archive, no_such_member, names_collide, truncated, context_required, context_not_bound,
 * cost_too_high, no_matching_identity, header_not_authentic, not_authentic, not_in_profile, unavailable_backend,
 * not_seekable, too_long, same_file, output_exists, not_regular_file, input_changed, cancelled, io.
 */
sealstone_error *sealstone_extract_archive(const sealstone_decryptor *decryptor, const char *input, const char *folder,
    const uint8_t *paths, size_t paths_len, bool replace, bool outside_links, bool special_bits, bool owners,
    bool attributes, const sealstone_job *job, sealstone_extracted *out);

/** Names what computes the AEADs, and the CPU's instruction sets, for people to read. Errors: unavailable_backend. */
sealstone_error *sealstone_backend(sealstone_bytes **out);

/** Makes a key for chunks of a suite. Errors: unknown_algorithm, wrong_length. */
sealstone_error *sealstone_chunked_key_new(const char *suite, const uint8_t *key, size_t key_len,
    sealstone_chunked_key **out);

/** Begins a ciphertext. Errors: unavailable_backend, no_randomness. */
sealstone_error *sealstone_chunked_sealer(const sealstone_chunked_key *key, const uint8_t *context, size_t context_len,
    sealstone_sealer **out);

/** Begins to open a ciphertext, by its head. Errors: truncated, not_authentic, unavailable_backend. */
sealstone_error *sealstone_chunked_opener(const sealstone_chunked_key *key, const uint8_t *context, size_t context_len,
    const uint8_t *head, size_t head_len, sealstone_opener **out);

/** Gives the length of a ciphertext's head. */
size_t sealstone_chunked_head_len(void);

/** Encrypts a plaintext. Errors: unavailable_backend, too_long, no_randomness. */
sealstone_error *sealstone_chunked_encrypt(const sealstone_chunked_key *key, const uint8_t *context,
    size_t context_len, const uint8_t *plaintext, size_t plaintext_len, sealstone_bytes **out);

/** Decrypts a ciphertext. Errors: truncated, not_authentic, unavailable_backend. */
sealstone_error *sealstone_chunked_decrypt(const sealstone_chunked_key *key, const uint8_t *context,
    size_t context_len, const uint8_t *ciphertext, size_t ciphertext_len, sealstone_bytes **out);

/** Gives the length of the tag of each chunk, and of a message. */
size_t sealstone_tag_len(void);

/**
 * Decrypts the bytes of a plaintext from `start` to `end`. Errors: not_sealstone, unsupported_version,
 * unsupported_suite, malformed_header, malformed_armour, malformed_compression, truncated, context_required,
 * context_not_bound, cost_too_high, no_matching_identity, header_not_authentic, not_authentic, not_in_profile,
 * unavailable_backend, range_out_of_bounds, too_long.
 */
sealstone_error *sealstone_decrypt_range(const sealstone_decryptor *decryptor, const uint8_t *file, size_t file_len,
    uint64_t start, uint64_t end, sealstone_bytes **out);

/**
 * Gives a file other recipients; its chunks stay as they are. Errors: not_sealstone, unsupported_version,
 * unsupported_suite, malformed_header, malformed_armour, truncated, cost_too_high, no_matching_identity,
 * header_not_authentic, mixed_recipients, invalid_recipients, not_in_profile, unavailable_backend, no_randomness.
 */
sealstone_error *sealstone_rewrap(const sealstone_rewrapper *rewrapper, const uint8_t *file, size_t file_len,
    sealstone_bytes **out);

/**
 * Shows the public part of a file. Errors: not_sealstone, unsupported_version, unsupported_suite, malformed_header,
 * malformed_armour, truncated.
 */
sealstone_error *sealstone_inspect(const uint8_t *file, size_t file_len, sealstone_inspection **out);

/**
 * Encrypts items that lie one behind the other, each to a file of its own. Errors: cost_too_high, mixed_recipients,
 * invalid_recipients, not_in_profile, unavailable_backend, too_long, no_randomness, cancelled.
 */
sealstone_error *sealstone_encrypt_batch(const sealstone_encryptor *encryptor, const uint8_t *data, size_t data_len,
    const uint32_t *lengths, size_t lengths_count, const sealstone_job *job, uint32_t threads,
    sealstone_batch_result **out);

/**
 * Decrypts files that lie one behind the other. Errors: not_sealstone, unsupported_version, unsupported_suite,
 * malformed_header, malformed_armour, malformed_compression, truncated, context_required, context_not_bound,
 * cost_too_high, no_matching_identity, header_not_authentic, not_authentic, not_in_profile, unavailable_backend,
 * too_long, cancelled.
 */
sealstone_error *sealstone_decrypt_batch(const sealstone_decryptor *decryptor, const uint8_t *data, size_t data_len,
    const uint32_t *lengths, size_t lengths_count, const sealstone_job *job, uint32_t threads,
    sealstone_batch_result **out);

/**
 * Encrypts a file into a new one. The output appears when all of it is there; `special` also takes pipes and devices.
 * Errors: cost_too_high, mixed_recipients, invalid_recipients, not_in_profile, unavailable_backend, too_long,
 * no_randomness, same_file, output_exists, not_regular_file, input_changed, cancelled, io.
 */
sealstone_error *sealstone_encrypt_file(const sealstone_encryptor *encryptor, const char *input, const char *output,
    bool replace, bool special, const sealstone_job *job, sealstone_processed *out);

/**
 * Decrypts a file into a new one. The output appears when all of it is authentic. Errors: not_sealstone,
 * unsupported_version, unsupported_suite, malformed_header, malformed_armour, malformed_compression, truncated,
 * context_required, context_not_bound, cost_too_high, no_matching_identity, header_not_authentic, not_authentic,
 * not_in_profile, unavailable_backend, too_long, same_file, output_exists, not_regular_file, input_changed, cancelled,
 * io.
 */
sealstone_error *sealstone_decrypt_file(const sealstone_decryptor *decryptor, const char *input, const char *output,
    bool replace, bool special, const sealstone_job *job, sealstone_processed *out);

/**
 * Checks that all of a file is authentic, and of an archive its members and index too. Errors: not_sealstone,
 * unsupported_version, unsupported_suite, malformed_header, malformed_armour, malformed_compression, malformed_archive,
 * truncated, context_required, context_not_bound, cost_too_high, no_matching_identity, header_not_authentic,
 * not_authentic, not_in_profile, unavailable_backend, too_long, not_regular_file, input_changed, cancelled, io.
 */
sealstone_error *sealstone_verify_file(const sealstone_decryptor *decryptor, const char *input, bool special,
    const sealstone_job *job, sealstone_processed *out);

/**
 * Gives a file other recipients where it is; of one with several names `split_links` gives them to this name alone.
 * Errors: not_sealstone, unsupported_version, unsupported_suite, malformed_header, malformed_armour, truncated,
 * cost_too_high, no_matching_identity, header_not_authentic, mixed_recipients, invalid_recipients, not_in_profile,
 * unavailable_backend, too_long, no_randomness, hard_links, not_regular_file, input_changed, cancelled, io.
 */
sealstone_error *sealstone_rewrap_file(const sealstone_rewrapper *rewrapper, const char *file, bool split_links,
    const sealstone_job *job, sealstone_processed *out);

/**
 * Decrypts the bytes of a file's plaintext from `start` to `end`. Errors: not_sealstone, unsupported_version,
 * unsupported_suite, malformed_header, malformed_compression, truncated, context_required, context_not_bound,
 * cost_too_high, no_matching_identity, header_not_authentic, not_authentic, not_in_profile, unavailable_backend,
 * range_out_of_bounds, not_seekable, too_long, not_regular_file, input_changed, cancelled, io.
 */
sealstone_error *sealstone_decrypt_range_file(const sealstone_decryptor *decryptor, const char *input, uint64_t start,
    uint64_t end, bool special, const sealstone_job *job, sealstone_bytes **out);

/**
 * Shows the public part of a file by name. Errors: not_sealstone, unsupported_version, unsupported_suite,
 * malformed_header, malformed_armour, truncated, too_long, not_regular_file, input_changed, cancelled, io.
 */
sealstone_error *sealstone_inspect_file(const char *file, bool special, const sealstone_job *job,
    sealstone_inspection **out);

/**
 * Makes a new identity of a kind, by default of the kind that resists quantum computers. Errors: invalid_identity,
 * invalid_passphrase, unknown_algorithm, unavailable_backend, no_randomness.
 */
sealstone_error *sealstone_identity_generate(const char *kind, sealstone_identity **out);

/**
 * Reads the identities of a file in any form. Errors: unsupported_version, unsupported_suite, malformed_header,
 * malformed_armour, truncated, context_required, cost_too_high, no_matching_identity, not_authentic, invalid_identity,
 * unsupported_key, passphrase_required, invalid_passphrase, unavailable_backend.
 */
sealstone_error *sealstone_identities_parse(const uint8_t *file, size_t file_len, const uint8_t *passphrase,
    size_t passphrase_len, sealstone_identity_list **out);

/** Makes the identity of a passphrase. Errors: invalid_passphrase. */
sealstone_error *sealstone_identity_of_passphrase(const uint8_t *text, size_t text_len, sealstone_identity **out);

/** Makes the identity of a symmetric key. Errors: wrong_length. */
sealstone_error *sealstone_identity_of_key(const uint8_t *bytes, size_t bytes_len, sealstone_identity **out);

/** Names the kind of an identity. */
sealstone_error *sealstone_identity_kind(const sealstone_identity *identity, const char **out);

/** Gives the recipient of an identity. */
sealstone_error *sealstone_identity_recipient(const sealstone_identity *identity, sealstone_recipient **out);

/**
 * Writes an identity in a form, encrypted where there is a passphrase. Errors: unsupported_key, invalid_passphrase,
 * unknown_algorithm, no_randomness.
 */
sealstone_error *sealstone_identity_export(const sealstone_identity *identity, const char *form,
    const uint8_t *passphrase, size_t passphrase_len, sealstone_bytes **out);

/** Reads the recipients of a file in any form. Errors: invalid_recipient, unsupported_key. */
sealstone_error *sealstone_recipients_parse(const uint8_t *file, size_t file_len, sealstone_recipient_list **out);

/** Names the kind of a recipient. */
sealstone_error *sealstone_recipient_kind(const sealstone_recipient *recipient, const char **out);

/** Gives the fingerprint of a recipient, which a passphrase has not. */
sealstone_error *sealstone_recipient_fingerprint(const sealstone_recipient *recipient, sealstone_bytes **out);

/** Writes a recipient in a form. Errors: unsupported_key, unknown_algorithm. */
sealstone_error *sealstone_recipient_export(const sealstone_recipient *recipient, const char *form,
    sealstone_bytes **out);

/** Gives the length of a message that is no text. Errors: invalid_recipients, too_long. */
sealstone_error *sealstone_message_len(const sealstone_recipient *recipient, size_t plaintext_len, size_t *out);

/**
 * Seals a message into memory. Its length: sealstone_message_len(). After an error the memory is zero. Errors:
 * invalid_recipients, wrong_length, too_long, no_randomness.
 */
sealstone_error *sealstone_message_seal_into(const sealstone_recipient *recipient, const uint8_t *plaintext,
    size_t plaintext_len, const uint8_t *aad, size_t aad_len, uint8_t *message, size_t message_len);

/** Seals a message as text. Errors: invalid_recipients, too_long, no_randomness. */
sealstone_error *sealstone_message_seal_armoured(const sealstone_recipient *recipient, const uint8_t *plaintext,
    size_t plaintext_len, const uint8_t *aad, size_t aad_len, sealstone_bytes **out);

/** Whether a message that begins so is text. */
sealstone_error *sealstone_message_is_armoured(const uint8_t *start, size_t start_len, bool *out);

/**
 * Says how many bytes are before the ciphertext of a message of that length, which is no text; a tag stands behind it.
 * Errors: not_sealstone, unsupported_suite, truncated, no_matching_identity, too_long.
 */
sealstone_error *sealstone_message_head_len(const sealstone_identity *identity, const uint8_t *start, size_t start_len,
    size_t message_len, size_t *out);

/**
 * Opens a message into memory. Its length: the message's less sealstone_message_head_len() and sealstone_tag_len().
 * After an error the memory is zero. Errors: not_sealstone, unsupported_suite, truncated, no_matching_identity,
 * not_authentic, wrong_length, too_long.
 */
sealstone_error *sealstone_message_open_into(const sealstone_identity *identity, const uint8_t *message,
    size_t message_len, const uint8_t *aad, size_t aad_len, uint8_t *plaintext, size_t plaintext_len);

/**
 * Opens a message, as bytes or as text. Errors: not_sealstone, unsupported_suite, malformed_armour, truncated,
 * no_matching_identity, not_authentic, too_long.
 */
sealstone_error *sealstone_message_open_armoured(const sealstone_identity *identity, const uint8_t *message,
    size_t message_len, const uint8_t *aad, size_t aad_len, sealstone_bytes **out);

/** Makes what encrypts files to recipients. Errors: invalid_context, unknown_algorithm. */
sealstone_error *sealstone_encryptor_new(const sealstone_recipient *const *recipients, size_t recipients_count,
    const sealstone_encrypt_options *options, sealstone_encryptor **out);

/** Makes what decrypts files with identities. Errors: invalid_context, unknown_algorithm. */
sealstone_error *sealstone_decryptor_new(const sealstone_identity *const *identities, size_t identities_count,
    const uint8_t *context, size_t context_len, const char *profile, uint32_t threads, sealstone_decryptor **out);

/** Makes what gives files other recipients. Errors: unknown_algorithm. */
sealstone_error *sealstone_rewrapper_new(const sealstone_identity *const *identities, size_t identities_count,
    const sealstone_recipient *const *recipients, size_t recipients_count, sealstone_choice replace,
    sealstone_choice allow_mixed, const char *profile, sealstone_rewrapper **out);

/** Whether the files of an encryptor are text. */
sealstone_error *sealstone_encryptor_armours(const sealstone_encryptor *encryptor, bool *out);

/**
 * Begins a file on another thread, since a passphrase costs a password hash. Where there are no threads, the job ends
 * its derivation. Errors: cost_too_high, mixed_recipients, invalid_recipients, not_in_profile, unavailable_backend,
 * no_randomness, cancelled.
 */
sealstone_error *sealstone_sealer_new(const sealstone_encryptor *encryptor, const sealstone_job *job,
    sealstone_sealer **out);

/** Gives the length of the file of a plaintext of so many bytes. Errors: too_long. */
sealstone_error *sealstone_sealer_file_len(const sealstone_sealer *sealer, uint64_t plaintext_len, uint64_t *out);

/**
 * Encrypts a whole plaintext into memory. Its length: sealstone_sealer_file_len() says it, and so does `sealer`. After
 * an error the memory is zero. Errors: wrong_length, too_long.
 */
sealstone_error *sealstone_seal_into(const sealstone_sealer *sealer, const uint8_t *plaintext, size_t plaintext_len,
    uint8_t *file, size_t file_len, uint32_t threads);

/** Gives all of the file before its first chunk. */
sealstone_error *sealstone_sealer_head(const sealstone_sealer *sealer, sealstone_bytes **out);

/** Begins to write armour. */
sealstone_error *sealstone_armour_new(sealstone_armour **out);

/** Takes more of a file; returns lines of its armour. */
sealstone_error *sealstone_armour_update(const sealstone_armour *armour, const uint8_t *file, size_t file_len,
    sealstone_bytes **out);

/** Returns the end of the armour. */
sealstone_error *sealstone_armour_finish(const sealstone_armour *armour, sealstone_bytes **out);

/**
 * Begins to read armour; where it `is_alone`, other text around it is refused, as whoever replaces the file needs it.
 */
sealstone_error *sealstone_dearmour_new(bool is_alone, sealstone_dearmour **out);

/**
 * Takes more text; returns the bytes that it stands for, up to the first fault. An error comes with the bytes before
 * the fault in `*out`, to be freed too. Errors: malformed_armour.
 */
sealstone_error *sealstone_dearmour_update(const sealstone_dearmour *dearmour, const uint8_t *text, size_t text_len,
    sealstone_bytes **out);

/**
 * Ends the text; returns what is left. An error comes with the bytes before the fault in `*out`, to be freed too.
 * Errors: malformed_armour.
 */
sealstone_error *sealstone_dearmour_finish(const sealstone_dearmour *dearmour, sealstone_bytes **out);

/**
 * Says how many bytes sealstone_file_is_armoured() looks at, of a file that begins so; without bytes, how many tell it.
 */
sealstone_error *sealstone_armour_look_len(const uint8_t *start, size_t start_len, size_t *out);

/** Says how many bytes sealstone_file_head_len() looks at. */
size_t sealstone_file_start_len(void);

/**
 * Gives the length of a file's head, by its first bytes. Errors: not_sealstone, unsupported_version, unsupported_suite,
 * malformed_header, truncated.
 */
sealstone_error *sealstone_file_head_len(const uint8_t *start, size_t start_len, size_t *out);

/** Whether a file that begins so is text. */
sealstone_error *sealstone_file_is_armoured(const uint8_t *start, size_t start_len, bool *out);

/**
 * Begins to open a file on another thread; one that is compressed is an `unsupported_version`. Where there are no
 * threads, the job ends the derivation of a passphrase's key. Errors: not_sealstone, unsupported_version,
 * unsupported_suite, malformed_header, truncated, context_required, context_not_bound, cost_too_high,
 * no_matching_identity, header_not_authentic, not_authentic, not_in_profile, unavailable_backend, cancelled.
 */
sealstone_error *sealstone_opener_new(const sealstone_decryptor *decryptor, const uint8_t *head, size_t head_len,
    const sealstone_job *job, sealstone_opener **out);

/** Gives the length of a file before its first chunk. */
sealstone_error *sealstone_opener_head_len(const sealstone_opener *opener, size_t *out);

/** Gives the length of the plaintext of a file of so many bytes. Errors: truncated, too_long. */
sealstone_error *sealstone_opener_plaintext_len(const sealstone_opener *opener, uint64_t file_len, uint64_t *out);

/**
 * Decrypts a whole file into memory. Its length: sealstone_opener_plaintext_len() says it, and so does `opener`. After
 * an error the memory is zero. Errors: truncated, not_authentic, wrong_length.
 */
sealstone_error *sealstone_open_into(const sealstone_opener *opener, const uint8_t *file, size_t file_len,
    uint8_t *plaintext, size_t plaintext_len, uint32_t threads);

/* ---- Streams, units of chunks, SM2, and ciphers over many messages ---- */

/**
 * Encrypts messages that lie one behind the other, each of `lengths` bytes and with its own IV of `ivs`, without
 * padding. In CBC with SM4 several messages are encrypted together, many times as fast as one by one. After an error
 * the memory is zero, unless the input lay there. Errors: wrong_length, partial_block.
 */
sealstone_error *sealstone_cipher_encrypt_batch(const sealstone_cipher *cipher, const uint8_t *ivs, size_t ivs_len,
    const uint32_t *lengths, size_t lengths_count, const uint8_t *plaintexts, size_t plaintexts_len,
    uint8_t *ciphertexts, size_t ciphertexts_len);

/** Gives the length of the IV of a mode. Errors: unknown_algorithm. */
sealstone_error *sealstone_cipher_iv_len(const char *algorithm, size_t *out);

/**
 * Encrypts as `Sm4GCM` of tjfoc/gmsm 1.4.1 does; returns the ciphertext, and behind it the tag of 16 bytes. It is for
 * programs that still open data with that: other software does not, and two IVs can give one keystream. The key has 16
 * bytes. Errors: wrong_length, unavailable_backend.
 */
sealstone_error *sealstone_gmsm_gcm_seal(const uint8_t *key, size_t key_len, const uint8_t *iv, size_t iv_len,
    const uint8_t *aad, size_t aad_len, const uint8_t *plaintext, size_t plaintext_len, sealstone_bytes **out);

/**
 * Decrypts the ciphertext of `Sm4GCM` of tjfoc/gmsm 1.4.1, after it has verified the tag, which that does not. Errors:
 * not_authentic, wrong_length, unavailable_backend.
 */
sealstone_error *sealstone_gmsm_gcm_open(const uint8_t *key, size_t key_len, const uint8_t *iv, size_t iv_len,
    const uint8_t *aad, size_t aad_len, const uint8_t *ciphertext, size_t ciphertext_len, const uint8_t *tag,
    size_t tag_len, sealstone_bytes **out);

/** Makes a new private key. Errors: unavailable_backend, no_randomness. */
sealstone_error *sealstone_sm2_generate(sealstone_sm2_private **out);

/**
 * Reads a private key in a form that says its kind. Errors: cost_too_high, no_matching_identity, unsupported_key,
 * passphrase_required, invalid_passphrase, invalid_key, unavailable_backend.
 */
sealstone_error *sealstone_sm2_private_parse(const uint8_t *file, size_t file_len, const uint8_t *passphrase,
    size_t passphrase_len, sealstone_sm2_private **out);

/**
 * Makes a private key of its number, 32 bytes with the highest first. Errors: wrong_length, invalid_key,
 * unavailable_backend.
 */
sealstone_error *sealstone_sm2_private_of(const uint8_t *bytes, size_t bytes_len, sealstone_sm2_private **out);

/** Gives the number of a private key, 32 bytes. */
sealstone_error *sealstone_sm2_private_bytes(const sealstone_sm2_private *key, sealstone_bytes **out);

/**
 * Writes a private key in a form, `pem`, `der`, `jwk` or `raw`, encrypted where there is a passphrase. Errors:
 * unsupported_key, invalid_passphrase, unknown_algorithm, no_randomness.
 */
sealstone_error *sealstone_sm2_private_export(const sealstone_sm2_private *key, const char *form,
    const uint8_t *passphrase, size_t passphrase_len, sealstone_bytes **out);

/** Gives the public key of a private one. */
sealstone_error *sealstone_sm2_public_key(const sealstone_sm2_private *key, sealstone_sm2_public **out);

/** Reads a public key in a form that says its kind. Errors: unsupported_key, invalid_key. */
sealstone_error *sealstone_sm2_public_parse(const uint8_t *file, size_t file_len, sealstone_sm2_public **out);

/** Makes a public key of its point: 65 bytes that begin with 04. Errors: wrong_length, invalid_key. */
sealstone_error *sealstone_sm2_public_of(const uint8_t *bytes, size_t bytes_len, sealstone_sm2_public **out);

/** Gives the point of a public key: 65 bytes that begin with 04. */
sealstone_error *sealstone_sm2_public_bytes(const sealstone_sm2_public *public_key, sealstone_bytes **out);

/**
 * Writes a public key in a form, `pem`, `der`, `jwk` or `raw`. Errors: unsupported_key, unknown_algorithm,
 * invalid_option.
 */
sealstone_error *sealstone_sm2_public_export(const sealstone_sm2_public *public_key, const char *form,
    sealstone_bytes **out);

/** Gives the digest that a user's signature of a message signs. Errors: invalid_user_id. */
sealstone_error *sealstone_sm2_digest(const sealstone_sm2_public *public_key, const uint8_t *message,
    size_t message_len, const uint8_t *id, size_t id_len, sealstone_bytes **out);

/** Signs a message as a user. Errors: unknown_algorithm, invalid_key, invalid_user_id, no_randomness. */
sealstone_error *sealstone_sm2_sign(const sealstone_sm2_private *key, const uint8_t *message, size_t message_len,
    const uint8_t *id, size_t id_len, const char *encoding, sealstone_bytes **out);

/**
 * Signs a digest of 32 bytes that the caller computed of a message by sealstone_sm2_digest(), or as its protocol says.
 * Errors: unknown_algorithm, wrong_length, no_randomness.
 */
sealstone_error *sealstone_sm2_sign_digest(const sealstone_sm2_private *key, const uint8_t *digest, size_t digest_len,
    const char *encoding, sealstone_bytes **out);

/**
 * Fails unless this is a user's signature of a message. Errors: unknown_algorithm, invalid_signature, invalid_user_id,
 * unavailable_backend.
 */
sealstone_error *sealstone_sm2_verify(const sealstone_sm2_public *public_key, const uint8_t *message,
    size_t message_len, const uint8_t *signature, size_t signature_len, const uint8_t *id, size_t id_len,
    const char *encoding);

/**
 * Fails unless this is a signature of a digest. Errors: unknown_algorithm, wrong_length, invalid_signature,
 * unavailable_backend.
 */
sealstone_error *sealstone_sm2_verify_digest(const sealstone_sm2_public *public_key, const uint8_t *digest,
    size_t digest_len, const uint8_t *signature, size_t signature_len, const char *encoding);

/**
 * Encrypts a short plaintext to a public key. Errors: unknown_algorithm, empty_plaintext, unavailable_backend,
 * too_long, no_randomness.
 */
sealstone_error *sealstone_sm2_encrypt(const sealstone_sm2_public *public_key, const uint8_t *plaintext,
    size_t plaintext_len, const char *form, sealstone_bytes **out);

/** Decrypts it. Errors: not_authentic, unknown_algorithm, malformed_ciphertext. */
sealstone_error *sealstone_sm2_decrypt(const sealstone_sm2_private *key, const uint8_t *ciphertext,
    size_t ciphertext_len, const char *form, sealstone_bytes **out);

/**
 * Agrees with another user on a key of so many bytes (GB/T 32918.3). Each user makes an ephemeral key for this exchange
 * alone, by sealstone_sm2_generate(), and sends its public key; one of the two is the initiator. Without an id it is
 * the usual one. Errors: invalid_key, invalid_user_id, unavailable_backend, too_long.
 */
sealstone_error *sealstone_sm2_exchange(const sealstone_sm2_private *key, bool is_initiator, const uint8_t *id,
    size_t id_len, const sealstone_sm2_private *ephemeral, const sealstone_sm2_public *peer, const uint8_t *peer_id,
    size_t peer_id_len, const sealstone_sm2_public *peer_ephemeral, size_t length, sealstone_sm2_exchanged **out);

/** Gives the key. */
sealstone_error *sealstone_sm2_exchanged_key(const sealstone_sm2_exchanged *exchanged, sealstone_bytes **out);

/** Gives the hash, 32 bytes, that shows the other user that this one has the key. It is no secret. */
sealstone_error *sealstone_sm2_exchanged_confirmation(const sealstone_sm2_exchanged *exchanged, sealstone_bytes **out);

/** Gives the hash that the other user shows, for interfaces that compare it themselves. It is not to be sent. */
sealstone_error *sealstone_sm2_exchanged_peer_confirmation(const sealstone_sm2_exchanged *exchanged,
    sealstone_bytes **out);

/** Fails unless this is the hash of the other user, which has the key then. Errors: not_authentic. */
sealstone_error *sealstone_sm2_exchanged_verify(const sealstone_sm2_exchanged *exchanged, const uint8_t *confirmation,
    size_t confirmation_len);

/**
 * Encrypts a plaintext, as text where the encryptor armours. Errors: cost_too_high, mixed_recipients,
 * invalid_recipients, not_in_profile, unavailable_backend, too_long, no_randomness.
 */
sealstone_error *sealstone_encrypt(const sealstone_encryptor *encryptor, const uint8_t *plaintext,
    size_t plaintext_len, sealstone_bytes **out);

/**
 * Decrypts a file, armoured or not. Errors: not_sealstone, unsupported_version, unsupported_suite, malformed_header,
 * malformed_armour, malformed_compression, truncated, context_required, context_not_bound, cost_too_high,
 * no_matching_identity, header_not_authentic, not_authentic, not_in_profile, unavailable_backend, too_long.
 */
sealstone_error *sealstone_decrypt(const sealstone_decryptor *decryptor, const uint8_t *file, size_t file_len,
    sealstone_bytes **out);

/** Says how far a job is. */
sealstone_error *sealstone_job_progress(const sealstone_job *job, sealstone_progress *out);

/**
 * Begins a file that is encrypted as it is pushed; it is armoured where the encryptor armours. The job ends the
 * derivation of a passphrase. Errors: cost_too_high, mixed_recipients, invalid_recipients, not_in_profile,
 * unavailable_backend, no_randomness, cancelled.
 */
sealstone_error *sealstone_encrypt_stream_new(const sealstone_encryptor *encryptor, const sealstone_job *job,
    sealstone_encrypt_stream **out);

/**
 * Says how many bytes sealstone_encrypt_stream_update() gives of a part of so many at the most; of 0, how many
 * sealstone_encrypt_stream_finish() gives.
 */
sealstone_error *sealstone_encrypt_stream_update_len(const sealstone_encrypt_stream *stream, size_t plaintext_len,
    size_t *out);

/**
 * Takes the next part of the plaintext. The memory is as long as sealstone_encrypt_stream_update_len() says; returns
 * how many bytes were written. Errors: too_long.
 */
sealstone_error *sealstone_encrypt_stream_update(const sealstone_encrypt_stream *stream, const uint8_t *plaintext,
    size_t plaintext_len, uint8_t *file, size_t file_len, size_t *out);

/** Ends the file; returns how many bytes were written. Errors: too_long. */
sealstone_error *sealstone_encrypt_stream_finish(const sealstone_encrypt_stream *stream, uint8_t *file,
    size_t file_len, size_t *out);

/**
 * Begins to decrypt a file, armoured or not, as it is pushed. The job ends the derivation of a passphrase, which is in
 * the call that takes the end of the header. A file that is compressed is an `unsupported_version` there: it can only
 * be decrypted as a whole.
 */
sealstone_error *sealstone_decrypt_stream_new(const sealstone_decryptor *decryptor, const sealstone_job *job,
    sealstone_decrypt_stream **out);

/**
 * Says how many bytes sealstone_decrypt_stream_update() gives of a part of so many at the most; of 0, how many
 * sealstone_decrypt_stream_finish() gives.
 */
sealstone_error *sealstone_decrypt_stream_update_len(const sealstone_decrypt_stream *stream, size_t file_len,
    size_t *out);

/**
 * Takes the next part of the file. The memory is as long as sealstone_decrypt_stream_update_len() says; returns how
 * many bytes of plaintext were written, which are authentic. Where a fault is behind such bytes, this call gives the
 * bytes, and the next one the error. After an error the stream has ended. Errors: not_sealstone, unsupported_version,
 * unsupported_suite, malformed_header, malformed_armour, truncated, context_required, context_not_bound, cost_too_high,
 * no_matching_identity, header_not_authentic, not_authentic, not_in_profile, unavailable_backend, too_long, cancelled.
 */
sealstone_error *sealstone_decrypt_stream_update(const sealstone_decrypt_stream *stream, const uint8_t *file,
    size_t file_len, uint8_t *plaintext, size_t plaintext_len, size_t *out);

/**
 * Ends the file; returns how many bytes of plaintext were written. Before this has succeeded the file may have been cut
 * off, or have a fault behind the bytes that were given. Errors: not_sealstone, unsupported_version, unsupported_suite,
 * malformed_header, malformed_armour, truncated, context_required, context_not_bound, cost_too_high,
 * no_matching_identity, header_not_authentic, not_authentic, not_in_profile, unavailable_backend, too_long, cancelled.
 */
sealstone_error *sealstone_decrypt_stream_finish(const sealstone_decrypt_stream *stream, uint8_t *plaintext,
    size_t plaintext_len, size_t *out);

/** Says how many bytes of plaintext every chunk but the last has. */
size_t sealstone_chunk_len(void);

/** Says how many bytes every chunk but the last has with its tag: the places of chunks in a unit are so far apart. */
size_t sealstone_sealed_chunk_len(void);

/**
 * Takes the next chunks of a file, of so many bytes with their tags, to be sealed on any thread. A length that is no
 * whole number of sealstone_sealed_chunk_len() is that of the file's end, which every file has, if only as a tag.
 */
sealstone_error *sealstone_sealer_next_unit(const sealstone_sealer *sealer, size_t length, sealstone_unit **out);

/**
 * Seals the chunks of a unit, once. The place of each chunk has its plaintext, and behind that room for the tag. After
 * an error the memory is zero. Errors: wrong_length, too_long.
 */
sealstone_error *sealstone_unit_seal(const sealstone_unit *unit, uint8_t *places, size_t places_len);

/**
 * Opens chunks from a number on where they lie, on any thread: the last 16 bytes of each place are not of its
 * plaintext. A length that is no whole number of sealstone_sealed_chunk_len() is that of the file's end, and a file
 * without such an end was cut off. After an error the memory is zero. Errors: truncated, not_authentic, too_long.
 */
sealstone_error *sealstone_opener_open(const sealstone_opener *opener, uint64_t first, uint8_t *places,
    size_t places_len);

/**
 * Begins a file that is encrypted as it is written, and appears under its name at its end. Another file of the name is
 * an error, unless `replace`. The job shows how far it is, and ends it. Errors: cost_too_high, mixed_recipients,
 * invalid_recipients, not_in_profile, unavailable_backend, no_randomness, output_exists, not_regular_file, cancelled,
 * io.
 */
sealstone_error *sealstone_writer_new(const sealstone_encryptor *encryptor, const char *output, bool replace,
    const sealstone_job *job, sealstone_writer **out);

/** Takes the next part of the plaintext. Errors: too_long, cancelled, io. */
sealstone_error *sealstone_writer_write(const sealstone_writer *writer, const uint8_t *plaintext, size_t plaintext_len);

/**
 * Gives the file its name. Without this, and after an error, there is no file. Errors: too_long, output_exists,
 * cancelled, io.
 */
sealstone_error *sealstone_writer_commit(const sealstone_writer *writer, sealstone_processed *out);

/* ---- Jobs, randomness and the backend ---- */

/**
 * Fails where the environment asks for a backend that is not there, whatever would compute: who asks trusts that one
 * alone. Errors: unavailable_backend.
 */
sealstone_error *sealstone_check_backend(void);

/** Fills memory with randomness of the system's. After an error the memory is zero. Errors: no_randomness. */
sealstone_error *sealstone_random_fill(uint8_t *out, size_t out_len);

/** Begins a job. */
sealstone_error *sealstone_job_new(sealstone_job **out);

/** Ends a job soon. */
sealstone_error *sealstone_job_cancel(const sealstone_job *job);

/* ---- Hashes, MACs, keys from secrets and passwords ---- */

/** Gives the length of a hash's digests. */
sealstone_error *sealstone_hash_len(const char *algorithm, size_t *out);

/**
 * Hashes data into memory, which may be the data's own. Its length: sealstone_hash_len(), or another one that the
 * algorithm has. After an error the memory is unchanged or zero. Errors: wrong_length, too_long.
 */
sealstone_error *sealstone_hash_into(const char *algorithm, const uint8_t *data, size_t data_len, uint8_t *digest,
    size_t digest_len);

/**
 * Hashes items that lie one behind the other; their digests lie so in memory. Its length: sealstone_hash_len() for each
 * item.
 */
sealstone_error *sealstone_hash_batch(const char *algorithm, const uint8_t *data, size_t data_len,
    const uint32_t *lengths, size_t lengths_count, uint8_t *digests, size_t digests_len);

/** Begins a digest. */
sealstone_error *sealstone_hasher_new(const char *algorithm, sealstone_hasher **out);

/** Makes another one that has taken the same. */
sealstone_error *sealstone_hasher_clone(const sealstone_hasher *hasher, sealstone_hasher **out);

/** Takes more data. */
sealstone_error *sealstone_hasher_update(const sealstone_hasher *hasher, const uint8_t *data, size_t data_len);

/** Gives the digest of the data so far. Errors: wrong_length, too_long. */
sealstone_error *sealstone_hasher_digest(const sealstone_hasher *hasher, size_t length, sealstone_bytes **out);

/** Hashes a file. Errors: wrong_length, too_long, not_regular_file, input_changed, cancelled, io. */
sealstone_error *sealstone_hash_file(const char *algorithm, const char *file, bool special, size_t length,
    const sealstone_job *job, sealstone_bytes **out);

/** HKDF, RFC 5869. Errors: unknown_algorithm, wrong_length, too_long. */
sealstone_error *sealstone_hkdf(const char *hash, const uint8_t *secret, size_t secret_len, const uint8_t *salt,
    size_t salt_len, const uint8_t *info, size_t info_len, uint32_t length, sealstone_bytes **out);

/** The first step of HKDF. Errors: unknown_algorithm. */
sealstone_error *sealstone_hkdf_extract(const char *hash, const uint8_t *salt, size_t salt_len, const uint8_t *secret,
    size_t secret_len, sealstone_bytes **out);

/** The second step of HKDF. Errors: unknown_algorithm, wrong_length, too_long. */
sealstone_error *sealstone_hkdf_expand(const char *hash, const uint8_t *key, size_t key_len, const uint8_t *info,
    size_t info_len, uint32_t length, sealstone_bytes **out);

/** The one-step KDF of SP 800-56C. Errors: unknown_algorithm, wrong_length, too_long. */
sealstone_error *sealstone_concat_kdf(const char *hash, const uint8_t *secret, size_t secret_len, const uint8_t *info,
    size_t info_len, uint32_t length, sealstone_bytes **out);

/** The key derivation of BLAKE3. Errors: wrong_length, too_long. */
sealstone_error *sealstone_blake3_derive_key(const char *context, const uint8_t *secret, size_t secret_len,
    uint32_t length, sealstone_bytes **out);

/**
 * Derives it on another thread. Errors: cost_too_high, unknown_algorithm, invalid_cost, wrong_length,
 * unavailable_backend, too_long, cancelled.
 */
sealstone_error *sealstone_derive(const sealstone_cost *cost, const sealstone_derived_of *of, bool is_bounded,
    uint32_t length, const sealstone_job *job, sealstone_bytes **out);

/** Makes a cache of derived keys. The clock is the caller's, in whole milliseconds. Errors: no_randomness. */
sealstone_error *sealstone_key_cache_new(uint32_t entries, uint64_t lifetime_ms, sealstone_key_cache **out);

/**
 * Gives a key that is there; else no bytes. Errors: cost_too_high, unknown_algorithm, invalid_cost, wrong_length,
 * too_long.
 */
sealstone_error *sealstone_key_cache_find(const sealstone_key_cache *cache, uint64_t now_ms,
    const sealstone_cost *cost, const sealstone_derived_of *of, bool is_bounded, uint32_t length,
    sealstone_bytes **out);

/** Keeps a key. Errors: unknown_algorithm. */
sealstone_error *sealstone_key_cache_keep(const sealstone_key_cache *cache, uint64_t now_ms,
    const sealstone_cost *cost, const sealstone_derived_of *of, const uint8_t *key, size_t key_len);

/** Forgets all keys. */
sealstone_error *sealstone_key_cache_clear(const sealstone_key_cache *cache);

/** Makes a key; a length of 0 is that of the algorithm's tags. Errors: unknown_algorithm, wrong_length. */
sealstone_error *sealstone_mac_new(const char *algorithm, const uint8_t *key, size_t key_len,
    const uint8_t *customization, size_t customization_len, uint32_t tag_len, sealstone_mac **out);

/** Gives the length of a key's tags. */
sealstone_error *sealstone_mac_tag_len(const sealstone_mac *key, size_t *out);

/** Writes the tag of data into memory, which may be the data's own. Its length: sealstone_mac_tag_len(). */
sealstone_error *sealstone_mac_into(const sealstone_mac *key, const uint8_t *data, size_t data_len, uint8_t *tag,
    size_t tag_len);

/**
 * Fails unless this is the tag of data, or where it `is_truncated` the tag's beginning. Errors: not_authentic,
 * wrong_length.
 */
sealstone_error *sealstone_mac_verify(const sealstone_mac *key, const uint8_t *data, size_t data_len,
    const uint8_t *tag, size_t tag_len, bool is_truncated);

/** Begins a tag. */
sealstone_error *sealstone_mac_signer_new(const sealstone_mac *key, sealstone_mac_signer **out);

/** Takes more data. */
sealstone_error *sealstone_mac_signer_update(const sealstone_mac_signer *signer, const uint8_t *data, size_t data_len);

/** Gives the tag of the data so far. */
sealstone_error *sealstone_mac_signer_tag(const sealstone_mac_signer *signer, sealstone_bytes **out);

/**
 * Fails unless this is the tag of the data so far, or where it `is_truncated` the tag's beginning. Errors:
 * not_authentic, wrong_length.
 */
sealstone_error *sealstone_mac_signer_verify(const sealstone_mac_signer *signer, const uint8_t *tag, size_t tag_len,
    bool is_truncated);

/** Gives the tag of a file. Errors: not_regular_file, input_changed, cancelled, io. */
sealstone_error *sealstone_mac_file(const sealstone_mac *key, const char *file, bool special, const sealstone_job *job,
    sealstone_bytes **out);

/** Whether a stored text has another cost. Errors: cost_too_high, unknown_algorithm, invalid_cost, invalid_encoding. */
sealstone_error *sealstone_password_needs_rehash(const char *stored, const sealstone_cost *cost, bool *out);

/**
 * Gives the number of a cost that is raised for a target, of Argon2 the passes, by the time that a hash took: both in
 * microseconds. Errors: cost_too_high, unknown_algorithm, invalid_cost.
 */
sealstone_error *sealstone_password_cost_raised(const sealstone_cost *cost, uint64_t target, uint64_t took,
    uint32_t *out);

/**
 * Hashes a password on another thread. Errors: cost_too_high, invalid_passphrase, unknown_algorithm, invalid_cost,
 * unavailable_backend, too_long, no_randomness, cancelled.
 */
sealstone_error *sealstone_password_hash(const uint8_t *password, size_t password_len, const sealstone_cost *cost,
    const sealstone_job *job, sealstone_bytes **out);

/**
 * Checks a password on another thread. Errors: cost_too_high, not_authentic, invalid_passphrase, unknown_algorithm,
 * invalid_cost, wrong_length, invalid_encoding, unavailable_backend, too_long, cancelled.
 */
sealstone_error *sealstone_password_verify(const uint8_t *password, size_t password_len, const char *stored,
    bool is_bounded, const sealstone_job *job);

/* ---- AEADs, ciphers that authenticate nothing, key wrap ---- */

/** Makes a key for an AEAD. Errors: unknown_algorithm, wrong_length, unavailable_backend. */
sealstone_error *sealstone_aead_new(const char *algorithm, const uint8_t *key, size_t key_len, sealstone_aead **out);

/** Gives the length of the keys of an AEAD. Errors: unknown_algorithm. */
sealstone_error *sealstone_aead_key_len(const char *algorithm, size_t *out);

/** Gives the length of the nonces of an AEAD. Errors: unknown_algorithm. */
sealstone_error *sealstone_aead_nonce_len(const char *algorithm, size_t *out);

/** Gives the length of a tag. */
size_t sealstone_aead_tag_len(void);

/**
 * Seals a plaintext into memory. Its length: the plaintext's plus sealstone_aead_tag_len(). Without a nonce one is
 * drawn, which stands before the ciphertext, and the memory is longer by sealstone_aead_nonce_len(). After an error the
 * memory is zero, unless the input lay there. Errors: wrong_length, too_long, no_randomness.
 */
sealstone_error *sealstone_aead_seal(const sealstone_aead *key, const uint8_t *nonce, size_t nonce_len,
    const uint8_t *aad, size_t aad_len, const uint8_t *plaintext, size_t plaintext_len, uint8_t *sealed,
    size_t sealed_len);

/**
 * Opens a ciphertext into memory. Its length: the ciphertext's less sealstone_aead_tag_len(), or with room for the tag
 * as well. Without a nonce it is read from before the ciphertext, and the memory is shorter by
 * sealstone_aead_nonce_len(). After an error the memory is zero, unless the input lay there; after `not_authentic` it
 * is zero in any case. Errors: not_authentic, wrong_length.
 */
sealstone_error *sealstone_aead_open(const sealstone_aead *key, const uint8_t *nonce, size_t nonce_len,
    const uint8_t *aad, size_t aad_len, const uint8_t *sealed, size_t sealed_len, uint8_t *plaintext,
    size_t plaintext_len);

/**
 * Seals items that lie one behind the other; nonce, ciphertext and tag of each lie so in memory. Its length: the
 * items', plus sealstone_aead_nonce_len() and sealstone_aead_tag_len() for each. After an error the memory is zero.
 * Errors: too_long, no_randomness.
 */
sealstone_error *sealstone_aead_seal_batch(const sealstone_aead *key, const uint8_t *aad, size_t aad_len,
    const uint8_t *data, size_t data_len, const uint32_t *lengths, size_t lengths_count, uint8_t *out, size_t out_len);

/**
 * Opens such items into memory. Its length: the items', less sealstone_aead_nonce_len() and sealstone_aead_tag_len()
 * for each. Returns of each 1, or 0 of one that is not authentic, whose place is zero.
 */
sealstone_error *sealstone_aead_open_batch(const sealstone_aead *key, const uint8_t *aad, size_t aad_len,
    const uint8_t *data, size_t data_len, const uint32_t *lengths, size_t lengths_count, uint8_t *out, size_t out_len,
    sealstone_bytes **result);

/** Writes Base64 with padding, of bytes that are no key, into memory for which the digits are just as long. */
sealstone_error *sealstone_base64_encode_into(const uint8_t *bytes, size_t bytes_len, uint8_t *digits,
    size_t digits_len);

/**
 * Reads Base64 into memory that has room for its bytes; returns how many there are. After an error the memory is zero.
 * Errors: invalid_encoding.
 */
sealstone_error *sealstone_base64_decode_into(const uint8_t *digits, size_t digits_len, uint8_t *bytes,
    size_t bytes_len, size_t *out);

/** Makes a key for a mode. Errors: unknown_algorithm, wrong_length, invalid_key, unavailable_backend. */
sealstone_error *sealstone_cipher_new(const char *algorithm, const uint8_t *key, size_t key_len,
    sealstone_cipher **out);

/** Gives the length of the keys of a mode. Errors: unknown_algorithm. */
sealstone_error *sealstone_cipher_key_len(const char *algorithm, size_t *out);

/** Whether a plaintext is padded unless that is declined. */
sealstone_error *sealstone_cipher_pads(const sealstone_cipher *cipher, bool *out);

/**
 * Encrypts into memory. Its length: the plaintext's, or where it is padded (sealstone_cipher_pads()) the next multiple
 * of 16 bytes. After an error the memory is zero, unless the input lay there. Errors: wrong_length, partial_block.
 */
sealstone_error *sealstone_cipher_encrypt(const sealstone_cipher *cipher, const uint8_t *iv, size_t iv_len,
    const uint8_t *plaintext, size_t plaintext_len, uint8_t *ciphertext, size_t ciphertext_len, sealstone_choice pads);

/**
 * Decrypts into memory. Its length: the ciphertext's. Returns the plaintext's. After an error the memory is zero,
 * unless the input lay there; after `invalid_padding` it is zero in any case. Errors: wrong_length, partial_block,
 * invalid_padding.
 */
sealstone_error *sealstone_cipher_decrypt(const sealstone_cipher *cipher, const uint8_t *iv, size_t iv_len,
    const uint8_t *ciphertext, size_t ciphertext_len, uint8_t *plaintext, size_t plaintext_len, sealstone_choice pads,
    size_t *out);

/**
 * Makes a key for an old cipher, which decrypts, and encrypts only where the caller says so. Errors: unknown_algorithm,
 * wrong_length, legacy_encryption.
 */
sealstone_error *sealstone_legacy_new(const char *algorithm, const uint8_t *key, size_t key_len, bool encrypts,
    sealstone_legacy **out);

/** Encrypts. Errors: wrong_length, partial_block, legacy_encryption. */
sealstone_error *sealstone_legacy_encrypt(const sealstone_legacy *legacy, const uint8_t *iv, size_t iv_len,
    const uint8_t *plaintext, size_t plaintext_len, sealstone_choice pads, sealstone_bytes **out);

/** Decrypts. Errors: wrong_length, partial_block, invalid_padding. */
sealstone_error *sealstone_legacy_decrypt(const sealstone_legacy *legacy, const uint8_t *iv, size_t iv_len,
    const uint8_t *ciphertext, size_t ciphertext_len, sealstone_choice pads, sealstone_bytes **out);

/** Makes a key that wraps others. Errors: unknown_algorithm, wrong_length. */
sealstone_error *sealstone_key_wrap_new(const char *algorithm, const uint8_t *key, size_t key_len,
    sealstone_key_wrap **out);

/** Wraps a key. Errors: wrong_length, too_long. */
sealstone_error *sealstone_key_wrap_wrap(const sealstone_key_wrap *key, const uint8_t *secret, size_t secret_len,
    sealstone_bytes **out);

/** Unwraps a key. Errors: not_authentic. */
sealstone_error *sealstone_key_wrap_unwrap(const sealstone_key_wrap *key, const uint8_t *wrapped, size_t wrapped_len,
    sealstone_bytes **out);

/** Makes a key for AES-CCM. Errors: unknown_algorithm, wrong_length. */
sealstone_error *sealstone_ccm_new(const char *algorithm, const uint8_t *key, size_t key_len, size_t tag_len,
    sealstone_ccm **out);

/** Seals. Errors: wrong_length, too_long. */
sealstone_error *sealstone_ccm_seal(const sealstone_ccm *key, const uint8_t *nonce, size_t nonce_len,
    const uint8_t *aad, size_t aad_len, const uint8_t *plaintext, size_t plaintext_len, sealstone_bytes **out);

/** Opens. Errors: not_authentic, wrong_length. */
sealstone_error *sealstone_ccm_open(const sealstone_ccm *key, const uint8_t *nonce, size_t nonce_len,
    const uint8_t *aad, size_t aad_len, const uint8_t *sealed, size_t sealed_len, sealstone_bytes **out);

/** Makes a tag of Poly1305, whose key is for one message. Errors: wrong_length, unavailable_backend. */
sealstone_error *sealstone_poly1305(const uint8_t *key, size_t key_len, const uint8_t *data, size_t data_len,
    sealstone_bytes **out);

/* ---- Signatures and signature files ---- */

/**
 * Makes a new key of a kind, by default of the usual one. Keys of RSA take longer, and have a call of their own.
 * Errors: unknown_algorithm, unavailable_backend, no_randomness.
 */
sealstone_error *sealstone_sign_generate(const char *kind, sealstone_sign_private **out);

/** Makes a new key of RSA on another thread. Errors: invalid_option, unavailable_backend, no_randomness, cancelled. */
sealstone_error *sealstone_sign_generate_rsa(uint32_t bits, const sealstone_job *job, sealstone_sign_private **out);

/**
 * Reads a private key in a form that says its kind. Errors: cost_too_high, no_matching_identity, unsupported_key,
 * passphrase_required, invalid_passphrase, invalid_key, unavailable_backend.
 */
sealstone_error *sealstone_sign_private_parse(const uint8_t *file, size_t file_len, const uint8_t *passphrase,
    size_t passphrase_len, sealstone_sign_private **out);

/** Reads a public key in a form that says its kind. Errors: unsupported_key, invalid_key. */
sealstone_error *sealstone_sign_public_parse(const uint8_t *file, size_t file_len, sealstone_sign_public **out);

/**
 * Makes a private key of its bytes, which do not say their kind. Errors: unknown_algorithm, wrong_length, invalid_key,
 * unavailable_backend.
 */
sealstone_error *sealstone_sign_private_of(const char *kind, const uint8_t *bytes, size_t bytes_len,
    sealstone_sign_private **out);

/** Makes a public key of its bytes. Errors: unknown_algorithm, wrong_length, invalid_key. */
sealstone_error *sealstone_sign_public_of(const char *kind, const uint8_t *bytes, size_t bytes_len,
    sealstone_sign_public **out);

/** Names the kind of a private key. */
sealstone_error *sealstone_sign_private_kind(const sealstone_sign_private *key, const char **out);

/** Names the kind of a public key. */
sealstone_error *sealstone_sign_public_kind(const sealstone_sign_public *key, const char **out);

/** Gives the public key of a private one. */
sealstone_error *sealstone_sign_public_key(const sealstone_sign_private *key, sealstone_sign_public **out);

/**
 * Writes a private key in a form, encrypted where there is a passphrase. Errors: unsupported_key, invalid_passphrase,
 * unknown_algorithm, no_randomness.
 */
sealstone_error *sealstone_sign_private_export(const sealstone_sign_private *key, const char *form,
    const uint8_t *passphrase, size_t passphrase_len, sealstone_bytes **out);

/**
 * Writes a public key in a form; only `ssh` has a comment. Errors: unsupported_key, unknown_algorithm, invalid_option.
 */
sealstone_error *sealstone_sign_public_export(const sealstone_sign_public *key, const char *form, const char *comment,
    sealstone_bytes **out);

/** Gives the fingerprint of a public key. */
sealstone_error *sealstone_sign_fingerprint(const sealstone_sign_public *public_key, sealstone_bytes **out);

/** Gives the fingerprint that SSH shows. Errors: unsupported_key. */
sealstone_error *sealstone_sign_ssh_fingerprint(const sealstone_sign_public *public_key, sealstone_bytes **out);

/** Gives the length of the longest signature of a private key. */
sealstone_error *sealstone_sign_max_len(const sealstone_sign_private *key, size_t *out);

/**
 * Signs data into memory. Its length: sealstone_sign_max_len(). Returns the signature's. After an error the memory is
 * unchanged or zero. Errors: invalid_option, invalid_key, invalid_user_id, unavailable_backend, no_randomness.
 */
sealstone_error *sealstone_sign_into(const sealstone_sign_private *key, const uint8_t *data, size_t data_len,
    uint8_t *signature, size_t signature_len, size_t *written, const sealstone_sign_options *options);

/**
 * Fails unless this is a signature of data. Errors: invalid_option, invalid_signature, invalid_user_id,
 * unavailable_backend.
 */
sealstone_error *sealstone_sign_verify(const sealstone_sign_public *public_key, const uint8_t *data, size_t data_len,
    const uint8_t *signature, size_t signature_len, const sealstone_sign_options *options);

/** Makes what signs with a key. Errors: unsupported_key, unknown_algorithm, invalid_namespace, invalid_comment. */
sealstone_error *sealstone_signature_writer_new(const sealstone_sign_private *key, const char *namespace_,
    const char *comment, const char *profile, sealstone_signature_writer **out);

/** Begins to say which signers a reader is to trust: none yet. Errors: invalid_namespace. */
sealstone_error *sealstone_signature_trusting_new(const char *namespace_, const char *profile,
    sealstone_signature_trusting **out);

/** Trusts a key. Errors: unsupported_key. */
sealstone_error *sealstone_signature_trust_key(const sealstone_signature_trusting *trusting,
    const sealstone_sign_public *public_key);

/** Trusts the keys of a file. Errors: unsupported_key, invalid_signer. */
sealstone_error *sealstone_signature_trust_file(const sealstone_signature_trusting *trusting, const uint8_t *file,
    size_t file_len);

/** Trusts the signers of a file of allowed signers, at a second since 1970. Errors: invalid_signer. */
sealstone_error *sealstone_signature_trust_allowed(const sealstone_signature_trusting *trusting, const uint8_t *file,
    size_t file_len, const char *principal, uint64_t at);

/** Makes what verifies by these signers. Errors: unknown_algorithm. */
sealstone_error *sealstone_signature_reader_new(const sealstone_signature_trusting *trusting,
    sealstone_signature_reader **out);

/** Begins to sign content in parts. Errors: not_in_profile. */
sealstone_error *sealstone_signature_signing_new(const sealstone_signature_writer *writer,
    sealstone_signature_signing **out);

/** Takes more content. */
sealstone_error *sealstone_signature_signing_update(const sealstone_signature_signing *signing, const uint8_t *content,
    size_t content_len);

/** Gives the signature, once. Errors: no_randomness. */
sealstone_error *sealstone_signature_signing_finish(const sealstone_signature_signing *signing, sealstone_bytes **out);

/**
 * Begins to verify content in parts by its signature. Errors: not_in_profile, not_a_signature, malformed_signature,
 * unsupported_signature, wrong_namespace, unknown_signer, invalid_signer.
 */
sealstone_error *sealstone_signature_verifying_new(const sealstone_signature_reader *reader, const uint8_t *signature,
    size_t signature_len, sealstone_signature_verifying **out);

/** Begins to verify content that has its signature behind it. Errors: not_in_profile, invalid_signer. */
sealstone_error *sealstone_signature_attached(const sealstone_signature_reader *reader,
    sealstone_signature_verifying **out);

/**
 * Reads that signature, of the last bytes of the whole, as many as a signature has at the most; returns where in them
 * it begins. All that is before it is content, which may come before this or after it. Errors: not_a_signature,
 * malformed_signature, unsupported_signature, wrong_namespace, unknown_signer.
 */
sealstone_error *sealstone_signature_attached_at(const sealstone_signature_verifying *verifying, const uint8_t *tail,
    size_t tail_len, size_t *out);

/** Gives the length of the longest signature. */
size_t sealstone_signature_max_len(void);

/** Takes more content. */
sealstone_error *sealstone_signature_verifying_update(const sealstone_signature_verifying *verifying,
    const uint8_t *content, size_t content_len);

/**
 * Fails unless the content is authentic; says who signed it. Errors: invalid_signature, not_a_signature,
 * unavailable_backend.
 */
sealstone_error *sealstone_signature_verifying_finish(const sealstone_signature_verifying *verifying,
    sealstone_verification **out);

/**
 * Signs a file; returns the signature. Errors: not_in_profile, no_randomness, not_regular_file, input_changed,
 * cancelled, io.
 */
sealstone_error *sealstone_signature_sign_file(const sealstone_signature_writer *writer, const char *file,
    bool special, const sealstone_job *job, sealstone_bytes **out);

/**
 * Signs a file into a new one that has the content, and behind it the signature. Errors: not_in_profile, no_randomness,
 * same_file, output_exists, not_regular_file, input_changed, cancelled, io.
 */
sealstone_error *sealstone_signature_attach_file(const sealstone_signature_writer *writer, const char *input,
    const char *output, bool replace, bool special, const sealstone_job *job, sealstone_signed *out);

/**
 * Verifies a file by its signature. Errors: not_in_profile, invalid_signature, not_a_signature, malformed_signature,
 * unsupported_signature, wrong_namespace, unknown_signer, invalid_signer, unavailable_backend, not_regular_file,
 * input_changed, cancelled, io.
 */
sealstone_error *sealstone_signature_verify_file(const sealstone_signature_reader *reader, const char *file,
    const uint8_t *signature, size_t signature_len, bool special, const sealstone_job *job,
    sealstone_verification **out);

/**
 * Verifies a file that has its signature behind its content, and writes the content into a new file, if there is an
 * output. Errors: not_in_profile, invalid_signature, not_a_signature, malformed_signature, unsupported_signature,
 * wrong_namespace, unknown_signer, invalid_signer, unavailable_backend, too_long, same_file, output_exists,
 * not_regular_file, input_changed, cancelled, io.
 */
sealstone_error *sealstone_signature_detach_file(const sealstone_signature_reader *reader, const char *input,
    const char *output, bool replace, bool special, const sealstone_job *job, sealstone_verification **out);

/* ---- Key exchange and encapsulation ---- */

/**
 * Makes a new key of a kind, by default of the kind that resists quantum computers. Errors: unknown_algorithm,
 * no_randomness.
 */
sealstone_error *sealstone_exchange_generate(const char *kind, sealstone_exchange_private **out);

/**
 * Reads a private key in a form that says its kind. Errors: cost_too_high, no_matching_identity, unsupported_key,
 * passphrase_required, invalid_passphrase, invalid_key.
 */
sealstone_error *sealstone_exchange_private_parse(const uint8_t *file, size_t file_len, const uint8_t *passphrase,
    size_t passphrase_len, sealstone_exchange_private **out);

/** Reads a public key in a form that says its kind. Errors: unsupported_key, invalid_key. */
sealstone_error *sealstone_exchange_public_parse(const uint8_t *file, size_t file_len, sealstone_exchange_public **out);

/**
 * Makes a private key of its bytes, which do not say their kind. Errors: unknown_algorithm, wrong_length, invalid_key.
 */
sealstone_error *sealstone_exchange_private_of(const char *kind, const uint8_t *bytes, size_t bytes_len,
    sealstone_exchange_private **out);

/** Makes a public key of its bytes. Errors: unknown_algorithm, wrong_length, invalid_key. */
sealstone_error *sealstone_exchange_public_of(const char *kind, const uint8_t *bytes, size_t bytes_len,
    sealstone_exchange_public **out);

/** Names the kind of a private key. */
sealstone_error *sealstone_exchange_private_kind(const sealstone_exchange_private *key, const char **out);

/** Names the kind of a public key. */
sealstone_error *sealstone_exchange_public_kind(const sealstone_exchange_public *key, const char **out);

/** Gives the public key of a private one. */
sealstone_error *sealstone_exchange_public_key(const sealstone_exchange_private *key, sealstone_exchange_public **out);

/**
 * Writes a private key in a form, encrypted where there is a passphrase. Errors: unsupported_key, invalid_passphrase,
 * unknown_algorithm, no_randomness.
 */
sealstone_error *sealstone_exchange_private_export(const sealstone_exchange_private *key, const char *form,
    const uint8_t *passphrase, size_t passphrase_len, sealstone_bytes **out);

/** Writes a public key in a form. Errors: unsupported_key, unknown_algorithm. */
sealstone_error *sealstone_exchange_public_export(const sealstone_exchange_public *key, const char *form,
    sealstone_bytes **out);

/**
 * Derives a key of so many bytes from the secret that two sides share. Errors: unknown_algorithm, invalid_option,
 * wrong_length, invalid_key, too_long.
 */
sealstone_error *sealstone_exchange_agree(const sealstone_exchange_private *key,
    const sealstone_exchange_public *public_key, const sealstone_agreed_by *by, uint32_t length,
    sealstone_bytes **out);

/** Gives the secret that two sides share, for protocols that derive keys from it. Errors: invalid_key. */
sealstone_error *sealstone_exchange_shared_secret(const sealstone_exchange_private *key,
    const sealstone_exchange_public *public_key, sealstone_bytes **out);

/** Gives the length of a secret. */
size_t sealstone_exchange_secret_len(void);

/** Makes a secret; returns it, and behind it the ciphertext. Errors: invalid_key, no_randomness. */
sealstone_error *sealstone_exchange_encapsulate(const sealstone_exchange_public *public_key, sealstone_bytes **out);

/**
 * Writes the secret of a ciphertext into memory. Its length: sealstone_exchange_secret_len(). After an error the memory
 * is unchanged or zero. Errors: wrong_length, invalid_key, malformed_ciphertext.
 */
sealstone_error *sealstone_exchange_decapsulate(const sealstone_exchange_private *key, const uint8_t *ciphertext,
    size_t ciphertext_len, uint8_t *secret, size_t secret_len);

/* ---- RSA encryption ---- */

/** Makes a new key on another thread. Errors: invalid_option, unavailable_backend, no_randomness, cancelled. */
sealstone_error *sealstone_rsa_generate(uint32_t bits, const sealstone_job *job, sealstone_rsa_private **out);

/**
 * Reads a private key. Errors: cost_too_high, no_matching_identity, unsupported_key, passphrase_required,
 * invalid_passphrase, invalid_key.
 */
sealstone_error *sealstone_rsa_private_parse(const uint8_t *file, size_t file_len, const uint8_t *passphrase,
    size_t passphrase_len, sealstone_rsa_private **out);

/** Reads a public key. Errors: unsupported_key, invalid_key. */
sealstone_error *sealstone_rsa_public_parse(const uint8_t *file, size_t file_len, sealstone_rsa_public **out);

/** Gives the public key of a private one. */
sealstone_error *sealstone_rsa_public_key(const sealstone_rsa_private *key, sealstone_rsa_public **out);

/** Gives the bits of a private key's modulus. */
sealstone_error *sealstone_rsa_private_bits(const sealstone_rsa_private *key, size_t *out);

/** Gives the bits of a public key's modulus. */
sealstone_error *sealstone_rsa_public_bits(const sealstone_rsa_public *key, size_t *out);

/**
 * Writes a private key in a form, encrypted where there is a passphrase. Errors: unsupported_key, invalid_passphrase,
 * unknown_algorithm, no_randomness.
 */
sealstone_error *sealstone_rsa_private_export(const sealstone_rsa_private *key, const char *form,
    const uint8_t *passphrase, size_t passphrase_len, sealstone_bytes **out);

/** Writes a public key in a form. Errors: unknown_algorithm. */
sealstone_error *sealstone_rsa_public_export(const sealstone_rsa_public *key, const char *form, sealstone_bytes **out);

/** Encrypts with OAEP. Errors: unknown_algorithm, unavailable_backend, too_long, no_randomness. */
sealstone_error *sealstone_rsa_encrypt(const sealstone_rsa_public *key, const uint8_t *plaintext, size_t plaintext_len,
    const sealstone_oaep_options *oaep, sealstone_bytes **out);

/** Decrypts with OAEP. Errors: not_authentic, unknown_algorithm, wrong_length, unavailable_backend. */
sealstone_error *sealstone_rsa_decrypt(const sealstone_rsa_private *key, const uint8_t *ciphertext,
    size_t ciphertext_len, const sealstone_oaep_options *oaep, sealstone_bytes **out);

/** Encrypts with the padding of PKCS#1 v1.5. Errors: unavailable_backend, too_long, no_randomness. */
sealstone_error *sealstone_rsa_encrypt_pkcs1(const sealstone_rsa_public *key, const uint8_t *plaintext,
    size_t plaintext_len, sealstone_bytes **out);

/**
 * Decrypts the padding of PKCS#1 v1.5; no result tells whether that was right. Errors: wrong_length,
 * malformed_ciphertext, unavailable_backend.
 */
sealstone_error *sealstone_rsa_decrypt_pkcs1(const sealstone_rsa_private *key, const uint8_t *ciphertext,
    size_t ciphertext_len, sealstone_bytes **out);

/* ---- Files of age ---- */

/**
 * Makes a new identity of a kind, as text. Errors: invalid_identity, invalid_passphrase, unknown_algorithm,
 * unavailable_backend, no_randomness.
 */
sealstone_error *sealstone_age_identity_generate(const char *kind, sealstone_bytes **out);

/**
 * Reads an identity. WebAssembly has none of SSH: a module that reads them would be half as large again. Errors:
 * cost_too_high, no_matching_identity, invalid_identity, unsupported_key, passphrase_required, invalid_passphrase,
 * unavailable_backend.
 */
sealstone_error *sealstone_age_identity_new(const uint8_t *text, size_t text_len, const uint8_t *passphrase,
    size_t passphrase_len, sealstone_age_identity **out);

/** Makes the identity of a passphrase. Errors: invalid_passphrase. */
sealstone_error *sealstone_age_identity_of_passphrase(const uint8_t *text, size_t text_len,
    sealstone_age_identity **out);

/** Gives the recipient of an identity, as text. Errors: invalid_option. */
sealstone_error *sealstone_age_identity_recipient(const sealstone_age_identity *identity, sealstone_bytes **out);

/** Reads a recipient. Errors: invalid_recipient, unsupported_key. */
sealstone_error *sealstone_age_recipient_new(const char *text, sealstone_age_recipient **out);

/** Makes the recipient of a passphrase, which costs 2^`log_n`. Errors: invalid_passphrase, invalid_option. */
sealstone_error *sealstone_age_recipient_of_passphrase(const uint8_t *text, size_t text_len, uint32_t log_n,
    sealstone_age_recipient **out);

/** Writes the recipient of a point of X25519. Errors: invalid_recipient. */
sealstone_error *sealstone_age_recipient_of_point(const uint8_t *point, size_t point_len, sealstone_bytes **out);

/** Makes what encrypts files to recipients. Errors: mixed_recipients, invalid_recipients. */
sealstone_error *sealstone_age_encryptor_new(const sealstone_age_recipient *const *recipients, size_t recipients_count,
    uint32_t threads, sealstone_age_encryptor **out);

/** Makes what decrypts files with identities. */
sealstone_error *sealstone_age_decryptor_new(const sealstone_age_identity *const *identities, size_t identities_count,
    uint32_t threads, sealstone_age_decryptor **out);

/**
 * Says how many bytes of a file are before its first chunk, by its beginning; 0 where more of that is needed to say.
 * Errors: malformed_header.
 */
sealstone_error *sealstone_age_head_len(const uint8_t *start, size_t start_len, size_t *out);

/** Gives the length of the chunks of a plaintext. Errors: too_long. */
sealstone_error *sealstone_age_sealed_len(uint64_t plaintext_len, uint64_t *out);

/** Gives the length of the plaintext of chunks. Errors: truncated. */
sealstone_error *sealstone_age_opened_len(uint64_t chunks_len, uint64_t *out);

/** Says how many bytes of plaintext every chunk but the last has. */
size_t sealstone_age_chunk_len(void);

/** Gives the stanzas of a head. Errors: malformed_header, malformed_armour, truncated. */
sealstone_error *sealstone_age_stanzas(const uint8_t *head, size_t head_len, sealstone_bytes **out);

/**
 * Wraps a file key for a recipient; returns the stanzas. Errors: cost_too_high, invalid_recipient, wrong_length,
 * unavailable_backend, no_randomness.
 */
sealstone_error *sealstone_age_wrap(const sealstone_age_recipient *recipient, const uint8_t *file_key,
    size_t file_key_len, sealstone_bytes **out);

/** Gives the point in a stanza of X25519. Errors: malformed_header. */
sealstone_error *sealstone_age_x25519_share(const uint8_t *stanza, size_t stanza_len, sealstone_bytes **out);

/**
 * Gives the file key of such a stanza, by the secret that its share and a key of the caller have in common; no bytes
 * where it is another key's. Errors: malformed_header, unavailable_backend.
 */
sealstone_error *sealstone_age_x25519_file_key(const uint8_t *stanza, size_t stanza_len, const uint8_t *public_key,
    size_t public_key_len, const uint8_t *secret, size_t secret_len, sealstone_bytes **out);

/**
 * Gives the key of a file on another thread. Where there are no threads, the job ends the derivation of a passphrase's
 * key. Errors: malformed_header, truncated, cost_too_high, no_matching_identity, header_not_authentic,
 * unavailable_backend, cancelled.
 */
sealstone_error *sealstone_age_file_key(const sealstone_age_decryptor *decryptor, const uint8_t *header,
    size_t header_len, const sealstone_job *job, sealstone_bytes **out);

/**
 * Begins a file on another thread. Where there are no threads, the job ends the derivation of a passphrase's key.
 * Errors: cost_too_high, mixed_recipients, invalid_recipients, invalid_recipient, unavailable_backend, no_randomness,
 * cancelled.
 */
sealstone_error *sealstone_age_sealer_new(const sealstone_age_encryptor *encryptor, const sealstone_job *job,
    sealstone_age_sealer **out);

/**
 * Begins a file with stanzas that a caller has made. Errors: malformed_header, cost_too_high, mixed_recipients,
 * invalid_recipients, wrong_length, unavailable_backend, no_randomness.
 */
sealstone_error *sealstone_age_sealer_of_stanzas(const uint8_t *stanzas, size_t stanzas_len, const uint8_t *file_key,
    size_t file_key_len, sealstone_age_sealer **out);

/** Gives all of the file before its first chunk. */
sealstone_error *sealstone_age_sealer_head(const sealstone_age_sealer *sealer, sealstone_bytes **out);

/** Takes plaintext, as much as the next unit has room for; returns how much that is. */
sealstone_error *sealstone_age_sealer_fill(const sealstone_age_sealer *sealer, const uint8_t *plaintext,
    size_t plaintext_len, size_t *out);

/** Seals the chunks that are whole; where there are none there is no work. */
sealstone_error *sealstone_age_sealer_unit(const sealstone_age_sealer *sealer, sealstone_bytes **out);

/** Seals the end of the stream. */
sealstone_error *sealstone_age_sealer_finish(const sealstone_age_sealer *sealer, sealstone_bytes **out);

/**
 * Begins to open a file on another thread. Where there are no threads, the job ends the derivation of a passphrase's
 * key. Errors: malformed_header, truncated, cost_too_high, no_matching_identity, header_not_authentic,
 * unavailable_backend, cancelled.
 */
sealstone_error *sealstone_age_opener_new(const sealstone_age_decryptor *decryptor, const uint8_t *head,
    size_t head_len, const sealstone_job *job, sealstone_age_opener **out);

/**
 * Begins to open a file whose key a caller knows. Errors: malformed_header, truncated, cost_too_high,
 * header_not_authentic, wrong_length, unavailable_backend.
 */
sealstone_error *sealstone_age_opener_of_file_key(const uint8_t *head, size_t head_len, const uint8_t *file_key,
    size_t file_key_len, sealstone_age_opener **out);

/** Takes chunks, as much as the next unit has room for; returns how much that is. */
sealstone_error *sealstone_age_opener_fill(const sealstone_age_opener *opener, const uint8_t *chunks,
    size_t chunks_len, size_t *out);

/**
 * Opens the chunks that are whole; where there are none there is no work. An error comes with the bytes before the
 * fault in `*out`, to be freed too. Errors: not_authentic.
 */
sealstone_error *sealstone_age_opener_unit(const sealstone_age_opener *opener, sealstone_bytes **out);

/**
 * Opens the rest at the end; nothing where something else has ended the stream. An error comes with the bytes before
 * the fault in `*out`, to be freed too. Errors: truncated, not_authentic.
 */
sealstone_error *sealstone_age_opener_finish(const sealstone_age_opener *opener, bool is_end, sealstone_bytes **out);

/** Opens chunks from a number on; `is_end` says that the file ends with them. Errors: truncated, not_authentic. */
sealstone_error *sealstone_age_opener_at(const sealstone_age_opener *opener, uint64_t first, const uint8_t *chunks,
    size_t chunks_len, bool is_end, sealstone_bytes **out);

/** Writes a file as text. */
sealstone_error *sealstone_age_armour(const uint8_t *file, size_t file_len, sealstone_bytes **out);

/** Reads a file that is text. Errors: malformed_armour. */
sealstone_error *sealstone_age_dearmour(const uint8_t *text, size_t text_len, sealstone_bytes **out);

/** Whether a file that begins so is text. */
sealstone_error *sealstone_age_is_armoured(const uint8_t *start, size_t start_len, bool *out);

/**
 * Encrypts a file into a new one. The output appears when all of it is there. Errors: cost_too_high, mixed_recipients,
 * invalid_recipients, invalid_recipient, unavailable_backend, too_long, no_randomness, same_file, output_exists,
 * not_regular_file, input_changed, cancelled, io.
 */
sealstone_error *sealstone_age_encrypt_file(const sealstone_age_encryptor *encryptor, const char *input,
    const char *output, bool replace, bool special, const sealstone_job *job, sealstone_processed *out);

/**
 * Decrypts a file into a new one. The output appears when all of it is authentic. Errors: malformed_header,
 * malformed_armour, truncated, cost_too_high, no_matching_identity, header_not_authentic, not_authentic,
 * unavailable_backend, same_file, output_exists, not_regular_file, input_changed, cancelled, io.
 */
sealstone_error *sealstone_age_decrypt_file(const sealstone_age_decryptor *decryptor, const char *input,
    const char *output, bool replace, bool special, const sealstone_job *job, sealstone_processed *out);

/**
 * Decrypts the bytes of a file's plaintext from `start` to `end`. Errors: malformed_header, truncated, cost_too_high,
 * no_matching_identity, header_not_authentic, not_authentic, unavailable_backend, range_out_of_bounds, not_seekable,
 * not_regular_file, input_changed, cancelled, io.
 */
sealstone_error *sealstone_age_decrypt_range_file(const sealstone_age_decryptor *decryptor, const char *input,
    uint64_t start, uint64_t end, bool special, const sealstone_job *job, sealstone_bytes **out);

/* ---- Fields of results ---- */

/** The kind's name, or `unknown`. */
const char *sealstone_stanza_info_kind(const sealstone_stanza_info *stanza_info);
/** The number of the kind in the format. */
uint32_t sealstone_stanza_info_type_id(const sealstone_stanza_info *stanza_info);
/** Bytes of the stanza. */
uint64_t sealstone_stanza_info_body_len(const sealstone_stanza_info *stanza_info);
void sealstone_stanza_info_free(sealstone_stanza_info *stanza_info);

/** The error's code. */
const char *sealstone_left_out_code(const sealstone_left_out *left_out);
/** The error's text, which names the member. */
const char *sealstone_left_out_message(const sealstone_left_out *left_out);
void sealstone_left_out_free(sealstone_left_out *left_out);

/** Its place among the operations. */
uint32_t sealstone_item_failure_index(const sealstone_item_failure *item_failure);
/** The error's code. */
const char *sealstone_item_failure_code(const sealstone_item_failure *item_failure);
/** The error's text. */
const char *sealstone_item_failure_message(const sealstone_item_failure *item_failure);
void sealstone_item_failure_free(sealstone_item_failure *item_failure);

/** The version of the format. */
uint32_t sealstone_inspection_version(const sealstone_inspection *inspection);
/** The suite's name, such as `aes-256-gcm`. */
const char *sealstone_inspection_suite(const sealstone_inspection *inspection);
/** Whether a context is bound. */
bool sealstone_inspection_context_bound(const sealstone_inspection *inspection);
/**
 * Whether the content is compressed. Then `plaintext_len` is the length of what is stored, and that of the content does
 * not show.
 */
bool sealstone_inspection_compressed(const sealstone_inspection *inspection);
/** Whether the content is an archive of files and folders. */
bool sealstone_inspection_archive(const sealstone_inspection *inspection);
/** Whether it is ASCII armour. */
bool sealstone_inspection_armoured(const sealstone_inspection *inspection);
/** Bytes of the header. */
uint64_t sealstone_inspection_header_len(const sealstone_inspection *inspection);
/** One entry a recipient, in the file's order. */
size_t sealstone_inspection_stanzas_count(const sealstone_inspection *inspection);
const sealstone_stanza_info *sealstone_inspection_stanzas_at(const sealstone_inspection *inspection, size_t index);
/** Bytes behind the header. */
uint64_t sealstone_inspection_payload_len(const sealstone_inspection *inspection);
/**
 * The length of the plaintext in bytes, computed from the length of the payload; of a compressed file that of its
 * frames.
 */
uint64_t sealstone_inspection_plaintext_len(const sealstone_inspection *inspection);
/** The number of chunks. */
uint64_t sealstone_inspection_chunks(const sealstone_inspection *inspection);
void sealstone_inspection_free(sealstone_inspection *inspection);

/** Bytes of the archive. */
uint64_t sealstone_archived_plaintext(const sealstone_archived *archived);
/** Bytes of the whole file, without armour. */
uint64_t sealstone_archived_ciphertext(const sealstone_archived *archived);
/** The number of members. */
uint64_t sealstone_archived_members(const sealstone_archived *archived);
/** Bytes of all files. */
uint64_t sealstone_archived_file_bytes(const sealstone_archived *archived);
/** The number of members that could not be read, or changed while they were read. The archive has all others. */
uint64_t sealstone_archived_left_out(const sealstone_archived *archived);
/**
 * Why members are not in the archive, or not as they are; of more than 1,000 the first ones. They also name FIFOs,
 * devices and sockets, which `left_out` does not count.
 */
size_t sealstone_archived_notes_count(const sealstone_archived *archived);
const sealstone_left_out *sealstone_archived_notes_at(const sealstone_archived *archived, size_t index);
void sealstone_archived_free(sealstone_archived *archived);

/** The path of each member, with the target of a link behind it, one member behind the other. */
const uint8_t *sealstone_listing_names(const sealstone_listing *listing, size_t *len);
/** Bytes of each path. */
const uint32_t *sealstone_listing_path_lengths(const sealstone_listing *listing, size_t *count);
/** Bytes of the target of each link; 0 of what is no link. */
const uint32_t *sealstone_listing_link_lengths(const sealstone_listing *listing, size_t *count);
/** The kind of each member: 0 a file, 1 a hard link, 2 a symbolic link, 3 a folder. */
const uint32_t *sealstone_listing_kinds(const sealstone_listing *listing, size_t *count);
/** Bytes of each file, with its holes; 0 of what is no file. */
const uint64_t *sealstone_listing_sizes(const sealstone_listing *listing, size_t *count);
/** Permissions, with set-user-ID, set-group-ID and sticky: 12 bits. */
const uint32_t *sealstone_listing_modes(const sealstone_listing *listing, size_t *count);
/** The modification times, in whole seconds since 1970; negative before. */
const int64_t *sealstone_listing_seconds(const sealstone_listing *listing, size_t *count);
/** The rest of the modification times in nanoseconds. */
const uint32_t *sealstone_listing_nanoseconds(const sealstone_listing *listing, size_t *count);
void sealstone_listing_free(sealstone_listing *listing);

/** All results. */
const uint8_t *sealstone_batch_result_bytes(const sealstone_batch_result *batch_result, size_t *len);
/** The length of each result in `bytes`; 0 of one that failed. */
const uint32_t *sealstone_batch_result_lengths(const sealstone_batch_result *batch_result, size_t *count);
/** The operations that failed. */
size_t sealstone_batch_result_failures_count(const sealstone_batch_result *batch_result);
const sealstone_item_failure *sealstone_batch_result_failures_at(const sealstone_batch_result *batch_result, size_t index);
void sealstone_batch_result_free(sealstone_batch_result *batch_result);

/** The kind of the key. */
const char *sealstone_verification_kind(const sealstone_verification *verification);
/** The key's fingerprint. */
const char *sealstone_verification_fingerprint(const sealstone_verification *verification);
/** The fingerprint that SSH shows. */
const char *sealstone_verification_ssh_fingerprint(const sealstone_verification *verification);
/** The principals of a file of allowed signers. */
const char *sealstone_verification_principals(const sealstone_verification *verification);
/** The comment of the signature. */
const char *sealstone_verification_comment(const sealstone_verification *verification);
/** Bytes of the content. */
uint64_t sealstone_verification_content_len(const sealstone_verification *verification);
void sealstone_verification_free(sealstone_verification *verification);


/* ---- Lists, and the end of objects; of NULL these do nothing ---- */

size_t sealstone_identity_list_count(const sealstone_identity_list *list);
/** One of a list, which lives as long as the list; NULL where there is none. */
const sealstone_identity *sealstone_identity_list_at(const sealstone_identity_list *list, size_t index);
void sealstone_identity_list_free(sealstone_identity_list *list);
size_t sealstone_recipient_list_count(const sealstone_recipient_list *list);
/** One of a list, which lives as long as the list; NULL where there is none. */
const sealstone_recipient *sealstone_recipient_list_at(const sealstone_recipient_list *list, size_t index);
void sealstone_recipient_list_free(sealstone_recipient_list *list);
void sealstone_aead_free(sealstone_aead *aead);
void sealstone_age_decryptor_free(sealstone_age_decryptor *age_decryptor);
void sealstone_age_encryptor_free(sealstone_age_encryptor *age_encryptor);
void sealstone_age_identity_free(sealstone_age_identity *age_identity);
void sealstone_age_opener_free(sealstone_age_opener *age_opener);
void sealstone_age_recipient_free(sealstone_age_recipient *age_recipient);
void sealstone_age_sealer_free(sealstone_age_sealer *age_sealer);
void sealstone_armour_free(sealstone_armour *armour);
void sealstone_ccm_free(sealstone_ccm *ccm);
void sealstone_chunked_key_free(sealstone_chunked_key *chunked_key);
void sealstone_cipher_free(sealstone_cipher *cipher);
void sealstone_dearmour_free(sealstone_dearmour *dearmour);
void sealstone_decrypt_stream_free(sealstone_decrypt_stream *decrypt_stream);
void sealstone_decryptor_free(sealstone_decryptor *decryptor);
void sealstone_encrypt_stream_free(sealstone_encrypt_stream *encrypt_stream);
void sealstone_encryptor_free(sealstone_encryptor *encryptor);
void sealstone_exchange_private_free(sealstone_exchange_private *exchange_private);
void sealstone_exchange_public_free(sealstone_exchange_public *exchange_public);
void sealstone_hasher_free(sealstone_hasher *hasher);
void sealstone_identity_free(sealstone_identity *identity);
void sealstone_job_free(sealstone_job *job);
void sealstone_key_cache_free(sealstone_key_cache *key_cache);
void sealstone_key_wrap_free(sealstone_key_wrap *key_wrap);
void sealstone_legacy_free(sealstone_legacy *legacy);
void sealstone_mac_free(sealstone_mac *mac);
void sealstone_mac_signer_free(sealstone_mac_signer *mac_signer);
void sealstone_opener_free(sealstone_opener *opener);
void sealstone_recipient_free(sealstone_recipient *recipient);
void sealstone_rewrapper_free(sealstone_rewrapper *rewrapper);
void sealstone_rsa_private_free(sealstone_rsa_private *rsa_private);
void sealstone_rsa_public_free(sealstone_rsa_public *rsa_public);
void sealstone_sealer_free(sealstone_sealer *sealer);
void sealstone_sign_private_free(sealstone_sign_private *sign_private);
void sealstone_sign_public_free(sealstone_sign_public *sign_public);
void sealstone_signature_reader_free(sealstone_signature_reader *signature_reader);
void sealstone_signature_signing_free(sealstone_signature_signing *signature_signing);
void sealstone_signature_trusting_free(sealstone_signature_trusting *signature_trusting);
void sealstone_signature_verifying_free(sealstone_signature_verifying *signature_verifying);
void sealstone_signature_writer_free(sealstone_signature_writer *signature_writer);
void sealstone_sm2_exchanged_free(sealstone_sm2_exchanged *sm2_exchanged);
void sealstone_sm2_private_free(sealstone_sm2_private *sm2_private);
void sealstone_sm2_public_free(sealstone_sm2_public *sm2_public);
void sealstone_unit_free(sealstone_unit *unit);
void sealstone_writer_free(sealstone_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
