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
@CODES@

/** A choice that may be left to its default. */
typedef uint32_t sealstone_choice;
#define SEALSTONE_DEFAULT 0
#define SEALSTONE_YES 1
#define SEALSTONE_NO 2

typedef struct sealstone_error sealstone_error;
typedef struct sealstone_bytes sealstone_bytes;
@TYPES@

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
@FUNCTIONS@

#ifdef __cplusplus
}
#endif

#endif
