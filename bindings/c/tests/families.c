/*
 * Known answers of each family of the C library, and files by name.
 *
 * families FOLDER: an empty folder to write in. What is computed is tested in the sources of core; these answers show that each function
 * of C calls what its name says, with its arguments in their places.
 */
#define _POSIX_C_SOURCE 200809L

#include "check.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder;

/* ---- Hashes, MACs and keys ---- */

typedef struct row {
    const char *algorithm;
    const char *message;
    const char *digest;
} row;

/** The examples "abc" of FIPS 180-4, FIPS 202, RFC 1321, RFC 7693, GB/T 32905 and the functions' authors; Keccak's are of no bytes. */
static const row HASHES[] = {
    {"md5", "abc", "900150983cd24fb0d6963f7d28e17f72"},
    {"sha1", "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {"ripemd160", "abc", "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"},
    {"sha224", "abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"},
    {"sha256", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"sha384", "abc", "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"},
    {"sha512", "abc",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
    {"sha512-256", "abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"},
    {"sha3-224", "abc", "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"},
    {"sha3-256", "abc", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"},
    {"sha3-384", "abc", "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25"},
    {"sha3-512", "abc",
        "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e"
        "10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0"},
    {"shake128", "abc", "5881092dd818bf5cf8a3ddb793fbcba74097d5c526a6d35f97b83351940f2cc8"},
    {"shake256", "abc",
        "483366601360a8771c6863080cc4114d8db44530f8f1e1ee4f94ea37e78b5739"
        "d5a15bef186a5386c75744c0527e1faa9f8726e462a12a4feb06bd8801e751e4"},
    {"keccak-224", "", "f71837502ba8e10837bdd8d365adb85591895602fc552b48b7390abd"},
    {"keccak-256", "", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"},
    {"keccak-384", "", "2c23146a63a29acf99e73b88f8c24eaa7dc60aa771780ccc006afbfa8fe2479b2dd2b21362337441ac12b515911957ff"},
    {"keccak-512", "",
        "0eab42de4c3ceb9235fc91acffe746b29c29a8c366b7c60e4e67c466f36a4304"
        "c00fa9caf9d87976ba469bcbe06713b435f091ef2769fb160cdab33d3670680e"},
    {"blake2b", "abc",
        "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
        "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"},
    {"blake2s", "abc", "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"},
    {"blake3", "abc", "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"},
    {"sm3", "abc", "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"},
};

static void write_file(const char *path, data bytes);

static char *path_of(const char *name)
{
    char *path = (char *)keep(strlen(folder) + strlen(name) + 2);
    sprintf(path, "%s/%s", folder, name);
    return path;
}

static void hashes(void)
{
    for (size_t i = 0; i < sizeof HASHES / sizeof *HASHES; i++) {
        const char *algorithm = HASHES[i].algorithm;
        data message = text_of(HASHES[i].message);
        data wanted = hex(HASHES[i].digest);
        data digest = room(wanted.len);
        size_t len = 0;
        OK(sealstone_hash_len(algorithm, &len));
        CHECK(len == wanted.len);
        OK(sealstone_hash_into(algorithm, message.at, message.len, digest.at, digest.len));
        SAME(digest, wanted);

        sealstone_hasher *hasher = NULL;
        sealstone_hasher *other = NULL;
        sealstone_bytes *bytes = NULL;
        OK(sealstone_hasher_new(algorithm, &hasher));
        OK(sealstone_hasher_update(hasher, message.at, message.len / 2));
        OK(sealstone_hasher_clone(hasher, &other));
        OK(sealstone_hasher_update(other, message.at + message.len / 2, message.len - message.len / 2));
        OK(sealstone_hasher_digest(other, len, &bytes));
        SAME(taken(bytes), wanted);
        sealstone_hasher_free(hasher);
        sealstone_hasher_free(other);

        // Two items: the message, and nothing.
        uint32_t lengths[2] = {(uint32_t)message.len, 0};
        data digests = room(2 * len);
        data empty = room(len);
        OK(sealstone_hash_batch(algorithm, message.at, message.len, lengths, 2, digests.at, digests.len));
        OK(sealstone_hash_into(algorithm, NULL, 0, empty.at, empty.len));
        CHECK(same(digests.at, len, wanted.at, wanted.len) && same(digests.at + len, len, empty.at, empty.len));

        write_file(path_of("hashed"), message);
        OK(sealstone_hash_file(algorithm, path_of("hashed"), false, len, NULL, &bytes));
        SAME(taken(bytes), wanted);
    }
    FAILS("unknown_algorithm", sealstone_hash_into("sha257", NULL, 0, room(32).at, 32));
    FAILS("wrong_length", sealstone_hash_into("sha256", NULL, 0, room(31).at, 31));
}

static void one_mac(const char *algorithm, data key, data message, data wanted)
{
    sealstone_mac *mac = NULL;
    size_t len = 0;
    OK(sealstone_mac_new(algorithm, key.at, key.len, NULL, 0, 0, &mac));
    OK(sealstone_mac_tag_len(mac, &len));
    CHECK(len == wanted.len);
    data tag = room(len);
    OK(sealstone_mac_into(mac, message.at, message.len, tag.at, tag.len));
    SAME(tag, wanted);
    OK(sealstone_mac_verify(mac, message.at, message.len, tag.at, tag.len, false));
    OK(sealstone_mac_verify(mac, message.at, message.len, tag.at, tag.len - 1, true));
    FAILS("wrong_length", sealstone_mac_verify(mac, message.at, message.len, tag.at, tag.len - 1, false));
    FAILS("not_authentic", sealstone_mac_verify(mac, message.at, message.len - 1, tag.at, tag.len, false));

    sealstone_mac_signer *signer = NULL;
    sealstone_bytes *bytes = NULL;
    OK(sealstone_mac_signer_new(mac, &signer));
    OK(sealstone_mac_signer_update(signer, message.at, 3));
    OK(sealstone_mac_signer_update(signer, message.at + 3, message.len - 3));
    OK(sealstone_mac_signer_tag(signer, &bytes));
    SAME(taken(bytes), wanted);
    OK(sealstone_mac_signer_verify(signer, tag.at, tag.len, false));
    sealstone_mac_signer_free(signer);

    write_file(path_of("tagged"), message);
    OK(sealstone_mac_file(mac, path_of("tagged"), false, NULL, &bytes));
    SAME(taken(bytes), wanted);
    sealstone_mac_free(mac);
}

static void macs(void)
{
    data jefe = text_of("Jefe");
    data asks = text_of("what do ya want for nothing?");
    // RFC 4231 section 4.3.
    one_mac("hmac-sha256", jefe, asks, hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
    one_mac("hmac-sha512", jefe, asks,
        hex("164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
            "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"));
    // GM/T 0042-2015 appendix D.3.
    data key = room(37);
    data message = room(50);
    memset(message.at, 0xcd, message.len);
    for (size_t i = 0; i < key.len; i++) {
        key.at[i] = (uint8_t)(i + 1);
    }
    one_mac("hmac-sm3", key, message, hex("220bf579ded555393f0159f66c99877822a3ecf610d1552154b41d44b94db3ae"));
    // RFC 4493 section 4, example 3.
    one_mac("aes-128-cmac", hex("2b7e151628aed2a6abf7158809cf4f3c"),
        hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411"),
        hex("dfa66747de9ae63030ca32611497c827"));

    // RFC 8439 section 2.5.2.
    sealstone_bytes *tag = NULL;
    data one_time = hex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b");
    data forum = text_of("Cryptographic Forum Research Group");
    OK(sealstone_poly1305(one_time.at, one_time.len, forum.at, forum.len, &tag));
    SAME(taken(tag), hex("a8061dc1305136c6c22b8baf0c0127a9"));
}

static data derived(const char *name, uint32_t a, uint32_t b, uint32_t c, data password, data salt, data secret, data more,
    uint32_t len)
{
    STRUCTURE(sealstone_cost, cost);
    STRUCTURE(sealstone_derived_of, of);
    cost.name = name;
    cost.a = a;
    cost.b = b;
    cost.c = c;
    of.password = password.at;
    of.password_len = password.len;
    of.salt = salt.at;
    of.salt_len = salt.len;
    of.secret = secret.at;
    of.secret_len = secret.len;
    of.data = more.at;
    of.data_len = more.len;
    sealstone_bytes *key = NULL;
    OK(sealstone_derive(&cost, &of, true, len, NULL, &key));
    return taken(key);
}

static data filled(size_t len, uint8_t with)
{
    data made = room(len);
    memset(made.at, with, len);
    return made;
}

static void keys_of_secrets(void)
{
    // RFC 5869 appendix A.1.
    data secret = filled(22, 0x0b);
    data salt = hex("000102030405060708090a0b0c");
    data info = hex("f0f1f2f3f4f5f6f7f8f9");
    data wanted = hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
    sealstone_bytes *key = NULL;
    OK(sealstone_hkdf("sha256", secret.at, secret.len, salt.at, salt.len, info.at, info.len, 42, &key));
    SAME(taken(key), wanted);
    OK(sealstone_hkdf_extract("sha256", salt.at, salt.len, secret.at, secret.len, &key));
    data extracted = taken(key);
    SAME(extracted, hex("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"));
    OK(sealstone_hkdf_expand("sha256", extracted.at, extracted.len, info.at, info.len, 42, &key));
    SAME(taken(key), wanted);
    // SP 800-56C: one block is the hash of 00000001, the secret and the information.
    data block = room(4 + secret.len + info.len);
    block.at[3] = 1;
    memcpy(block.at + 4, secret.at, secret.len);
    memcpy(block.at + 4 + secret.len, info.at, info.len);
    data digest = room(32);
    OK(sealstone_hash_into("sha256", block.at, block.len, digest.at, digest.len));
    OK(sealstone_concat_kdf("sha256", secret.at, secret.len, info.at, info.len, 32, &key));
    SAME(taken(key), digest);
    OK(sealstone_blake3_derive_key("a context of this test", secret.at, secret.len, 32, &key));
    CHECK(taken(key).len == 32);

    // RFC 7914 sections 11 and 12.
    data none = room(0);
    SAME(derived("pbkdf2-sha256", 1, 0, 0, text_of("passwd"), text_of("salt"), none, none, 64),
        hex("55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
            "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"));
    SAME(derived("scrypt", 10, 8, 16, text_of("password"), text_of("NaCl"), none, none, 64),
        hex("fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
            "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"));
    // RFC 9106 section 5.
    data password = filled(32, 1);
    data of_argon2[] = {filled(16, 2), filled(8, 3), filled(12, 4)};
    SAME(derived("argon2id", 32, 3, 4, password, of_argon2[0], of_argon2[1], of_argon2[2], 32),
        hex("0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"));
    SAME(derived("argon2i", 32, 3, 4, password, of_argon2[0], of_argon2[1], of_argon2[2], 32),
        hex("c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8"));
    SAME(derived("argon2d", 32, 3, 4, password, of_argon2[0], of_argon2[1], of_argon2[2], 32),
        hex("512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb"));
}

static void passwords(void)
{
    STRUCTURE(sealstone_cost, cost);
    cost.name = "argon2id";
    cost.a = 1024;
    cost.b = 1;
    cost.c = 1;
    data password = text_of("correct horse");
    sealstone_bytes *bytes = NULL;
    OK(sealstone_password_hash(password.at, password.len, &cost, NULL, &bytes));
    const char *stored = sealstone_bytes_text(bytes);
    CHECK(strncmp(stored, "$argon2id$v=19$m=1024,t=1,p=1$", 30) == 0 && strlen(stored) == sealstone_bytes_len(bytes));
    OK(sealstone_password_verify(password.at, password.len, stored, true, NULL));
    FAILS("not_authentic", sealstone_password_verify(password.at, password.len - 1, stored, true, NULL));
    FAILS("invalid_encoding", sealstone_password_verify(password.at, password.len, "correct horse", true, NULL));
    bool needs = true;
    OK(sealstone_password_needs_rehash(stored, &cost, &needs));
    CHECK(!needs);
    cost.b = 2;
    OK(sealstone_password_needs_rehash(stored, &cost, &needs));
    CHECK(needs);
    uint32_t raised = 0;
    OK(sealstone_password_cost_raised(&cost, 1000000, 1000, &raised));
    CHECK(raised > 2);
    sealstone_bytes_free(bytes);

    // A cache of derived keys, at a time of the caller's.
    STRUCTURE(sealstone_derived_of, of);
    data salt = filled(16, 7);
    of.password = password.at;
    of.password_len = password.len;
    of.salt = salt.at;
    of.salt_len = salt.len;
    sealstone_key_cache *cache = NULL;
    data key = noise(32);
    OK(sealstone_key_cache_new(4, 1000, &cache));
    OK(sealstone_key_cache_keep(cache, 5, &cost, &of, key.at, key.len));
    OK(sealstone_key_cache_find(cache, 1004, &cost, &of, true, 32, &bytes));
    SAME(taken(bytes), key);
    OK(sealstone_key_cache_find(cache, 1006, &cost, &of, true, 32, &bytes));
    CHECK(taken(bytes).len == 0);
    OK(sealstone_key_cache_clear(cache));
    sealstone_key_cache_free(cache);
}

/* ---- AEADs, ciphers, key wrap ---- */

static void one_aead(const char *algorithm, const char *key_digits, const char *nonce_digits, const char *aad_digits,
    data plaintext, const char *sealed_digits)
{
    data key = hex(key_digits);
    data nonce = hex(nonce_digits);
    data aad = hex(aad_digits);
    data wanted = hex(sealed_digits);
    sealstone_aead *aead = NULL;
    size_t len = 0;
    OK(sealstone_aead_key_len(algorithm, &len));
    CHECK(len == key.len);
    OK(sealstone_aead_nonce_len(algorithm, &len));
    CHECK(len == nonce.len);
    OK(sealstone_aead_new(algorithm, key.at, key.len, &aead));
    data sealed = room(plaintext.len + sealstone_aead_tag_len());
    OK(sealstone_aead_seal(
        aead, nonce.at, nonce.len, aad.at, aad.len, plaintext.at, plaintext.len, sealed.at, sealed.len));
    SAME(sealed, wanted);
    data opened = room(plaintext.len);
    OK(sealstone_aead_open(aead, nonce.at, nonce.len, aad.at, aad.len, sealed.at, sealed.len, opened.at, opened.len));
    SAME(opened, plaintext);
    sealed.at[0] ^= 1;
    FAILS("not_authentic",
        sealstone_aead_open(aead, nonce.at, nonce.len, aad.at, aad.len, sealed.at, sealed.len, opened.at, opened.len));
    CHECK(is_zero(opened.at, opened.len));

    // Nonces that are drawn: one message, and a batch whose second item is changed.
    data drawn = room(nonce.len + plaintext.len + sealstone_aead_tag_len());
    OK(sealstone_aead_seal(aead, NULL, 0, aad.at, aad.len, plaintext.at, plaintext.len, drawn.at, drawn.len));
    OK(sealstone_aead_open(aead, NULL, 0, aad.at, aad.len, drawn.at, drawn.len, opened.at, opened.len));
    SAME(opened, plaintext);
    uint32_t lengths[2] = {5, (uint32_t)plaintext.len - 5};
    size_t more = nonce.len + sealstone_aead_tag_len();
    data batch = room(plaintext.len + 2 * more);
    OK(sealstone_aead_seal_batch(
        aead, aad.at, aad.len, plaintext.at, plaintext.len, lengths, 2, batch.at, batch.len));
    batch.at[batch.len - 1] ^= 1;
    uint32_t sealed_lengths[2] = {lengths[0] + (uint32_t)more, lengths[1] + (uint32_t)more};
    sealstone_bytes *verdicts = NULL;
    OK(sealstone_aead_open_batch(
        aead, aad.at, aad.len, batch.at, batch.len, sealed_lengths, 2, opened.at, opened.len, &verdicts));
    SAME(taken(verdicts), hex("0100"));
    CHECK(same(opened.at, 5, plaintext.at, 5) && is_zero(opened.at + 5, opened.len - 5));
    sealstone_aead_free(aead);
}

static void aeads(void)
{
    // RFC 8439 section 2.8.2.
    one_aead("chacha20-poly1305", "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f", "070000004041424344454647",
        "50515253c0c1c2c3c4c5c6c7",
        text_of("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."),
        "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b"
        "1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
        "3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691");
    // Test cases 4 and 16 of the submission of GCM to NIST.
    data plaintext = hex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39");
    const char *aad = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
    one_aead("aes-128-gcm", "feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888", aad, plaintext,
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05"
        "1ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47");
    one_aead("aes-256-gcm", "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888", aad,
        plaintext,
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
        "c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b");
    // RFC 8998 appendix A.
    data letters = hex(
        "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd"
        "eeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa");
    one_aead("sm4-gcm", "0123456789abcdeffedcba9876543210", "00001234567800000000abcd", aad, letters,
        "17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735d82710ca5c22f0ccfa7cbf93d496ac15"
        "a56834cbcf98c397b4024a2691233b8d83de3541e4c2b58177e065a9bf7b62ec");
    one_aead("sm4-ccm", "0123456789abcdeffedcba9876543210", "00001234567800000000abcd", aad, letters,
        "48af93501fa62adbcd414cce6034d895dda1bf8f132f042098661572e7483094fd12e518ce062c98acee28d95df4416b"
        "ed31a2f04476c18bb40c84a74b97dc5b16842d4fa186f56ab33256971fa110f4");

    // SP 800-38C example 1.
    data key = hex("404142434445464748494a4b4c4d4e4f");
    data nonce = hex("10111213141516");
    data first = hex("0001020304050607");
    data text = hex("20212223");
    sealstone_ccm *ccm = NULL;
    sealstone_bytes *bytes = NULL;
    OK(sealstone_ccm_new("aes-128-ccm", key.at, key.len, 4, &ccm));
    OK(sealstone_ccm_seal(ccm, nonce.at, nonce.len, first.at, first.len, text.at, text.len, &bytes));
    data sealed = taken(bytes);
    SAME(sealed, hex("7162015b4dac255d"));
    OK(sealstone_ccm_open(ccm, nonce.at, nonce.len, first.at, first.len, sealed.at, sealed.len, &bytes));
    SAME(taken(bytes), text);
    sealstone_ccm_free(ccm);
}

/** Encrypts and decrypts, without padding where nothing else is said. */
static void one_cipher(const char *algorithm, const char *key_digits, const char *iv_digits, data plaintext,
    const char *ciphertext_digits, sealstone_choice pads)
{
    data key = hex(key_digits);
    data iv = hex(iv_digits);
    data wanted = hex(ciphertext_digits);
    sealstone_cipher *cipher = NULL;
    size_t len = 0;
    OK(sealstone_cipher_key_len(algorithm, &len));
    CHECK(len == key.len);
    OK(sealstone_cipher_iv_len(algorithm, &len));
    CHECK(len == iv.len);
    OK(sealstone_cipher_new(algorithm, key.at, key.len, &cipher));
    data ciphertext = room(wanted.len);
    OK(sealstone_cipher_encrypt(
        cipher, iv.at, iv.len, plaintext.at, plaintext.len, ciphertext.at, ciphertext.len, pads));
    SAME(ciphertext, wanted);
    data decrypted = room(ciphertext.len);
    OK(sealstone_cipher_decrypt(cipher, iv.at, iv.len, ciphertext.at, ciphertext.len, decrypted.at, decrypted.len, pads, &len));
    CHECK(same(decrypted.at, len, plaintext.at, plaintext.len));
    sealstone_cipher_free(cipher);
}

/** A batch is its messages one by one. */
static void cipher_batch(const char *algorithm)
{
    data key = noise(16);
    data plaintexts = noise(16 * 300);
    data ivs = noise(16 * 24);
    data together = room(plaintexts.len);
    data alone = room(plaintexts.len);
    uint32_t lengths[24];
    sealstone_cipher *cipher = NULL;
    OK(sealstone_cipher_new(algorithm, key.at, key.len, &cipher));
    size_t at = 0;
    for (size_t i = 0; i < 24; i++) {
        // 1 to 24 blocks, which are 300.
        lengths[i] = (uint32_t)(16 * (i + 1));
        OK(sealstone_cipher_encrypt(
            cipher, ivs.at + 16 * i, 16, plaintexts.at + at, lengths[i], alone.at + at, lengths[i], SEALSTONE_NO));
        at += lengths[i];
    }
    CHECK(at == plaintexts.len);
    OK(sealstone_cipher_encrypt_batch(
        cipher, ivs.at, ivs.len, lengths, 24, plaintexts.at, plaintexts.len, together.at, together.len));
    SAME(together, alone);
    sealstone_cipher_free(cipher);
}

static void ciphers(void)
{
    const char *sm4 = "0123456789abcdeffedcba9876543210";
    const char *iv = "000102030405060708090a0b0c0d0e0f";
    // GB/T 32907 appendix A, and draft-ribose-cfrg-sm4-10 appendices A.2.2 and A.2.5.
    one_cipher("sm4-ecb", sm4, "", hex(sm4), "681edf34d206965e86b3e94f536e4246", SEALSTONE_NO);
    one_cipher("sm4-cbc", sm4, iv, hex("aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb"),
        "78ebb11cc40b0a48312aaeb2040244cb4cb7016951909226979b0d15dc6a8f6d", SEALSTONE_NO);
    one_cipher("sm4-ctr", sm4, iv,
        hex("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd"
            "eeeeeeeeeeeeeeeeffffffffffffffffaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb"),
        "ac3236cb970cc20791364c395a1342d1a3cbc1878c6f30cd074cce385cdd70c7"
        "f234bc0e24c11980fd1286310ce37b926e02fcd0faa0baf38b2933851d824514",
        SEALSTONE_DEFAULT);
    // SP 800-38A appendices F.2.1 and F.5.1, and what `openssl enc` pads.
    const char *aes = "2b7e151628aed2a6abf7158809cf4f3c";
    data block = hex("6bc1bee22e409f96e93d7e117393172a");
    one_cipher("aes-128-cbc", aes, iv, block, "7649abac8119b246cee98e9b12e9197d", SEALSTONE_NO);
    one_cipher("aes-128-cbc", aes, iv, text_of("attack at dawn"), "89fc2ea14333a74c6319ab8d763d2829", SEALSTONE_DEFAULT);
    one_cipher("aes-128-ctr", aes, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", block, "874d6191b620e3261bef6864990db6ce",
        SEALSTONE_DEFAULT);
    cipher_batch("sm4-cbc");
    cipher_batch("aes-128-cbc");

    sealstone_cipher *cipher = NULL;
    bool pads = false;
    size_t len = 0;
    data key = hex(aes);
    data ivs = hex(iv);
    data wrong = filled(16, 0);
    OK(sealstone_cipher_new("aes-128-cbc", key.at, key.len, &cipher));
    OK(sealstone_cipher_pads(cipher, &pads));
    CHECK(pads);
    FAILS("partial_block",
        sealstone_cipher_encrypt(cipher, ivs.at, ivs.len, wrong.at, 15, room(15).at, 15, SEALSTONE_NO));
    data result = filled(16, 9);
    FAILS("invalid_padding",
        sealstone_cipher_decrypt(cipher, ivs.at, ivs.len, wrong.at, 16, result.at, 16, SEALSTONE_YES, &len));
    CHECK(is_zero(result.at, result.len) && len == 0);
    sealstone_cipher_free(cipher);

    // Triple DES, in ECB: both keys the same is DES, whose example FIPS 81 has.
    sealstone_legacy *legacy = NULL;
    sealstone_bytes *bytes = NULL;
    data des = hex("0123456789abcdef0123456789abcdef0123456789abcdef");
    data now = text_of("Now is t");
    OK(sealstone_legacy_new("des-ede3-ecb", des.at, des.len, true, &legacy));
    OK(sealstone_legacy_encrypt(legacy, NULL, 0, now.at, now.len, SEALSTONE_NO, &bytes));
    data sealed = taken(bytes);
    SAME(sealed, hex("3fa40e8a984d4815"));
    OK(sealstone_legacy_decrypt(legacy, NULL, 0, sealed.at, sealed.len, SEALSTONE_NO, &bytes));
    SAME(taken(bytes), now);
    sealstone_legacy_free(legacy);

    // RFC 3394 sections 4.1 and 4.6.
    data kek = hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    data secret = hex("00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f");
    const char *names[] = {"aes-128-kw", "aes-256-kw"};
    const char *results[] = {"1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5",
        "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"};
    for (size_t i = 0; i < 2; i++) {
        sealstone_key_wrap *wrap = NULL;
        OK(sealstone_key_wrap_new(names[i], kek.at, 16 * (i + 1), &wrap));
        OK(sealstone_key_wrap_wrap(wrap, secret.at, 16 * (i + 1), &bytes));
        data wrapped = taken(bytes);
        SAME(wrapped, hex(results[i]));
        OK(sealstone_key_wrap_unwrap(wrap, wrapped.at, wrapped.len, &bytes));
        CHECK(same(sealstone_bytes_data(bytes), sealstone_bytes_len(bytes), secret.at, 16 * (i + 1)));
        sealstone_bytes_free(bytes);
        wrapped.at[3] ^= 1;
        FAILS("not_authentic", sealstone_key_wrap_unwrap(wrap, wrapped.at, wrapped.len, &bytes));
        CHECK(bytes == NULL);
        sealstone_key_wrap_free(wrap);
    }
}

/* ---- SM2, signatures, exchange, RSA ---- */

static sealstone_sm2_private *sm2_private(const char *digits)
{
    data bytes = hex(digits);
    sealstone_sm2_private *key = NULL;
    OK(sealstone_sm2_private_of(bytes.at, bytes.len, &key));
    return key;
}

static sealstone_sm2_public *sm2_public(const sealstone_sm2_private *key)
{
    sealstone_sm2_public *made = NULL;
    OK(sealstone_sm2_public_key(key, &made));
    return made;
}

static void sm2(void)
{
    // GB/T 32918.5 appendix A.
    sealstone_sm2_private *key = sm2_private("3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8");
    sealstone_sm2_public *public_key = sm2_public(key);
    sealstone_bytes *bytes = NULL;
    OK(sealstone_sm2_public_bytes(public_key, &bytes));
    SAME(taken(bytes),
        hex("0409f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020"
            "ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13"));
    data message = text_of("message digest");
    data digest = hex("f0b43e94ba45accaace692ed534382eb17e6ab5a19ce7b31f4486fdfc0d28640");
    OK(sealstone_sm2_digest(public_key, message.at, message.len, NULL, 0, &bytes));
    SAME(taken(bytes), digest);
    data signature = hex(
        "f5a03b0648d2c4630eeac513e1bb81a15944da3827d5b74143ac7eaceee720b3"
        "b1b6aa29df212fd8763182bc0d421ca1bb9038fd1f7f42d4840b69c485bbc1aa");
    OK(sealstone_sm2_verify(public_key, message.at, message.len, signature.at, signature.len, NULL, 0, "fixed"));
    OK(sealstone_sm2_verify_digest(public_key, digest.at, digest.len, signature.at, signature.len, "fixed"));
    FAILS("invalid_signature",
        sealstone_sm2_verify(public_key, message.at, 3, signature.at, signature.len, NULL, 0, "fixed"));
    data id = text_of("alice@example.com");
    OK(sealstone_sm2_sign(key, message.at, message.len, id.at, id.len, NULL, &bytes));
    data made = taken(bytes);
    OK(sealstone_sm2_verify(public_key, message.at, message.len, made.at, made.len, id.at, id.len, NULL));
    FAILS("invalid_signature",
        sealstone_sm2_verify(public_key, message.at, message.len, made.at, made.len, NULL, 0, NULL));
    OK(sealstone_sm2_sign_digest(key, digest.at, digest.len, "der", &bytes));
    made = taken(bytes);
    OK(sealstone_sm2_verify(public_key, message.at, message.len, made.at, made.len, NULL, 0, "der"));

    const char *c1 = "04ebfc718e8d1798620432268e77feb6415e2ede0e073c0f4f640ecd2e149a73"
                     "e858f9d81e5430a57b36daab8f950a3c64e6ee6a63094d99283aff767e124df0";
    const char *c3 = "59983c18f809e262923c53aec295d30383b54e39d609d160afcb1908d0bd8766";
    const char *c2 = "21886ca989ca9c7d58087307ca93092d651efa";
    char joined[3][512];
    snprintf(joined[0], sizeof *joined, "04%s%s%s", c1, c3, c2);
    snprintf(joined[1], sizeof *joined, "04%s%s%s", c1, c2, c3);
    // SEQUENCE of two numbers, the second of which needs a zero before it, and two strings (GB/T 35276).
    snprintf(joined[2], sizeof *joined, "307c0220%.64s022100%s0420%s0413%s", c1, c1 + 64, c3, c2);
    const char *forms[3] = {"c1c3c2", "c1c2c3", "der"};
    data plaintext = text_of("encryption standard");
    for (size_t i = 0; i < 3; i++) {
        data ciphertext = hex(joined[i]);
        OK(sealstone_sm2_decrypt(key, ciphertext.at, ciphertext.len, forms[i], &bytes));
        SAME(taken(bytes), plaintext);
        OK(sealstone_sm2_encrypt(public_key, plaintext.at, plaintext.len, forms[i], &bytes));
        data fresh = taken(bytes);
        OK(sealstone_sm2_decrypt(key, fresh.at, fresh.len, forms[i], &bytes));
        SAME(taken(bytes), plaintext);
        fresh.at[fresh.len - 1] ^= 1;
        FAILS("not_authentic", sealstone_sm2_decrypt(key, fresh.at, fresh.len, forms[i], &bytes));
    }
    FAILS("empty_plaintext", sealstone_sm2_encrypt(public_key, NULL, 0, NULL, &bytes));

    // Keys come and go in their forms.
    const char *key_forms[] = {"pem", "der"};
    for (size_t i = 0; i < 2; i++) {
        sealstone_sm2_private *again = NULL;
        OK(sealstone_sm2_private_export(key, key_forms[i], NULL, 0, &bytes));
        OK(sealstone_sm2_private_parse(sealstone_bytes_data(bytes), sealstone_bytes_len(bytes), NULL, 0, &again));
        sealstone_bytes_free(bytes);
        OK(sealstone_sm2_private_bytes(again, &bytes));
        SAME(taken(bytes), hex("3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8"));
        sealstone_sm2_private_free(again);
        sealstone_sm2_public *other = NULL;
        OK(sealstone_sm2_public_export(public_key, key_forms[i], &bytes));
        OK(sealstone_sm2_public_parse(sealstone_bytes_data(bytes), sealstone_bytes_len(bytes), &other));
        sealstone_bytes_free(bytes);
        sealstone_sm2_public_free(other);
    }
    sealstone_sm2_public_free(public_key);
    sealstone_sm2_private_free(key);

    // GM/T 0003.5-2012 appendix B: the key exchange of two users with the usual id.
    sealstone_sm2_private *private_keys[4] = {
        sm2_private("81eb26e941bb5af16df116495f90695272ae2cd63d6c4ae1678418be48230029"),
        sm2_private("785129917d45a9ea5437a59356b82338eaadda6ceb199088f14ae10defa229b5"),
        sm2_private("d4de15474db74d06491c440d305e012400990f3e390c7e87153c12db2ea60bb3"),
        sm2_private("7e07124814b309489125eaed101113164ebf0f3458c5bd88335c1f9d596243d6"),
    };
    sealstone_sm2_public *public_keys[4];
    for (size_t i = 0; i < 4; i++) {
        public_keys[i] = sm2_public(private_keys[i]);
    }
    sealstone_sm2_exchanged *at_a = NULL;
    sealstone_sm2_exchanged *at_b = NULL;
    OK(sealstone_sm2_exchange(
        private_keys[0], true, NULL, 0, private_keys[2], public_keys[1], NULL, 0, public_keys[3], 16, &at_a));
    OK(sealstone_sm2_exchange(
        private_keys[1], false, NULL, 0, private_keys[3], public_keys[0], NULL, 0, public_keys[2], 16, &at_b));
    OK(sealstone_sm2_exchanged_key(at_a, &bytes));
    SAME(taken(bytes), hex("6c89347354de2484c60b4ab1fde4c6e5"));
    OK(sealstone_sm2_exchanged_key(at_b, &bytes));
    SAME(taken(bytes), hex("6c89347354de2484c60b4ab1fde4c6e5"));
    OK(sealstone_sm2_exchanged_confirmation(at_a, &bytes));
    data of_a = taken(bytes);
    SAME(of_a, hex("18c7894b3816df16cf07b05c5ec0bef5d655d58f779cc1b400a4f3884644db88"));
    OK(sealstone_sm2_exchanged_confirmation(at_b, &bytes));
    data of_b = taken(bytes);
    SAME(of_b, hex("d3a0fe15dee185ceae907a6b595cc32a266ed7b3367e9983a896dc32fa20f8eb"));
    OK(sealstone_sm2_exchanged_verify(at_a, of_b.at, of_b.len));
    OK(sealstone_sm2_exchanged_verify(at_b, of_a.at, of_a.len));
    FAILS("not_authentic", sealstone_sm2_exchanged_verify(at_b, of_b.at, of_b.len));
    sealstone_sm2_exchanged_free(at_a);
    sealstone_sm2_exchanged_free(at_b);
    for (size_t i = 0; i < 4; i++) {
        sealstone_sm2_public_free(public_keys[i]);
        sealstone_sm2_private_free(private_keys[i]);
    }
}

static void signatures(void)
{
    // RFC 8032 section 7.1, test 2.
    data secret = hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
    data message = hex("72");
    sealstone_sign_private *key = NULL;
    sealstone_sign_public *public_key = NULL;
    sealstone_bytes *bytes = NULL;
    OK(sealstone_sign_private_of("ed25519", secret.at, secret.len, &key));
    OK(sealstone_sign_public_key(key, &public_key));
    OK(sealstone_sign_public_export(public_key, "raw", NULL, &bytes));
    SAME(taken(bytes), hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"));
    size_t most = 0;
    size_t written = 0;
    OK(sealstone_sign_max_len(key, &most));
    data signature = room(most);
    OK(sealstone_sign_into(key, message.at, message.len, signature.at, signature.len, &written, NULL));
    signature.len = written;
    SAME(signature,
        hex("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"));
    OK(sealstone_sign_verify(public_key, message.at, message.len, signature.at, signature.len, NULL));
    signature.at[40] ^= 1;
    FAILS("invalid_signature",
        sealstone_sign_verify(public_key, message.at, message.len, signature.at, signature.len, NULL));
    sealstone_sign_public_free(public_key);
    sealstone_sign_private_free(key);

    // Each kind makes what it verifies; the default is hybrid.
    const char *kinds[] = {NULL, "ed25519", "p256-sign", "ml-dsa-65", "sm2-sign"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        STRUCTURE(sealstone_sign_options, options);
        data context = text_of("a context");
        bool is_hybrid = kinds[i] == NULL;
        if (is_hybrid) {
            options.context = context.at;
            options.context_len = context.len;
        }
        const char *kind = NULL;
        OK(sealstone_sign_generate(kinds[i], &key));
        OK(sealstone_sign_private_kind(key, &kind));
        CHECK(strcmp(kind, is_hybrid ? "hybrid-sign" : kinds[i]) == 0);
        OK(sealstone_sign_public_key(key, &public_key));
        OK(sealstone_sign_max_len(key, &most));
        signature = room(most);
        OK(sealstone_sign_into(key, message.at, message.len, signature.at, signature.len, &written, &options));
        OK(sealstone_sign_verify(public_key, message.at, message.len, signature.at, written, &options));
        if (is_hybrid) {
            FAILS("invalid_signature",
                sealstone_sign_verify(public_key, message.at, message.len, signature.at, written, NULL));
        }
        sealstone_sign_private *again = NULL;
        data passphrase = text_of("correct horse");
        OK(sealstone_sign_private_export(key, "pem", is_hybrid ? NULL : passphrase.at, is_hybrid ? 0 : passphrase.len, &bytes));
        OK(sealstone_sign_private_parse(sealstone_bytes_data(bytes), sealstone_bytes_len(bytes),
            is_hybrid ? NULL : passphrase.at, is_hybrid ? 0 : passphrase.len, &again));
        sealstone_bytes_free(bytes);
        sealstone_sign_private_free(again);
        sealstone_sign_public_free(public_key);
        sealstone_sign_private_free(key);
    }
}

static sealstone_exchange_private *exchange_private(const char *kind, const char *digits)
{
    data bytes = hex(digits);
    sealstone_exchange_private *key = NULL;
    OK(sealstone_exchange_private_of(kind, bytes.at, bytes.len, &key));
    return key;
}

static void exchanges(void)
{
    // RFC 7748 section 6.1.
    sealstone_exchange_private *alice =
        exchange_private("x25519", "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
    sealstone_exchange_private *bob =
        exchange_private("x25519", "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb");
    sealstone_exchange_public *of_alice = NULL;
    sealstone_exchange_public *of_bob = NULL;
    sealstone_bytes *bytes = NULL;
    OK(sealstone_exchange_public_key(alice, &of_alice));
    OK(sealstone_exchange_public_key(bob, &of_bob));
    OK(sealstone_exchange_public_export(of_bob, "raw", &bytes));
    SAME(taken(bytes), hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"));
    data shared = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
    OK(sealstone_exchange_shared_secret(alice, of_bob, &bytes));
    SAME(taken(bytes), shared);
    STRUCTURE(sealstone_agreed_by, by);
    data info = text_of("a protocol");
    by.kdf = "hkdf";
    by.hash = "sha256";
    by.info = info.at;
    by.info_len = info.len;
    OK(sealstone_exchange_agree(alice, of_bob, &by, 32, &bytes));
    data at_alice = taken(bytes);
    OK(sealstone_exchange_agree(bob, of_alice, &by, 32, &bytes));
    SAME(taken(bytes), at_alice);
    OK(sealstone_hkdf("sha256", shared.at, shared.len, NULL, 0, info.at, info.len, 32, &bytes));
    SAME(taken(bytes), at_alice);
    sealstone_exchange_public_free(of_alice);
    sealstone_exchange_public_free(of_bob);
    sealstone_exchange_private_free(alice);
    sealstone_exchange_private_free(bob);

    sealstone_exchange_private *key = NULL;
    sealstone_exchange_public *public_key = NULL;
    const char *kind = NULL;
    OK(sealstone_exchange_generate("ml-kem-768", &key));
    OK(sealstone_exchange_private_kind(key, &kind));
    CHECK(strcmp(kind, "ml-kem-768") == 0);
    OK(sealstone_exchange_public_key(key, &public_key));
    OK(sealstone_exchange_encapsulate(public_key, &bytes));
    data both = taken(bytes);
    size_t secret_len = sealstone_exchange_secret_len();
    CHECK(both.len == secret_len + 1088);
    data secret = room(secret_len);
    OK(sealstone_exchange_decapsulate(key, both.at + secret_len, both.len - secret_len, secret.at, secret.len));
    CHECK(same(secret.at, secret.len, both.at, secret_len));
    FAILS("wrong_length",
        sealstone_exchange_decapsulate(key, both.at + secret_len, 7, secret.at, secret.len));
    sealstone_exchange_public_free(public_key);
    sealstone_exchange_private_free(key);
}

static void rsa(void)
{
    sealstone_rsa_private *key = NULL;
    sealstone_rsa_public *public_key = NULL;
    sealstone_bytes *bytes = NULL;
    size_t bits = 0;
    OK(sealstone_rsa_generate(2048, NULL, &key));
    OK(sealstone_rsa_private_bits(key, &bits));
    CHECK(bits == 2048);
    OK(sealstone_rsa_public_key(key, &public_key));
    STRUCTURE(sealstone_oaep_options, options);
    data label = text_of("a label");
    data plaintext = text_of("attack at dawn");
    options.hash = "sha256";
    options.label = label.at;
    options.label_len = label.len;
    OK(sealstone_rsa_encrypt(public_key, plaintext.at, plaintext.len, &options, &bytes));
    data ciphertext = taken(bytes);
    OK(sealstone_rsa_decrypt(key, ciphertext.at, ciphertext.len, &options, &bytes));
    SAME(taken(bytes), plaintext);
    sealstone_rsa_public_free(public_key);
    sealstone_rsa_private_free(key);
}

/* ---- Keys and files ---- */

static void write_file(const char *path, data bytes)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes.at, 1, bytes.len, file) == bytes.len);
    if (file != NULL) {
        fclose(file);
    }
}

static data read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    data bytes = room(1 << 20);
    bytes.len = file == NULL ? 0 : fread(bytes.at, 1, bytes.len, file);
    CHECK(file != NULL);
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

static bool exists(const char *name)
{
    return access(path_of(name), F_OK) == 0;
}

/** Names in the folder, hidden ones too. */
static size_t names(void)
{
    DIR *entries = opendir(folder);
    size_t count = 0;
    while (entries != NULL && readdir(entries) != NULL) {
        count++;
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return count - 2;
}

typedef struct pair {
    sealstone_identity *identity;
    sealstone_recipient *recipient;
    sealstone_encryptor *encryptor;
    sealstone_decryptor *decryptor;
} pair;

static pair pair_of(const char *kind, const sealstone_encrypt_options *options)
{
    pair made = {NULL, NULL, NULL, NULL};
    OK(sealstone_identity_generate(kind, &made.identity));
    OK(sealstone_identity_recipient(made.identity, &made.recipient));
    const sealstone_recipient *recipients[] = {made.recipient};
    const sealstone_identity *identities[] = {made.identity};
    OK(sealstone_encryptor_new(recipients, 1, options, &made.encryptor));
    OK(sealstone_decryptor_new(identities, 1, options == NULL ? NULL : options->context,
        options == NULL ? 0 : options->context_len, NULL, 0, &made.decryptor));
    return made;
}

static void free_pair(pair made)
{
    sealstone_identity_free(made.identity);
    sealstone_recipient_free(made.recipient);
    sealstone_encryptor_free(made.encryptor);
    sealstone_decryptor_free(made.decryptor);
}

static void files_in_memory(void)
{
    const char *kinds[] = {NULL, "x25519", "p256", "ml-kem-768", "sm2"};
    data plaintext = noise(50000);
    sealstone_bytes *bytes = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        STRUCTURE(sealstone_encrypt_options, options);
        data context = text_of("letter.txt");
        options.armour = i % 2 == 0 ? SEALSTONE_YES : SEALSTONE_DEFAULT;
        options.context = i == 1 ? context.at : NULL;
        options.context_len = i == 1 ? context.len : 0;
        pair keys = pair_of(kinds[i], &options);
        OK(sealstone_encrypt(keys.encryptor, plaintext.at, plaintext.len, &bytes));
        data file = taken(bytes);
        bool is_text = false;
        OK(sealstone_file_is_armoured(file.at, file.len, &is_text));
        CHECK(is_text == (i % 2 == 0));
        OK(sealstone_decrypt(keys.decryptor, file.at, file.len, &bytes));
        SAME(taken(bytes), plaintext);
        OK(sealstone_decrypt_range(keys.decryptor, file.at, file.len, 16380, 16390, &bytes));
        CHECK(same(sealstone_bytes_data(bytes), sealstone_bytes_len(bytes), plaintext.at + 16380, 10));
        sealstone_bytes_free(bytes);
        FAILS("range_out_of_bounds",
            sealstone_decrypt_range(keys.decryptor, file.at, file.len, plaintext.len + 1, plaintext.len + 2, &bytes));

        sealstone_inspection *seen = NULL;
        OK(sealstone_inspect(file.at, file.len, &seen));
        CHECK(sealstone_inspection_version(seen) == 1 && sealstone_inspection_armoured(seen) == is_text);
        CHECK(sealstone_inspection_context_bound(seen) == (i == 1));
        CHECK(sealstone_inspection_plaintext_len(seen) == plaintext.len && sealstone_inspection_chunks(seen) == 4);
        CHECK(sealstone_inspection_stanzas_count(seen) == 1 && sealstone_inspection_stanzas_at(seen, 1) == NULL);
        const char *kind = sealstone_stanza_info_kind(sealstone_inspection_stanzas_at(seen, 0));
        CHECK(strcmp(kind, kinds[i] == NULL ? "hybrid" : kinds[i]) == 0);
        CHECK(strcmp(sealstone_inspection_suite(seen), i == 4 ? "sm4-gcm" : "aes-256-gcm") == 0);
        sealstone_inspection_free(seen);

        // Pushed in parts, and sealed and opened in units.
        sealstone_encrypt_stream *stream = NULL;
        data pushed = room(2 * plaintext.len);
        size_t len = 0;
        size_t written = 0;
        OK(sealstone_encrypt_stream_new(keys.encryptor, NULL, &stream));
        pushed.len = 0;
        for (size_t at = 0; at < plaintext.len; at += 7000) {
            size_t part = plaintext.len - at < 7000 ? plaintext.len - at : 7000;
            OK(sealstone_encrypt_stream_update_len(stream, part, &len));
            OK(sealstone_encrypt_stream_update(stream, plaintext.at + at, part, pushed.at + pushed.len, len, &written));
            CHECK(written <= len);
            pushed.len += written;
        }
        OK(sealstone_encrypt_stream_update_len(stream, 0, &len));
        OK(sealstone_encrypt_stream_finish(stream, pushed.at + pushed.len, len, &written));
        pushed.len += written;
        sealstone_encrypt_stream_free(stream);
        OK(sealstone_decrypt(keys.decryptor, pushed.at, pushed.len, &bytes));
        SAME(taken(bytes), plaintext);

        sealstone_sealer *sealer = NULL;
        uint64_t file_len = 0;
        OK(sealstone_sealer_new(keys.encryptor, NULL, &sealer));
        OK(sealstone_sealer_file_len(sealer, plaintext.len, &file_len));
        OK(sealstone_sealer_head(sealer, &bytes));
        data head = taken(bytes);
        data sealed = room((size_t)file_len);
        memcpy(sealed.at, head.at, head.len);
        size_t place = sealstone_sealed_chunk_len();
        size_t chunk = sealstone_chunk_len();
        CHECK(place - chunk == sealstone_tag_len());
        for (size_t n = 0; n * chunk < plaintext.len; n++) {
            size_t text = plaintext.len - n * chunk < chunk ? plaintext.len - n * chunk : chunk;
            memcpy(sealed.at + head.len + n * place, plaintext.at + n * chunk, text);
        }
        sealstone_unit *units[2] = {NULL, NULL};
        OK(sealstone_sealer_next_unit(sealer, 2 * place, &units[0]));
        OK(sealstone_sealer_next_unit(sealer, sealed.len - head.len - 2 * place, &units[1]));
        OK(sealstone_unit_seal(units[1], sealed.at + head.len + 2 * place, sealed.len - head.len - 2 * place));
        OK(sealstone_unit_seal(units[0], sealed.at + head.len, 2 * place));
        sealstone_unit_free(units[0]);
        sealstone_unit_free(units[1]);
        sealstone_sealer_free(sealer);
        OK(sealstone_decrypt(keys.decryptor, sealed.at, sealed.len, &bytes));
        SAME(taken(bytes), plaintext);

        OK(sealstone_sealer_new(keys.encryptor, NULL, &sealer));
        OK(sealstone_seal_into(sealer, plaintext.at, plaintext.len, sealed.at, sealed.len, 1));
        sealstone_sealer_free(sealer);
        OK(sealstone_decrypt(keys.decryptor, sealed.at, sealed.len, &bytes));
        SAME(taken(bytes), plaintext);
        free_pair(keys);
    }
}

static void keys_in_their_forms(void)
{
    pair keys = pair_of("x25519", NULL);
    sealstone_bytes *bytes = NULL;
    sealstone_bytes *other = NULL;
    const char *kind = NULL;
    OK(sealstone_identity_kind(keys.identity, &kind));
    CHECK(strcmp(kind, "x25519") == 0);
    OK(sealstone_recipient_fingerprint(keys.recipient, &bytes));
    CHECK(strncmp(sealstone_bytes_text(bytes), "SHA256:", 7) == 0 && sealstone_bytes_len(bytes) == 71);
    const char *forms[] = {"age", "pem", "der", "jwk"};
    for (size_t i = 0; i < 4; i++) {
        sealstone_bytes *file = NULL;
        sealstone_identity_list *identities = NULL;
        sealstone_recipient_list *recipients = NULL;
        OK(sealstone_identity_export(keys.identity, forms[i], NULL, 0, &file));
        OK(sealstone_identities_parse(sealstone_bytes_data(file), sealstone_bytes_len(file), NULL, 0, &identities));
        CHECK(sealstone_identity_list_count(identities) == 1 && sealstone_identity_list_at(identities, 1) == NULL);
        sealstone_bytes_free(file);
        OK(sealstone_recipient_export(keys.recipient, forms[i], &file));
        OK(sealstone_recipients_parse(sealstone_bytes_data(file), sealstone_bytes_len(file), &recipients));
        sealstone_bytes_free(file);
        OK(sealstone_recipient_fingerprint(sealstone_recipient_list_at(recipients, 0), &other));
        CHECK(strcmp(sealstone_bytes_text(other), sealstone_bytes_text(bytes)) == 0);
        sealstone_bytes_free(other);
        sealstone_identity_list_free(identities);
        sealstone_recipient_list_free(recipients);
    }
    sealstone_bytes_free(bytes);
    free_pair(keys);

    // A symmetric key.
    data secret = noise(32);
    sealstone_identity *identity = NULL;
    sealstone_recipient *recipient = NULL;
    FAILS("wrong_length", sealstone_identity_of_key(secret.at, 31, &identity));
    OK(sealstone_identity_of_key(secret.at, secret.len, &identity));
    OK(sealstone_identity_recipient(identity, &recipient));
    sealstone_recipient_free(recipient);
    sealstone_identity_free(identity);
}

static void chunked_and_messages(void)
{
    data secret = noise(32);
    data context = text_of("a row");
    data plaintext = noise(40000);
    sealstone_chunked_key *key = NULL;
    sealstone_bytes *bytes = NULL;
    OK(sealstone_chunked_key_new("aes-256-gcm", secret.at, secret.len, &key));
    OK(sealstone_chunked_encrypt(key, context.at, context.len, plaintext.at, plaintext.len, &bytes));
    data sealed = taken(bytes);
    CHECK(sealed.len == sealstone_chunked_head_len() + plaintext.len + 3 * sealstone_tag_len());
    OK(sealstone_chunked_decrypt(key, context.at, context.len, sealed.at, sealed.len, &bytes));
    SAME(taken(bytes), plaintext);
    FAILS("not_authentic", sealstone_chunked_decrypt(key, NULL, 0, sealed.at, sealed.len, &bytes));
    sealstone_opener *opener = NULL;
    OK(sealstone_chunked_opener(key, context.at, context.len, sealed.at, sealstone_chunked_head_len(), &opener));
    data places = copy_of(sealed.at + sealstone_chunked_head_len(), sealed.len - sealstone_chunked_head_len());
    OK(sealstone_opener_open(opener, 0, places.at, places.len));
    CHECK(same(places.at, 16384, plaintext.at, 16384));
    sealstone_opener_free(opener);
    sealstone_sealer *sealer = NULL;
    OK(sealstone_chunked_sealer(key, context.at, context.len, &sealer));
    data again = room(sealed.len);
    OK(sealstone_seal_into(sealer, plaintext.at, plaintext.len, again.at, again.len, 1));
    sealstone_sealer_free(sealer);
    OK(sealstone_chunked_decrypt(key, context.at, context.len, again.at, again.len, &bytes));
    SAME(taken(bytes), plaintext);
    sealstone_chunked_key_free(key);

    pair keys = pair_of("x25519", NULL);
    data words = text_of("attack at dawn");
    size_t len = 0;
    size_t head_len = 0;
    bool is_text = false;
    OK(sealstone_message_len(keys.recipient, words.len, &len));
    data message = room(len);
    OK(sealstone_message_seal_into(
        keys.recipient, words.at, words.len, context.at, context.len, message.at, message.len));
    OK(sealstone_message_head_len(keys.identity, message.at, message.len, message.len, &head_len));
    data opened = room(message.len - head_len - sealstone_tag_len());
    OK(sealstone_message_open_into(
        keys.identity, message.at, message.len, context.at, context.len, opened.at, opened.len));
    SAME(opened, words);
    FAILS("not_authentic",
        sealstone_message_open_into(keys.identity, message.at, message.len, NULL, 0, opened.at, opened.len));
    CHECK(is_zero(opened.at, opened.len));
    OK(sealstone_message_seal_armoured(keys.recipient, words.at, words.len, NULL, 0, &bytes));
    OK(sealstone_message_is_armoured(sealstone_bytes_data(bytes), sealstone_bytes_len(bytes), &is_text));
    CHECK(is_text);
    data text = taken(bytes);
    OK(sealstone_message_open_armoured(keys.identity, text.at, text.len, NULL, 0, &bytes));
    SAME(taken(bytes), words);

    // Batches of files.
    uint32_t lengths[3] = {3, 0, 11};
    sealstone_batch_result *sealed_items = NULL;
    sealstone_batch_result *opened_items = NULL;
    OK(sealstone_encrypt_batch(keys.encryptor, words.at, words.len, lengths, 3, NULL, 0, &sealed_items));
    size_t items_len = 0;
    size_t count = 0;
    const uint8_t *items = sealstone_batch_result_bytes(sealed_items, &items_len);
    const uint32_t *item_lengths = sealstone_batch_result_lengths(sealed_items, &count);
    CHECK(count == 3 && sealstone_batch_result_failures_count(sealed_items) == 0);
    data changed = copy_of(items, items_len);
    changed.at[item_lengths[0] - 1] ^= 1;
    OK(sealstone_decrypt_batch(keys.decryptor, changed.at, changed.len, item_lengths, count, NULL, 2, &opened_items));
    const sealstone_item_failure *failure = sealstone_batch_result_failures_at(opened_items, 0);
    CHECK(sealstone_batch_result_failures_count(opened_items) == 1 && sealstone_item_failure_index(failure) == 0);
    CHECK(strcmp(sealstone_item_failure_code(failure), "not_authentic") == 0);
    CHECK(sealstone_item_failure_message(failure) != NULL);
    items = sealstone_batch_result_bytes(opened_items, &items_len);
    CHECK(same(items, items_len, words.at + 3, 11));
    sealstone_batch_result_free(sealed_items);
    sealstone_batch_result_free(opened_items);
    free_pair(keys);
}

/** Archives: `in` has a file and a folder with another one. */
static void archives(void)
{
    pair keys = pair_of("x25519", NULL);
    CHECK(mkdir(path_of("in"), 0700) == 0 && mkdir(path_of("in/deep"), 0750) == 0);
    data plaintext = noise(100000);
    write_file(path_of("in/deep/noise"), plaintext);
    write_file(path_of("in/kept"), filled(7, 1));
    write_file(path_of("in/left.tmp"), filled(7, 2));
    CHECK(mkfifo(path_of("in/pipe"), 0600) == 0);

    // Two names, and two patterns, with a zero byte between them.
    char names[2048];
    int first_len = snprintf(names, sizeof names, "%s", path_of("in"));
    int second_len = snprintf(names + first_len + 1, sizeof names - (size_t)first_len - 1, "%s", path_of("in/kept"));
    size_t names_len = (size_t)first_len + 1 + (size_t)second_len;
    const uint8_t *at = (const uint8_t *)names;
    const uint8_t patterns[] = "*.tmp\0nothing";
    sealstone_archived *made = NULL;
    OK(sealstone_encrypt_folder(keys.encryptor, at, names_len, path_of("archive"), false, patterns, sizeof patterns - 1,
        "none", false, false, false, NULL, &made));
    CHECK(sealstone_archived_members(made) == 5 && sealstone_archived_file_bytes(made) == plaintext.len + 14);
    CHECK(sealstone_archived_plaintext(made) > plaintext.len);
    CHECK(sealstone_archived_ciphertext(made) > sealstone_archived_plaintext(made));
    CHECK(sealstone_archived_left_out(made) == 0 && sealstone_archived_notes_count(made) == 1);
    const sealstone_left_out *note = sealstone_archived_notes_at(made, 0);
    CHECK(strcmp(sealstone_left_out_code(note), "not_regular_file") == 0);
    CHECK(strstr(sealstone_left_out_message(note), "in/pipe") != NULL);
    CHECK(sealstone_archived_notes_at(made, 1) == NULL);
    sealstone_archived_free(made);
    FAILS("output_exists",
        sealstone_encrypt_folder(keys.encryptor, at, names_len, path_of("archive"), false, NULL, 0, NULL, false, false,
            false, NULL, &made));
    FAILS("invalid_option",
        sealstone_encrypt_folder(keys.encryptor, NULL, 0, path_of("never"), false, NULL, 0, NULL, false, false, false,
            NULL, &made));
    FAILS("invalid_option",
        sealstone_encrypt_folder(keys.encryptor, at, names_len, path_of("never"), false, NULL, 0, "23", false, false,
            false, NULL, &made));
    CHECK(made == NULL);

    sealstone_listing *listing = NULL;
    OK(sealstone_list_archive(keys.decryptor, path_of("archive"), NULL, &listing));
    size_t len = 0;
    size_t count = 0;
    const uint8_t *text = sealstone_listing_names(listing, &len);
    const char all[] = "in" "in/deep" "in/deep/noise" "in/kept" "kept";
    CHECK(same(text, len, (const uint8_t *)all, sizeof all - 1));
    const uint32_t *kinds = sealstone_listing_kinds(listing, &count);
    CHECK(count == 5 && kinds[0] == 3 && kinds[1] == 3 && kinds[2] == 0 && kinds[3] == 0 && kinds[4] == 0);
    const uint32_t *path_lengths = sealstone_listing_path_lengths(listing, &count);
    CHECK(count == 5 && path_lengths[0] == 2 && path_lengths[4] == 4);
    const uint32_t *link_lengths = sealstone_listing_link_lengths(listing, &count);
    CHECK(count == 5 && link_lengths[4] == 0);
    const uint64_t *sizes = sealstone_listing_sizes(listing, &count);
    CHECK(count == 5 && sizes[0] == 0 && sizes[2] == plaintext.len && sizes[3] == 7);
    const uint32_t *modes = sealstone_listing_modes(listing, &count);
    CHECK(count == 5 && modes[0] == 0700 && modes[1] == 0750);
    struct stat file;
    CHECK(stat(path_of("in/kept"), &file) == 0);
    const int64_t *seconds = sealstone_listing_seconds(listing, &count);
    CHECK(count == 5 && seconds[3] == (int64_t)file.st_mtime);
    const uint32_t *nanoseconds = sealstone_listing_nanoseconds(listing, &count);
    CHECK(count == 5 && nanoseconds[3] < 1000000000);
    sealstone_listing_free(listing);

    STRUCTURE(sealstone_extracted, extracted);
    OK(sealstone_extract_archive(keys.decryptor, path_of("archive"), path_of("out"), NULL, 0, false, false, false, false,
        false, NULL, &extracted));
    CHECK(extracted.members == 5 && extracted.file_bytes == plaintext.len + 14);
    SAME(read_file(path_of("out/in/deep/noise")), plaintext);
    FAILS("output_exists",
        sealstone_extract_archive(keys.decryptor, path_of("archive"), path_of("out"), NULL, 0, false, false, false, false,
            false, NULL, &extracted));
    const uint8_t wanted[] = "kept\0in/deep";
    OK(sealstone_extract_archive(keys.decryptor, path_of("archive"), path_of("some"), wanted, sizeof wanted - 1, false,
        false, false, false, false, NULL, &extracted));
    CHECK(extracted.members == 3 && extracted.file_bytes == plaintext.len + 7);
    CHECK(exists("some/in/deep/noise") && exists("some/kept") && !exists("some/in/kept"));
    FAILS("no_such_member",
        sealstone_extract_archive(keys.decryptor, path_of("archive"), path_of("never"), wanted, 3, false, false, false,
            false, false, NULL, &extracted));
    STRUCTURE(sealstone_processed, done);
    OK(sealstone_encrypt_file(keys.encryptor, path_of("in/kept"), path_of("no archive"), false, false, NULL, &done));
    FAILS("not_an_archive", sealstone_list_archive(keys.decryptor, path_of("no archive"), NULL, &listing));
    sealstone_job *job = NULL;
    OK(sealstone_job_new(&job));
    OK(sealstone_job_cancel(job));
    FAILS("cancelled",
        sealstone_extract_archive(keys.decryptor, path_of("archive"), path_of("never"), NULL, 0, false, false, false,
            false, false, job, &extracted));
    sealstone_job_free(job);
    CHECK(!exists("never"));
    free_pair(keys);
}

static void files_by_name(void)
{
    pair keys = pair_of("x25519", NULL);
    pair others = pair_of("x25519", NULL);
    data plaintext = noise(100000);
    write_file(path_of("plain"), plaintext);
    STRUCTURE(sealstone_processed, done);
    sealstone_job *job = NULL;
    STRUCTURE(sealstone_progress, progress);
    OK(sealstone_job_new(&job));
    OK(sealstone_encrypt_file(keys.encryptor, path_of("plain"), path_of("sealed"), false, false, job, &done));
    CHECK(done.plaintext == plaintext.len && done.ciphertext > plaintext.len);
    OK(sealstone_job_progress(job, &progress));
    CHECK(progress.done == progress.total && progress.done == plaintext.len);
    sealstone_job_free(job);
    FAILS("output_exists",
        sealstone_encrypt_file(keys.encryptor, path_of("plain"), path_of("sealed"), false, false, NULL, &done));
    OK(sealstone_encrypt_file(keys.encryptor, path_of("plain"), path_of("sealed"), true, false, NULL, &done));
    OK(sealstone_verify_file(keys.decryptor, path_of("sealed"), false, NULL, &done));
    CHECK(done.plaintext == plaintext.len);
    OK(sealstone_decrypt_file(keys.decryptor, path_of("sealed"), path_of("copy"), false, false, NULL, &done));
    SAME(read_file(path_of("copy")), plaintext);
    sealstone_bytes *bytes = NULL;
    OK(sealstone_decrypt_range_file(keys.decryptor, path_of("sealed"), 99990, 100000, false, NULL, &bytes));
    CHECK(same(sealstone_bytes_data(bytes), sealstone_bytes_len(bytes), plaintext.at + 99990, 10));
    sealstone_bytes_free(bytes);
    sealstone_inspection *seen = NULL;
    OK(sealstone_inspect_file(path_of("sealed"), false, NULL, &seen));
    CHECK(sealstone_inspection_plaintext_len(seen) == plaintext.len);
    sealstone_inspection_free(seen);

    // Other recipients, in memory and where the file is.
    const sealstone_identity *identities[] = {keys.identity};
    const sealstone_recipient *recipients[] = {others.recipient};
    sealstone_rewrapper *rewrapper = NULL;
    OK(sealstone_rewrapper_new(identities, 1, recipients, 1, SEALSTONE_YES, SEALSTONE_DEFAULT, NULL, &rewrapper));
    data file = read_file(path_of("sealed"));
    OK(sealstone_rewrap(rewrapper, file.at, file.len, &bytes));
    data rewrapped = taken(bytes);
    OK(sealstone_decrypt(others.decryptor, rewrapped.at, rewrapped.len, &bytes));
    SAME(taken(bytes), plaintext);
    FAILS("no_matching_identity", sealstone_decrypt(keys.decryptor, rewrapped.at, rewrapped.len, &bytes));
    OK(sealstone_rewrap_file(rewrapper, path_of("sealed"), false, NULL, &done));
    OK(sealstone_verify_file(others.decryptor, path_of("sealed"), false, NULL, &done));
    sealstone_rewrapper_free(rewrapper);

    // After an error there is nothing, also no file of another name.
    size_t before = names();
    file = read_file(path_of("sealed"));
    file.at[file.len - 1] ^= 1;
    write_file(path_of("changed"), file);
    sealstone_error *error =
        sealstone_decrypt_file(others.decryptor, path_of("changed"), path_of("never"), false, false, NULL, &done);
    CHECK(sealstone_error_number(error) == SEALSTONE_NOT_AUTHENTIC && sealstone_error_chunk(error) == 6);
    CHECK(strcmp(sealstone_error_message(error), "chunk 6 is not authentic") == 0);
    sealstone_error_free(error);
    FAILS("no_matching_identity",
        sealstone_decrypt_file(keys.decryptor, path_of("sealed"), path_of("never"), false, false, NULL, &done));
    error = sealstone_encrypt_file(keys.encryptor, path_of("is not there"), path_of("never"), false, false, NULL, &done);
    CHECK(sealstone_error_number(error) == SEALSTONE_IO && sealstone_error_errno(error) != 0);
    CHECK(sealstone_error_chunk(error) == UINT64_MAX);
    sealstone_error_free(error);
    FAILS("same_file", sealstone_encrypt_file(keys.encryptor, path_of("plain"), path_of("plain"), true, false, NULL, &done));
    // A job that is cancelled before its call ends it at once.
    OK(sealstone_job_new(&job));
    OK(sealstone_job_cancel(job));
    FAILS("cancelled",
        sealstone_encrypt_file(keys.encryptor, path_of("plain"), path_of("never"), false, false, job, &done));
    STRUCTURE(sealstone_cost, cost);
    STRUCTURE(sealstone_derived_of, of);
    data salt = filled(16, 1);
    cost.name = "argon2id";
    cost.a = 1 << 20;
    cost.b = 100;
    cost.c = 1;
    of.salt = salt.at;
    of.salt_len = salt.len;
    FAILS("cancelled", sealstone_derive(&cost, &of, false, 32, job, &bytes));
    CHECK(bytes == NULL);
    sealstone_job_free(job);
    CHECK(!exists("never") && names() == before + 1);

    // A writer's file appears when it is committed, and not otherwise.
    sealstone_writer *writer = NULL;
    OK(sealstone_writer_new(others.encryptor, path_of("written"), false, NULL, &writer));
    for (size_t at = 0; at < plaintext.len; at += 10000) {
        OK(sealstone_writer_write(writer, plaintext.at + at, 10000));
    }
    CHECK(!exists("written"));
    OK(sealstone_writer_commit(writer, &done));
    CHECK(done.plaintext == plaintext.len && exists("written"));
    FAILS("invalid_argument", sealstone_writer_write(writer, plaintext.at, 1));
    sealstone_writer_free(writer);
    OK(sealstone_verify_file(others.decryptor, path_of("written"), false, NULL, &done));
    OK(sealstone_writer_new(others.encryptor, path_of("never"), false, NULL, &writer));
    OK(sealstone_writer_write(writer, plaintext.at, plaintext.len));
    sealstone_writer_free(writer);
    CHECK(!exists("never") && names() == before + 2);
    // A job may be freed before its writer; one that is cancelled ends it.
    OK(sealstone_job_new(&job));
    OK(sealstone_writer_new(others.encryptor, path_of("never"), false, job, &writer));
    OK(sealstone_writer_write(writer, plaintext.at, plaintext.len));
    sealstone_job_free(job);
    OK(sealstone_writer_write(writer, plaintext.at, plaintext.len));
    sealstone_writer_free(writer);
    OK(sealstone_job_new(&job));
    OK(sealstone_writer_new(others.encryptor, path_of("never"), false, job, &writer));
    OK(sealstone_job_cancel(job));
    FAILS("cancelled", sealstone_writer_commit(writer, &done));
    sealstone_writer_free(writer);
    sealstone_job_free(job);
    CHECK(!exists("never") && names() == before + 2);
    free_pair(keys);
    free_pair(others);
}

static void signature_files(void)
{
    sealstone_sign_private *key = NULL;
    sealstone_sign_public *public_key = NULL;
    sealstone_signature_writer *writer = NULL;
    sealstone_signature_trusting *trusting = NULL;
    sealstone_signature_reader *reader = NULL;
    sealstone_bytes *bytes = NULL;
    OK(sealstone_sign_generate("ed25519", &key));
    OK(sealstone_sign_public_key(key, &public_key));
    OK(sealstone_signature_writer_new(key, "file", "a comment", NULL, &writer));
    OK(sealstone_signature_trusting_new("file", NULL, &trusting));
    OK(sealstone_signature_trust_key(trusting, public_key));
    OK(sealstone_signature_reader_new(trusting, &reader));
    data content = noise(70000);
    write_file(path_of("content"), content);

    // Detached: of a file, and of content in parts.
    OK(sealstone_signature_sign_file(writer, path_of("content"), false, NULL, &bytes));
    data signature = taken(bytes);
    sealstone_verification *said = NULL;
    OK(sealstone_signature_verify_file(reader, path_of("content"), signature.at, signature.len, false, NULL, &said));
    CHECK(strcmp(sealstone_verification_kind(said), "ed25519") == 0);
    CHECK(strcmp(sealstone_verification_comment(said), "a comment") == 0);
    CHECK(sealstone_verification_content_len(said) == content.len);
    CHECK(sealstone_verification_principals(said) == NULL);
    OK(sealstone_sign_fingerprint(public_key, &bytes));
    CHECK(strcmp(sealstone_verification_fingerprint(said), sealstone_bytes_text(bytes)) == 0);
    sealstone_bytes_free(bytes);
    OK(sealstone_sign_ssh_fingerprint(public_key, &bytes));
    CHECK(strcmp(sealstone_verification_ssh_fingerprint(said), sealstone_bytes_text(bytes)) == 0);
    sealstone_bytes_free(bytes);
    sealstone_verification_free(said);
    sealstone_signature_signing *signing = NULL;
    sealstone_signature_verifying *verifying = NULL;
    OK(sealstone_signature_signing_new(writer, &signing));
    OK(sealstone_signature_signing_update(signing, content.at, 5));
    OK(sealstone_signature_signing_update(signing, content.at + 5, content.len - 5));
    OK(sealstone_signature_signing_finish(signing, &bytes));
    SAME(taken(bytes), signature);
    sealstone_signature_signing_free(signing);
    OK(sealstone_signature_verifying_new(reader, signature.at, signature.len, &verifying));
    OK(sealstone_signature_verifying_update(verifying, content.at, content.len - 1));
    FAILS("invalid_signature", sealstone_signature_verifying_finish(verifying, &said));
    CHECK(said == NULL);
    sealstone_signature_verifying_free(verifying);

    // Attached, and the content again.
    STRUCTURE(sealstone_signed, done);
    OK(sealstone_signature_attach_file(writer, path_of("content"), path_of("attached"), false, false, NULL, &done));
    CHECK(done.content == content.len && done.written > content.len);
    OK(sealstone_signature_detach_file(reader, path_of("attached"), path_of("detached"), false, false, NULL, &said));
    SAME(read_file(path_of("detached")), content);
    sealstone_verification_free(said);
    OK(sealstone_signature_detach_file(reader, path_of("attached"), NULL, false, false, NULL, &said));
    sealstone_verification_free(said);
    data attached = read_file(path_of("attached"));
    attached.at[0] ^= 1;
    write_file(path_of("attached"), attached);
    size_t before = names();
    FAILS("invalid_signature",
        sealstone_signature_detach_file(reader, path_of("attached"), path_of("never"), false, false, NULL, &said));
    CHECK(names() == before);
    sealstone_signature_reader_free(reader);

    // A line of allowed signers, and another namespace.
    OK(sealstone_sign_public_export(public_key, "ssh", NULL, &bytes));
    char line[512];
    int len = snprintf(line, sizeof line, "alice@example.com %s\n", sealstone_bytes_text(bytes));
    sealstone_bytes_free(bytes);
    sealstone_signature_trusting_free(trusting);
    OK(sealstone_signature_trusting_new("file", NULL, &trusting));
    OK(sealstone_signature_trust_allowed(trusting, (const uint8_t *)line, (size_t)len, NULL, 1700000000));
    OK(sealstone_signature_reader_new(trusting, &reader));
    OK(sealstone_signature_verify_file(reader, path_of("content"), signature.at, signature.len, false, NULL, &said));
    CHECK(strcmp(sealstone_verification_principals(said), "alice@example.com") == 0);
    sealstone_verification_free(said);
    sealstone_signature_reader_free(reader);
    sealstone_signature_trusting_free(trusting);
    OK(sealstone_signature_trusting_new("mail", NULL, &trusting));
    OK(sealstone_signature_trust_key(trusting, public_key));
    OK(sealstone_signature_reader_new(trusting, &reader));
    FAILS("wrong_namespace",
        sealstone_signature_verify_file(reader, path_of("content"), signature.at, signature.len, false, NULL, &said));
    sealstone_signature_reader_free(reader);
    sealstone_signature_trusting_free(trusting);
    sealstone_signature_writer_free(writer);
    sealstone_sign_public_free(public_key);
    sealstone_sign_private_free(key);
}

static void age_files(void)
{
    sealstone_bytes *bytes = NULL;
    sealstone_age_identity *identity = NULL;
    sealstone_age_recipient *recipient = NULL;
    sealstone_age_encryptor *encryptor = NULL;
    sealstone_age_decryptor *decryptor = NULL;
    OK(sealstone_age_identity_generate("x25519", &bytes));
    OK(sealstone_age_identity_new(sealstone_bytes_data(bytes), sealstone_bytes_len(bytes), NULL, 0, &identity));
    sealstone_bytes_free(bytes);
    OK(sealstone_age_identity_recipient(identity, &bytes));
    CHECK(strncmp(sealstone_bytes_text(bytes), "age1", 4) == 0);
    OK(sealstone_age_recipient_new(sealstone_bytes_text(bytes), &recipient));
    sealstone_bytes_free(bytes);
    const sealstone_age_recipient *recipients[] = {recipient};
    const sealstone_age_identity *identities[] = {identity};
    OK(sealstone_age_encryptor_new(recipients, 1, 0, &encryptor));
    OK(sealstone_age_decryptor_new(identities, 1, 0, &decryptor));
    sealstone_age_identity_free(identity);
    sealstone_age_recipient_free(recipient);
    data plaintext = noise(100000);
    write_file(path_of("plain"), plaintext);
    STRUCTURE(sealstone_processed, done);
    OK(sealstone_age_encrypt_file(encryptor, path_of("plain"), path_of("of.age"), false, false, NULL, &done));
    OK(sealstone_age_decrypt_file(decryptor, path_of("of.age"), path_of("of.age.copy"), false, false, NULL, &done));
    SAME(read_file(path_of("of.age.copy")), plaintext);
    OK(sealstone_age_decrypt_range_file(decryptor, path_of("of.age"), 70000, 70010, false, NULL, &bytes));
    CHECK(same(sealstone_bytes_data(bytes), sealstone_bytes_len(bytes), plaintext.at + 70000, 10));
    sealstone_bytes_free(bytes);

    // In parts; age's chunks are of 64 KiB.
    sealstone_age_sealer *sealer = NULL;
    sealstone_age_opener *opener = NULL;
    data file = room(2 * plaintext.len);
    OK(sealstone_age_sealer_new(encryptor, NULL, &sealer));
    OK(sealstone_age_sealer_head(sealer, &bytes));
    data head = taken(bytes);
    memcpy(file.at, head.at, head.len);
    file.len = head.len;
    size_t taken_len = 0;
    for (size_t at = 0; at < plaintext.len; at += taken_len) {
        OK(sealstone_age_sealer_fill(sealer, plaintext.at + at, plaintext.len - at, &taken_len));
        OK(sealstone_age_sealer_unit(sealer, &bytes));
        data unit = taken(bytes);
        memcpy(file.at + file.len, unit.at, unit.len);
        file.len += unit.len;
    }
    OK(sealstone_age_sealer_finish(sealer, &bytes));
    data rest = taken(bytes);
    memcpy(file.at + file.len, rest.at, rest.len);
    file.len += rest.len;
    sealstone_age_sealer_free(sealer);
    size_t head_len = 0;
    uint64_t len = 0;
    OK(sealstone_age_head_len(file.at, file.len, &head_len));
    CHECK(head_len == head.len);
    OK(sealstone_age_sealed_len(plaintext.len, &len));
    CHECK(len == file.len - head.len);
    OK(sealstone_age_opened_len(len, &len));
    CHECK(len == plaintext.len);
    OK(sealstone_age_opener_new(decryptor, file.at, head_len, NULL, &opener));
    size_t sealed_chunk = sealstone_age_chunk_len() + sealstone_tag_len();
    OK(sealstone_age_opener_at(opener, 0, file.at + head_len, sealed_chunk, false, &bytes));
    CHECK(same(sealstone_bytes_data(bytes), sealstone_bytes_len(bytes), plaintext.at, sealstone_age_chunk_len()));
    sealstone_bytes_free(bytes);
    size_t opened = 0;
    for (size_t at = head_len; at < file.len; at += taken_len) {
        OK(sealstone_age_opener_fill(opener, file.at + at, file.len - at, &taken_len));
        OK(sealstone_age_opener_unit(opener, &bytes));
        opened += taken(bytes).len;
    }
    OK(sealstone_age_opener_finish(opener, true, &bytes));
    opened += taken(bytes).len;
    CHECK(opened == plaintext.len);
    sealstone_age_opener_free(opener);

    OK(sealstone_age_armour(file.at, file.len, &bytes));
    data text = taken(bytes);
    bool is_text = false;
    OK(sealstone_age_is_armoured(text.at, text.len, &is_text));
    CHECK(is_text);
    OK(sealstone_age_dearmour(text.at, text.len, &bytes));
    SAME(taken(bytes), file);
    sealstone_age_encryptor_free(encryptor);
    sealstone_age_decryptor_free(decryptor);
}

static void the_rest(void)
{
    CHECK(strcmp(sealstone_version(), "") != 0 && strncmp(sealstone_version(), sealstone_abi(), strlen(sealstone_abi())) == 0);
    sealstone_bytes *bytes = NULL;
    OK(sealstone_backend(&bytes));
    CHECK(strlen(sealstone_bytes_text(bytes)) == sealstone_bytes_len(bytes));
    sealstone_bytes_free(bytes);
    OK(sealstone_check_backend());
    data drawn = room(64);
    OK(sealstone_random_fill(drawn.at, drawn.len));
    CHECK(!is_zero(drawn.at, drawn.len));
    data words = text_of("attack at dawn");
    data digits = room(20);
    data back = room(digits.len);
    OK(sealstone_base64_encode_into(words.at, words.len, digits.at, digits.len));
    SAME(digits, text_of("YXR0YWNrIGF0IGRhd24="));
    OK(sealstone_base64_decode_into(digits.at, digits.len, back.at, back.len, &back.len));
    SAME(back, words);
}

int main(int count, char **arguments)
{
    if (count < 2) {
        printf("usage: families FOLDER\n");
        return 2;
    }
    folder = arguments[1];
    void (*const families[])(void) = {hashes, macs, keys_of_secrets, passwords, aeads, ciphers, sm2, signatures, exchanges, rsa,
        files_in_memory, keys_in_their_forms, chunked_and_messages, archives, files_by_name, signature_files, age_files, the_rest};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        families[i]();
        let_go();
    }
    return ended("families");
}
