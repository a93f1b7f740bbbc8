"""Ciphers in unauthenticated modes, those of old data, key wrap, CCM and Poly1305."""

import copy
import os
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import helpers
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sealstone import errors, hazmat

LENGTHS = (0, 1, 15, 16, 17, 50, 1000, 2047, 2048, 4096, 65_536)
MODES = ("ecb", "cbc", "ctr", "cfb", "cfb8", "ofb")
CIPHERS: list[Any] = [
    *(f"aes-{bits}-{mode}" for bits in (128, 192, 256) for mode in MODES),
    *(f"sm4-{mode}" for mode in ("ecb", "cbc", "ctr", "cfb", "ofb", "xts", "xts-ieee")),
]
LEGACY: dict[Any, tuple[int, int]] = {
    "des-ecb": (8, 0),
    "des-cbc": (8, 8),
    "des-cfb": (8, 8),
    "des-ofb": (8, 8),
    "des-ede3-ecb": (24, 0),
    "des-ede3-cbc": (24, 8),
    "des-ede3-cfb": (24, 8),
    "des-ede3-ofb": (24, 8),
    "blowfish-ecb": (16, 0),
    "blowfish-cbc": (16, 8),
    "rc4": (16, 0),
}


def iv_of(algorithm: str, length: int = 16) -> bytes | None:
    return None if algorithm.endswith("-ecb") else os.urandom(length)


def cipher_of(algorithm: Any) -> hazmat.Cipher:
    return hazmat.Cipher(algorithm, os.urandom(hazmat.cipher_key_length(algorithm)))


