"""AEADs under one key and one nonce, as each library for Python has them."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from protocol import Input, Setup, Trial, Unsupported, choose, read_options

_KEY = bytes(range(32))
_NONCE = bytes(range(0x40, 0x4C))
_TAG_LEN = 16
_SM4_KEY = b"1234567890abcdef"
_SM4_IV = b"fedcba0987654321"


class _Aead(NamedTuple):
    """The calls that seal a plaintext, and open `ciphertext || tag`: each is the library's own function, with nothing around it."""

    seal: Callable[[bytes], Callable[[], Any]]
    open: Callable[[bytes], Callable[[], Any]]
    seal_into: Callable[[bytes, bytearray], Callable[[], Any]] | None = None
    """As `seal`, into memory of the caller's."""
    open_into: Callable[[bytes, bytearray], Callable[[], Any]] | None = None


def _sealstone(algorithm: str) -> _Aead:
    from sealstone.aead import AeadKey

    key = AeadKey(algorithm, _SM4_KEY if algorithm == "sm4-gcm" else _KEY)
    return _Aead(
        lambda data: partial(key.seal, _NONCE, data),
        lambda sealed: partial(key.open, _NONCE, sealed),
        lambda data, out: partial(key.seal_into, _NONCE, data, out),
        lambda sealed, out: partial(key.open_into, _NONCE, sealed, out),
    )


def _cryptography(algorithm: str) -> _Aead:
    from cryptography.hazmat.primitives.ciphers import aead

    key = choose({"aes-256-gcm": aead.AESGCM, "chacha20-poly1305": aead.ChaCha20Poly1305}, algorithm, "algorithm")(_KEY)
    return _Aead(
        lambda data: partial(key.encrypt, _NONCE, data, None),
        lambda sealed: partial(key.decrypt, _NONCE, sealed, None),
        lambda data, out: partial(key.encrypt_into, _NONCE, data, None, out),
        lambda sealed, out: partial(key.decrypt_into, _NONCE, sealed, None, out),
    )


def _gmssl(algorithm: str) -> _Aead:
    """Of SM4 it has no mode that authenticates, so CBC stands beside GCM."""
    from gmssl.sm4 import SM4_DECRYPT, SM4_ENCRYPT, CryptSM4

    choose({"sm4-cbc": True}, algorithm, "algorithm")
    sealing, opening = CryptSM4(), CryptSM4()
    sealing.set_key(_SM4_KEY, SM4_ENCRYPT)
    opening.set_key(_SM4_KEY, SM4_DECRYPT)
    return _Aead(
        lambda data: partial(sealing.crypt_cbc, _SM4_IV, data),
        lambda sealed: partial(opening.crypt_cbc, _SM4_IV, sealed),
    )


_LIBRARIES = {"sealstone": _sealstone, "cryptography": _cryptography, "gmssl": _gmssl}


def _of(suite: str, operation: str) -> Setup:
    def setup(place: Input, options: dict[str, str]) -> Trial:
        chosen = read_options(options, library="sealstone", into="new")
        aead = choose(_LIBRARIES, chosen["library"], "library")(suite)
        data = place.read()
        if choose({"new": False, "given": True}, chosen["into"], "memory"):
            given = data if operation == "seal" else aead.seal(data)()
            call = aead.seal_into if operation == "seal" else aead.open_into
            if call is None:
                raise Unsupported("it has no function that writes to memory of the caller's")
            out = bytearray(len(data) + (_TAG_LEN if operation == "seal" else 0))
            return Trial(call(given, out), reveal=lambda _: (out,), length=lambda _: len(out))
        return Trial(aead.seal(data) if operation == "seal" else aead.open(aead.seal(data)()))

    return setup


def _any(operation: str) -> Setup:
    """With the algorithm that an option names, so that one can be compared with another."""

    def setup(place: Input, options: dict[str, str]) -> Trial:
        chosen = read_options(options, library="sealstone", algorithm="aes-256-gcm")
        aead = choose(_LIBRARIES, chosen["library"], "library")(chosen["algorithm"])
        data = place.read()
        if operation == "seal":
            return Trial(aead.seal(data), reveal=lambda sealed: (aead.open(sealed)(),))
        return Trial(aead.open(aead.seal(data)()))

    return setup


OPERATIONS = {
    **{
        f"aead/{suite}/{operation}": _of(suite, operation)
        for suite in ("aes-256-gcm", "chacha20-poly1305")
        for operation in ("seal", "open")
    },
    **{f"any-aead/{operation}": _any(operation) for operation in ("seal", "open")},
}
