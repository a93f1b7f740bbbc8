"""Secrets that two sides share, for protocols that go on by themselves: key agreement, and key encapsulation.

>>> from sealstone import exchange
>>> key = exchange.generate_key()
>>> secret, ciphertext = key.public_key.encapsulate()
>>> key.decapsulate(ciphertext) == secret
True

X25519 and ECDH agree; ML-KEM and `hybrid`, which is ML-KEM-768 and X25519 together, encapsulate, and withstand quantum computers as well.
To encrypt files, data and messages to a public key use `sealstone`.

What is shared says nothing about who the other side is: bind the public keys of both sides into `info`, and sign them, or take them from
where nobody can change them.
"""

from typing import NamedTuple

from ._native.exchange import (
    PrivateKey,
    PublicKey,
    export_private_key,
    export_public_key,
    generate_key,
    import_private_key,
    import_public_key,
)


class Encapsulated(NamedTuple):
    """A fresh secret, and the ciphertext to send, from which the other side gets the same secret."""

    secret: bytes
    """32 bytes, that nobody else has."""
    ciphertext: bytes


__all__ = [
    "Encapsulated",
    "PrivateKey",
    "PublicKey",
    "export_private_key",
    "export_public_key",
    "generate_key",
    "import_private_key",
    "import_public_key",
]
