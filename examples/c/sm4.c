/*
 * SM4 and SM2 for data that is in memory: SM4-GCM, which authenticates; SM4-CBC, which other software may ask for; and a signature.
 *
 *     cc -std=c11 sm4.c $(pkg-config --cflags --libs sealstone) -o sm4 && ./sm4
 */
#include <sealstone.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(sealstone_error *error)
{
    if (error != NULL) {
        fprintf(stderr, "%s: %s\n", sealstone_error_code(error), sealstone_error_message(error));
        exit(1);
    }
}

int main(void)
{
    const uint8_t *text = (const uint8_t *)"attack at dawn";
    size_t len = strlen("attack at dawn");
    uint8_t key[16];
    check(sealstone_random_fill(key, sizeof key));

    /* Without a nonce one is drawn, and stands before the ciphertext: 12 bytes, and 16 of a tag behind it. */
    sealstone_aead *aead;
    uint8_t sealed[12 + 14 + 16];
    uint8_t opened[14];
    check(sealstone_aead_new("sm4-gcm", key, sizeof key, &aead));
    check(sealstone_aead_seal(aead, NULL, 0, NULL, 0, text, len, sealed, sizeof sealed));
    check(sealstone_aead_open(aead, NULL, 0, NULL, 0, sealed, sizeof sealed, opened, sizeof opened));
    printf("sm4-gcm: %.*s\n", (int)sizeof opened, (const char *)opened);
    sealstone_aead_free(aead);

    /* CBC authenticates nothing, and needs another random IV for each message. It pads to 16 bytes; here in place. */
    sealstone_cipher *cipher;
    uint8_t iv[16];
    uint8_t memory[16];
    size_t plain_len;
    memcpy(memory, text, len);
    check(sealstone_random_fill(iv, sizeof iv));
    check(sealstone_cipher_new("sm4-cbc", key, sizeof key, &cipher));
    check(sealstone_cipher_encrypt(cipher, iv, sizeof iv, memory, len, memory, sizeof memory, SEALSTONE_DEFAULT));
    check(sealstone_cipher_decrypt(
        cipher, iv, sizeof iv, memory, sizeof memory, memory, sizeof memory, SEALSTONE_DEFAULT, &plain_len));
    printf("sm4-cbc: %.*s\n", (int)plain_len, (const char *)memory);
    sealstone_cipher_free(cipher);

    sealstone_sm2_private *signer;
    sealstone_sm2_public *public_key;
    sealstone_bytes *signature;
    check(sealstone_sm2_generate(&signer));
    check(sealstone_sm2_public_key(signer, &public_key));
    check(sealstone_sm2_sign(signer, text, len, NULL, 0, NULL, &signature));
    check(sealstone_sm2_verify(public_key, text, len, sealstone_bytes_data(signature), sealstone_bytes_len(signature), NULL,
        0, NULL));
    printf("sm2: the signature is right\n");
    sealstone_bytes_free(signature);
    sealstone_sm2_public_free(public_key);
    sealstone_sm2_private_free(signer);
}
