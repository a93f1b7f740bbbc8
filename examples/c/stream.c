/*
 * Encrypts or decrypts from stdin to stdout under a shared key: a file of 32 random bytes.
 *
 *     cc -std=c11 stream.c $(pkg-config --cflags --libs sealstone) -o stream
 *     head -c 32 /dev/urandom > key
 *     ./stream encrypt key < letter > letter.seal && ./stream decrypt key < letter.seal > copy
 *
 * All bytes that come are authentic, but before the end some may be missing. So use a copy only after the exit status 0.
 */
#include <sealstone.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sealstone_encrypt_stream *sealing;
static sealstone_decrypt_stream *opening;

static void require(bool is_right, const char *message)
{
    if (!is_right) {
        fprintf(stderr, "stream: %s\n", message);
        exit(1);
    }
}

static void check(sealstone_error *error)
{
    require(error == NULL, sealstone_error_message(error));
}

/* Puts bytes through, or ends the stream where there are none, and writes what comes. */
static void push(const uint8_t *bytes, size_t len)
{
    size_t most;
    size_t written;
    check(sealing ? sealstone_encrypt_stream_update_len(sealing, len, &most)
                  : sealstone_decrypt_stream_update_len(opening, len, &most));
    uint8_t *memory = malloc(most + 1);
    require(memory != NULL, "there is no memory");
    if (len > 0) {
        check(sealing ? sealstone_encrypt_stream_update(sealing, bytes, len, memory, most, &written)
                      : sealstone_decrypt_stream_update(opening, bytes, len, memory, most, &written));
    } else {
        check(sealing ? sealstone_encrypt_stream_finish(sealing, memory, most, &written)
                      : sealstone_decrypt_stream_finish(opening, memory, most, &written));
    }
    for (size_t at = 0; at < written;) {
        ssize_t wrote = write(STDOUT_FILENO, memory + at, written - at);
        require(wrote >= 0, "cannot write");
        at += (size_t)wrote;
    }
    free(memory);
}

int main(int count, char **arguments)
{
    uint8_t key[33];
    FILE *file = count == 3 ? fopen(arguments[2], "rb") : NULL;
    require(file != NULL && fread(key, 1, sizeof key, file) == 32, "usage: stream encrypt|decrypt KEY, a file of 32 bytes");
    fclose(file);
    sealstone_identity *identity;
    sealstone_recipient *recipient;
    sealstone_encryptor *encryptor;
    sealstone_decryptor *decryptor;
    check(sealstone_identity_of_key(key, 32, &identity));
    check(sealstone_identity_recipient(identity, &recipient));
    check(sealstone_encryptor_new((const sealstone_recipient *[]) {recipient}, 1, NULL, &encryptor));
    check(sealstone_decryptor_new((const sealstone_identity *[]) {identity}, 1, NULL, 0, NULL, 0, &decryptor));
    check(strcmp(arguments[1], "encrypt") == 0 ? sealstone_encrypt_stream_new(encryptor, NULL, &sealing)
                                               : sealstone_decrypt_stream_new(decryptor, NULL, &opening));
    static uint8_t part[65536];
    ssize_t len;
    while ((len = read(STDIN_FILENO, part, sizeof part)) > 0) {
        push(part, (size_t)len);
    }
    require(len == 0, "cannot read");
    push(NULL, 0);
}
