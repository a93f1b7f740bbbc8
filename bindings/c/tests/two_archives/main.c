/* A program with two archives of Rust. Both have the standard library, so a name that both exported would fail the link. */
#include <sealstone.h>
#include <stdio.h>

int other_sum(int count);

int main(void)
{
    printf("the other archive: 4 threads, %d\n", other_sum(4));
    const uint8_t key[32] = {7};
    const uint8_t nonce[12] = {1};
    uint8_t text[14 + 16] = "attack at dawn";
    sealstone_aead *aead = NULL;
    sealstone_error *error = sealstone_aead_new("aes-256-gcm", key, sizeof key, &aead);
    if (error == NULL) {
        error = sealstone_aead_seal(aead, nonce, sizeof nonce, NULL, 0, text, 14, text, sizeof text);
    }
    if (error == NULL) {
        error = sealstone_aead_open(aead, nonce, sizeof nonce, NULL, 0, text, sizeof text, text, 14);
    }
    printf("sealstone: %.14s\n", error == NULL ? (const char *)text : sealstone_error_message(error));
    bool is_right = error == NULL;
    sealstone_error_free(error);
    sealstone_aead_free(aead);
    return is_right ? 0 : 1;
}