@pytest.mark.parametrize("algorithm", CIPHERS)
def test_what_is_encrypted_is_decrypted(algorithm: Any) -> None:
    cipher, iv = cipher_of(algorithm), iv_of(algorithm)
    assert cipher.algorithm == algorithm
    pads = algorithm.endswith(("-ecb", "-cbc"))
    for length in LENGTHS:
        data = os.urandom(length)
        if "xts" in algorithm and length < 16:
            with pytest.raises(errors.PartialBlock):
                cipher.encrypt(iv, data)
            continue
        ciphertext = cipher.encrypt(iv, data)
        assert len(ciphertext) == (length // 16 * 16 + 16 if pads else length)
        assert cipher.decrypt(iv, ciphertext) == data
        for one in (bytearray(data), memoryview(data)):
            assert cipher.encrypt(iv, one) == ciphertext
        for one in (bytearray(ciphertext), memoryview(ciphertext)):
            assert cipher.decrypt(iv, one) == data
        if not pads or length % 16 == 0:
            assert cipher.encrypt(iv, data, padding=False) == ciphertext[:length]
            assert cipher.decrypt(iv, ciphertext[:length], padding=False) == data
        else:
            with pytest.raises(errors.PartialBlock):
                cipher.encrypt(iv, data, padding=False)
            with pytest.raises(errors.PartialBlock):
                cipher.decrypt(iv, ciphertext[:length], padding=False)


@given(
    algorithm=st.sampled_from(CIPHERS),
    data=st.binary(min_size=16, max_size=5000),
    key=st.binary(min_size=32, max_size=32),
)
def test_round_trips(algorithm: Any, data: bytes, key: bytes) -> None:
    if "xts" in algorithm and key[:16] == key[16:]:
        with pytest.raises(errors.InvalidKey):
            hazmat.Cipher(algorithm, key)
        return
    cipher, iv = hazmat.Cipher(algorithm, key[: hazmat.cipher_key_length(algorithm)]), iv_of(algorithm)
    assert cipher.decrypt(iv, cipher.encrypt(iv, data)) == data


@pytest.mark.parametrize("algorithm", [one for one in CIPHERS if "-xts" not in one])
def test_ciphers_are_those_of_openssl(algorithm: str) -> None:
    ciphers = helpers.module("cryptography.hazmat.primitives.ciphers")
    algorithms = helpers.module("cryptography.hazmat.primitives.ciphers.algorithms")
    modes = helpers.module("cryptography.hazmat.primitives.ciphers.modes")
    old_modes = helpers.module("cryptography.hazmat.decrepit.ciphers.modes")
    name, *_, mode = algorithm.split("-")
    key = os.urandom(hazmat.cipher_key_length(algorithm))  # type: ignore[arg-type]
    iv = iv_of(algorithm)
    of = getattr(old_modes if mode in ("cfb", "cfb8", "ofb") else modes, mode.upper())
    theirs = ciphers.Cipher(getattr(algorithms, name.upper())(key), of(iv) if iv else of())
    ours = hazmat.Cipher(algorithm, key)  # type: ignore[arg-type]
    for length in LENGTHS:
        data = os.urandom(length // 16 * 16 if mode in ("ecb", "cbc") else length)
        encryptor, decryptor = theirs.encryptor(), theirs.decryptor()
        ciphertext = encryptor.update(data) + encryptor.finalize()
        assert ours.encrypt(iv, data, padding=False) == ciphertext
        assert decryptor.update(ours.encrypt(iv, data, padding=False)) + decryptor.finalize() == data


def test_sm4_is_that_of_gmssl() -> None:
    sm4 = helpers.module("gmssl.sm4")
    key, iv = os.urandom(16), os.urandom(16)
    for length in (1, 15, 16, 17, 100):
        data = os.urandom(length)
        theirs = sm4.CryptSM4()
        theirs.set_key(key, sm4.SM4_ENCRYPT)
        assert hazmat.Cipher("sm4-ecb", key).encrypt(None, data) == theirs.crypt_ecb(data)
        assert hazmat.Cipher("sm4-cbc", key).encrypt(iv, data) == theirs.crypt_cbc(iv, data)


def test_wrong_padding_is_one_error() -> None:
    key = hazmat.Cipher("aes-128-cbc", bytes(16))
    for block in (bytes(16), bytes([17]) * 16, b"x" * 14 + b"\1\2"):
        with pytest.raises(errors.InvalidPadding):
            key.decrypt(bytes(16), key.encrypt(bytes(16), block, padding=False))
    with pytest.raises(errors.InvalidPadding):
        key.decrypt(bytes(16), b"")


@pytest.mark.parametrize(("algorithm", "lengths"), LEGACY.items())
def test_old_ciphers_decrypt_and_encrypt_only_for_those_who_say_so(algorithm: Any, lengths: tuple[int, int]) -> None:
    key, iv = os.urandom(lengths[0]), os.urandom(lengths[1]) or None
    reader = hazmat.LegacyCipher(algorithm, key)
    writer = hazmat.LegacyCipher(algorithm, key, allow_legacy_encryption=True)
    for length in (0, 1, 7, 8, 9, 3000):
        data = os.urandom(length)
        with pytest.raises(errors.LegacyEncryption):
            reader.encrypt(iv, data)
        ciphertext = writer.encrypt(iv, data)
        assert reader.decrypt(iv, bytearray(ciphertext)) == writer.decrypt(iv, ciphertext) == data


@pytest.mark.parametrize(
    ("name", "theirs", "key_length", "modes"),
    [
        ("des-ede3", "TripleDES", 24, ("ecb", "cbc", "cfb", "ofb")),
        ("blowfish", "Blowfish", 16, ("ecb", "cbc")),
    ],
)
def test_old_ciphers_are_those_of_openssl(name: str, theirs: str, key_length: int, modes: tuple[str, ...]) -> None:
    ciphers = helpers.module("cryptography.hazmat.primitives.ciphers")
    algorithms = helpers.module("cryptography.hazmat.decrepit.ciphers.algorithms")
    new = helpers.module("cryptography.hazmat.primitives.ciphers.modes")
    old = helpers.module("cryptography.hazmat.decrepit.ciphers.modes")
    for mode in modes:
        of = getattr(old if mode in ("cfb", "ofb") else new, mode.upper())
        for length in (0, 8, 800):
            key, data = os.urandom(key_length), os.urandom(length)
            iv = None if mode == "ecb" else os.urandom(8)
            encryptor = ciphers.Cipher(getattr(algorithms, theirs)(key), of(iv) if iv else of()).encryptor()
            ciphertext = encryptor.update(data) + encryptor.finalize()
            untyped: Any = f"{name}-{mode}"
            assert hazmat.LegacyCipher(untyped, key).decrypt(iv, ciphertext, padding=False) == data


def test_rc4_is_that_of_openssl() -> None:
    ciphers = helpers.module("cryptography.hazmat.primitives.ciphers")
    algorithms = helpers.module("cryptography.hazmat.decrepit.ciphers.algorithms")
    key, data = os.urandom(16), os.urandom(3000)
    theirs = ciphers.Cipher(algorithms.ARC4(key), None).encryptor().update(data)
    assert hazmat.LegacyCipher("rc4", key).decrypt(None, theirs) == data


def test_rabbit_decrypts_and_never_encrypts() -> None:
    # RFC 4503 appendix A.1: the beginning of the keystream of a key of zeros, which it prints as a number.
    rabbit = hazmat.LegacyCipher("rabbit", bytes(16))
    assert rabbit.decrypt(None, bytes(16))[::-1].hex() == "b15754f036a5d6ecf56b45261c4af702"
    with pytest.raises(errors.LegacyEncryption):
        rabbit.encrypt(None, b"")
    with pytest.raises(errors.LegacyEncryption):
        hazmat.LegacyCipher("rabbit", bytes(16), allow_legacy_encryption=True)


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_key_wrap_is_that_of_openssl(bits: int) -> None:
    keywrap = helpers.module("cryptography.hazmat.primitives.keywrap")
    key = os.urandom(bits // 8)
    for form, wrap, lengths in (
        ("kw", keywrap.aes_key_wrap, (16, 24, 32, 64, 1000)),
        ("kwp", keywrap.aes_key_wrap_with_padding, (1, 7, 8, 9, 16, 17, 20, 33, 1001)),
    ):
        algorithm: Any = f"aes-{bits}-{form}"
        ours = hazmat.KeyWrap(algorithm, key)
        assert ours.algorithm == algorithm
        for length in lengths:
            secret = os.urandom(length)
            wrapped = ours.wrap(bytearray(secret))
            assert wrapped == wrap(key, secret)
            assert ours.unwrap(memoryview(wrapped)) == secret
            for at in (0, len(wrapped) - 1):
                damaged = bytearray(wrapped)
                damaged[at] ^= 1
                with pytest.raises(errors.NotAuthentic):
                    ours.unwrap(damaged)
            with pytest.raises(errors.NotAuthentic):
                ours.unwrap(wrapped[:-8])
    for wrong in (b"", bytes(15), bytes(17)):
        with pytest.raises(errors.WrongLength):
            hazmat.KeyWrap("aes-128-kw", bytes(16)).wrap(wrong)


@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("tag_length", [4, 6, 8, 10, 12, 14, 16])
def test_ccm_is_that_of_openssl(bits: int, tag_length: int) -> None:
    aead = helpers.module("cryptography.hazmat.primitives.ciphers.aead")
    algorithm: Any = f"aes-{bits}-ccm"
    for nonce_length in (7, 12, 13):
        key, nonce, aad = os.urandom(bits // 8), os.urandom(nonce_length), os.urandom(33)
        ours = hazmat.CcmKey(algorithm, key, tag_length=tag_length)
        assert (ours.algorithm, ours.tag_length) == (algorithm, tag_length)
        for length in (0, 1, 16, 50, 1025, 60_000):
            data = os.urandom(length)
            sealed = ours.seal(nonce, bytearray(data), aad)
            assert sealed == aead.AESCCM(key, tag_length).encrypt(nonce, data, aad)
            assert ours.open(nonce, memoryview(sealed), aad) == data
            assert ours.open(nonce, ours.seal(nonce, data)) == data
            damaged = bytearray(sealed)
            damaged[-1] ^= 1
            for wrong in (
                (nonce, damaged, aad),
                (nonce, sealed),
                (bytes(nonce_length), sealed, aad),
                (nonce, b"", aad),
            ):
                with pytest.raises(errors.NotAuthentic):
                    ours.open(*wrong)
    with pytest.raises(errors.TooLong):
        ours.seal(bytes(13), bytes(65_536))
    for wrong_nonce in (bytes(6), bytes(14)):
        with pytest.raises(errors.WrongLength):
            ours.seal(wrong_nonce, b"")
        with pytest.raises(errors.WrongLength):
            ours.open(wrong_nonce, bytes(16))
        with pytest.raises(errors.NotAuthentic):
            ours.open(wrong_nonce, bytes(tag_length - 1))


@given(key=st.binary(min_size=32, max_size=32), data=st.binary(max_size=5000))
def test_poly1305_is_that_of_openssl(key: bytes, data: bytes) -> None:
    theirs = helpers.module("cryptography.hazmat.primitives.poly1305")
    assert hazmat.poly1305(key, bytearray(data)) == theirs.Poly1305.generate_tag(key, data)


def keys() -> list[Any]:
    return [
        hazmat.Cipher("aes-128-ctr", bytes(16)),
        hazmat.LegacyCipher("rc4", b"key"),
        hazmat.KeyWrap("aes-128-kw", bytes(16)),
        hazmat.CcmKey("aes-128-ccm", bytes(16)),
    ]


def test_secrets_show_nothing_and_stay() -> None:
    shown = ["Cipher(aes-128-ctr)", "LegacyCipher(rc4)", "KeyWrap(aes-128-kw)", "CcmKey(aes-128-ccm)"]
    assert list(map(repr, keys())) == shown
    for key in keys():
        for take in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="stays in its process"):
                take(key)


def test_a_destroyed_key_does_nothing() -> None:
    cipher, legacy, wrap, ccm = all_keys = keys()
    uses: list[Callable[[], object]] = [
        partial(cipher.encrypt, bytes(16), b""),
        partial(cipher.decrypt, bytes(16), b""),
        partial(legacy.decrypt, None, b""),
        partial(wrap.wrap, bytes(16)),
        partial(wrap.unwrap, bytes(24)),
        partial(ccm.seal, bytes(12), b""),
        partial(ccm.open, bytes(12), bytes(16)),
    ]
    for key in all_keys:
        key.destroy()
        key.destroy()
    for use in uses:
        with pytest.raises(ValueError, match="the key was destroyed"):
            use()


def test_wrong_uses_have_their_codes() -> None:
    import numpy as np

    untyped: Any = hazmat
    helpers.refused(
        errors.UnknownAlgorithm,
        lambda: untyped.Cipher("aes-128-gcm", bytes(16)),
        lambda: untyped.LegacyCipher("aes-128-cbc", bytes(16)),
        lambda: untyped.KeyWrap("AES-128-KW", bytes(16)),
        lambda: untyped.CcmKey("sm4-ccm", bytes(16)),
        lambda: untyped.cipher_key_length(""),
    )
    helpers.refused(
        errors.WrongLength,
        lambda: untyped.Cipher("aes-128-cbc", bytes(15)),
        lambda: untyped.Cipher("aes-128-cbc", bytes(16)).encrypt(bytes(15), b""),
        lambda: untyped.Cipher("aes-128-cbc", bytes(16)).decrypt(None, bytes(16)),
        lambda: untyped.Cipher("aes-128-ecb", bytes(16)).encrypt(bytes(16), b""),
        lambda: untyped.LegacyCipher("des-cbc", bytes(7)),
        lambda: untyped.LegacyCipher("des-cbc", bytes(8)).decrypt(bytes(7), bytes(8)),
        lambda: untyped.KeyWrap("aes-128-kw", bytes(15)),
        lambda: untyped.CcmKey("aes-128-ccm", bytes(17)),
        lambda: untyped.CcmKey("aes-128-ccm", bytes(16), tag_length=5),
        lambda: untyped.poly1305(bytes(31), b""),
    )
    with pytest.raises(errors.InvalidKey):
        hazmat.Cipher("sm4-xts", bytes(32))
    cipher, numbers = untyped.Cipher("aes-128-ctr", bytes(16)), np.arange(1000, dtype=np.uint32)
    assert cipher.encrypt(bytes(16), numbers) == cipher.encrypt(bytes(16), numbers.tobytes())
    helpers.refused(
        BufferError, lambda: cipher.encrypt(bytes(16), numbers[::2]), lambda: cipher.decrypt(bytes(16), numbers[::2])
    )
    helpers.refused(
        TypeError,
        lambda: untyped.Cipher("aes-128-ctr", "text"),
        lambda: untyped.Cipher("aes-128-ctr"),
        lambda: cipher.encrypt(bytes(16), "text"),
        lambda: cipher.encrypt("text", b""),
        lambda: cipher.encrypt(bytes(16), b"", True),
        lambda: cipher.encrypt(bytes(16), b"", padding="pkcs7"),
        lambda: untyped.LegacyCipher("rc4", b"key", True),
        lambda: untyped.poly1305("text", b""),
    )
