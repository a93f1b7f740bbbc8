"""Data in memory to a key and back, with fresh randomness, each library in its own format: records, messages and whole objects."""

import base64
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from protocol import Input, Setup, Trial, choose, read_options

_KEY = bytes(range(32))


class _Pair(NamedTuple):
    """Functions, and what they have behind the data."""

    encrypt: Callable[..., Any]
    decrypt: Callable[..., Any]
    to: tuple[Any, ...] = ()
    by: tuple[Any, ...] = ()

    def encrypting(self, data: bytes) -> Callable[[], Any]:
        """The call that encrypts: the library's own function, with nothing around it."""
        return partial(self.encrypt, data, *self.to)

    def decrypting(self, sealed: Any) -> Callable[[], Any]:
        return partial(self.decrypt, sealed, *self.by)


def _seal_random(kind: str) -> _Pair:
    from sealstone.aead import AeadKey

    key = AeadKey("aes-256-gcm", _KEY)
    return _Pair(key.seal_random, key.open_random)


def _fernet(kind: str) -> _Pair:
    from cryptography.fernet import Fernet

    key = Fernet(base64.urlsafe_b64encode(_KEY))
    return _Pair(key.encrypt, key.decrypt)


def _secret_box(kind: str) -> _Pair:
    from nacl.secret import SecretBox

    key = SecretBox(_KEY)
    return _Pair(key.encrypt, key.decrypt)


def _message(kind: str) -> _Pair:
    import sealstone

    identity = sealstone.generate_identity(kind)
    return _Pair(
        partial(sealstone.seal_message, sealstone.recipient_of(identity)), partial(sealstone.open_message, identity)
    )


def _file(kind: str, threads: int | None = None) -> _Pair:
    import sealstone

    identity = sealstone.generate_identity(kind)
    recipient = sealstone.recipient_of(identity)
    return _Pair(
        partial(sealstone.encrypt, recipients=recipient, threads=threads),
        partial(sealstone.decrypt, identities=identity, threads=threads),
    )


def _pyrage(kind: str) -> _Pair:
    import pyrage

    choose({"x25519": True}, kind, "kind")
    identity = pyrage.x25519.Identity.generate()
    return _Pair(pyrage.encrypt, pyrage.decrypt, ([identity.to_public()],), ([identity],))


def _sealed_box(kind: str) -> _Pair:
    from nacl.public import PrivateKey, SealedBox

    choose({"x25519": True}, kind, "kind")
    private = PrivateKey.generate()
    return _Pair(SealedBox(private.public_key).encrypt, SealedBox(private).decrypt)


def _copy(kind: str) -> _Pair:
    """What reading the object once and writing it once takes."""

    def copy(data: bytes) -> bytes:
        return bytes(memoryview(data))

    return _Pair(copy, copy)


_RECORDS = {"sealstone": _seal_random, "fernet": _fernet, "pynacl": _secret_box}
_PUBLIC_KEYS = {
    "sealstone": _file,
    "sealstone-message": _message,
    "pyrage": _pyrage,
    "pynacl": _sealed_box,
}
_OBJECTS = {
    "sealstone": _file,
    "sealstone-1-thread": partial(_file, threads=1),
    "fernet": _fernet,
    "pyrage": _pyrage,
    "copy": _copy,
}


def _operation(libraries: dict[str, Callable[[str], _Pair]], direction: str) -> Setup:
    def setup(place: Input, options: dict[str, str]) -> Trial:
        chosen = read_options(options, library="sealstone", kind="x25519")
        pair = choose(libraries, chosen["library"], "library")(chosen["kind"])
        data = place.read()
        if direction == "encrypt":
            return Trial(pair.encrypting(data), reveal=lambda sealed: (pair.decrypting(sealed)(),))
        return Trial(pair.decrypting(pair.encrypting(data)()))

    return setup


OPERATIONS = {
    f"{family}/{direction}": _operation(libraries, direction)
    for family, libraries in (("record", _RECORDS), ("public-key", _PUBLIC_KEYS), ("object", _OBJECTS))
    for direction in ("encrypt", "decrypt")
}
