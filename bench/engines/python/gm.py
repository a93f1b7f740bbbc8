"""Chinese algorithms: SM3, SM4 in CBC with padding, and SM2."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from protocol import Input, Setup, Trial, choose, read_options

_KEY = b"1234567890abcdef"
_IV = b"fedcba0987654321"
_PRIVATE = "3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8"
"""The key of GB/T 32918.5's examples."""


class _Cbc(NamedTuple):
    encrypt: Callable[[bytes], bytes]
    decrypt: Callable[[bytes], bytes]


class _Sm2(NamedTuple):
    """Signatures are DER, and ciphertexts the point C1 with its byte 4, C3 and C2."""

    sign: Callable[[bytes], bytes]
    verify: Callable[[bytes, bytes], None]
    encrypt: Callable[[bytes], bytes]
    decrypt: Callable[[bytes], bytes]


def _sealstone_sm3() -> Callable[[bytes], bytes]:
    from sealstone.hash import hash

    return partial(hash, "sm3")


def _gmssl_sm3() -> Callable[[bytes], bytes]:
    from gmssl.sm3 import sm3_hash

    # It takes a list, to which it appends, and gives hexadecimal digits.
    return lambda data: bytes.fromhex(sm3_hash(list(data)))


def _sealstone_cbc() -> _Cbc:
    from sealstone.hazmat import Cipher

    cipher = Cipher("sm4-cbc", _KEY)
    return _Cbc(partial(cipher.encrypt, _IV), partial(cipher.decrypt, _IV))


def _gmssl_cbc() -> _Cbc:
    from gmssl.sm4 import SM4_DECRYPT, SM4_ENCRYPT, CryptSM4

    sealing, opening = CryptSM4(), CryptSM4()
    sealing.set_key(_KEY, SM4_ENCRYPT)
    opening.set_key(_KEY, SM4_DECRYPT)
    return _Cbc(partial(sealing.crypt_cbc, _IV), partial(opening.crypt_cbc, _IV))


def _sealstone_sm2() -> _Sm2:
    from sealstone.sm2 import PrivateKey

    private = PrivateKey.from_bytes(bytes.fromhex(_PRIVATE))
    public = private.public_key
    return _Sm2(
        partial(private.sign, encoding="der"),
        partial(public.verify, encoding="der"),
        partial(public.encrypt, form="c1c3c2"),
        partial(private.decrypt, form="c1c3c2"),
    )


def _gmssl_sm2() -> _Sm2:
    from gmssl.sm2 import CryptSM2, default_ecc_table

    public = CryptSM2(_PRIVATE, "")._kg(int(_PRIVATE, 16), default_ecc_table["g"])
    key = CryptSM2(_PRIVATE, public, mode=1, asn1=True)

    def verify(data: bytes, signature: bytes) -> None:
        if not key.verify_with_sm3(signature.hex(), data):
            raise ValueError("the signature is not that of the message")

    return _Sm2(
        lambda data: bytes.fromhex(key.sign_with_sm3(data)),
        verify,
        lambda data: b"\x04" + key.encrypt(data),
        lambda sealed: key.decrypt(sealed[1:]),
    )


_LIBRARIES: dict[str, tuple[Callable[[], Any], Callable[[], _Cbc], Callable[[], _Sm2]]] = {
    "sealstone": (_sealstone_sm3, _sealstone_cbc, _sealstone_sm2),
    "gmssl": (_gmssl_sm3, _gmssl_cbc, _gmssl_sm2),
}


def _setup(which: int, prepare: Callable[[Any, bytes], Trial]) -> Setup:
    def setup(place: Input, options: dict[str, str]) -> Trial:
        chosen = read_options(options, library="sealstone")
        return prepare(choose(_LIBRARIES, chosen["library"], "library")[which](), place.read())

    return setup


def _signing(sm2: _Sm2, data: bytes) -> Trial:
    return Trial(partial(sm2.sign, data), reveal=partial(_verified, sm2, data), written=bytes, opens=_opens(sm2, data))


def _verifying(sm2: _Sm2, data: bytes) -> Trial:
    signature = sm2.sign(data)

    def run() -> bytes:
        sm2.verify(data, signature)
        return data

    return Trial(run)


def _verified(sm2: _Sm2, data: bytes, signature: bytes) -> tuple[bytes]:
    sm2.verify(data, signature)
    return (data,)


def _opens(sm2: _Sm2, data: bytes) -> Callable[[bytes], bytes]:
    return lambda signature: _verified(sm2, data, signature)[0]


def _encrypting(sm2: _Sm2, data: bytes) -> Trial:
    return Trial(
        partial(sm2.encrypt, data), reveal=lambda sealed: (sm2.decrypt(sealed),), written=bytes, opens=sm2.decrypt
    )


OPERATIONS = {
    "hash/sm3": _setup(0, lambda sm3, data: Trial(partial(sm3, data))),
    "sm4-padded/cbc/encrypt": _setup(1, lambda cbc, data: Trial(partial(cbc.encrypt, data))),
    "sm4-padded/cbc/decrypt": _setup(1, lambda cbc, data: Trial(partial(cbc.decrypt, cbc.encrypt(data)))),
    "sm2/sign": _setup(2, _signing),
    "sm2/verify": _setup(2, _verifying),
    "sm2/encrypt": _setup(2, _encrypting),
    "sm2/decrypt": _setup(2, lambda sm2, data: Trial(partial(sm2.decrypt, sm2.encrypt(data)))),
}
