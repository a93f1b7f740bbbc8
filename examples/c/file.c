/*
 * Encrypts a file to a public key, and decrypts it with the secret one. A second thread shows how far the encryption is.
 *
 *     cc -std=c11 -pthread file.c $(pkg-config --cflags --libs sealstone) -o file && ./file letter
 *
 * It writes letter.seal and letter.copy, and replaces neither. A program of yours keeps the key: sealstone_identity_export().
 */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <sealstone.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static sealstone_job *job;
static atomic_bool is_done;

/* Ends the program with the code and the message of an error. */
static void check(sealstone_error *error)
{
    if (error != NULL) {
        fprintf(stderr, "%s: %s\n", sealstone_error_code(error), sealstone_error_message(error));
        sealstone_error_free(error);
        exit(1);
    }
}

static void *show_progress(void *unused)
{
    const struct timespec tenth = {0, 100000000};
    while (!is_done) {
        sealstone_progress progress = {sizeof progress, 0, 0};
        check(sealstone_job_progress(job, &progress));
        fprintf(stderr, "\r%llu bytes", (unsigned long long)progress.done);
        nanosleep(&tenth, NULL);
    }
    fprintf(stderr, "\n");
    return unused;
}

int main(int count, char **arguments)
{
    char sealed[4096];
    char copy[4096];
    if (count != 2 || snprintf(sealed, sizeof sealed, "%s.seal", arguments[1]) >= (int)sizeof sealed) {
        fprintf(stderr, "usage: file FILE\n");
        return 2;
    }
    snprintf(copy, sizeof copy, "%.4090s.copy", arguments[1]);

    sealstone_identity *identity;
    sealstone_recipient *recipient;
    check(sealstone_identity_generate(NULL, &identity));
    check(sealstone_identity_recipient(identity, &recipient));

    sealstone_encryptor *encryptor;
    sealstone_decryptor *decryptor;
    check(sealstone_encryptor_new((const sealstone_recipient *[]) {recipient}, 1, NULL, &encryptor));
    check(sealstone_decryptor_new((const sealstone_identity *[]) {identity}, 1, NULL, 0, NULL, 0, &decryptor));
    sealstone_identity_free(identity);
    sealstone_recipient_free(recipient);
    pthread_t shows;
    sealstone_processed done = {sizeof done, 0, 0};
    check(sealstone_job_new(&job));
    pthread_create(&shows, NULL, show_progress, NULL);
    check(sealstone_encrypt_file(encryptor, arguments[1], sealed, false, false, job, &done));
    is_done = true;
    pthread_join(shows, NULL);
    check(sealstone_decrypt_file(decryptor, sealed, copy, false, false, NULL, &done));
    printf("%llu bytes came back\n", (unsigned long long)done.plaintext);

    sealstone_job_free(job);
    sealstone_encryptor_free(encryptor);
    sealstone_decryptor_free(decryptor);
}
