"""Signatures: a private key signs, and whoever has the public key verifies.

>>> from sealstone import sign
>>> key = sign.generate_key()
>>> signature = key.sign(b"attack at dawn")
>>> key.public_key.verify(b"attack at dawn", signature)

A key has one kind, which says how it signs: `hybrid-sign` for new things, since it holds as long as either ML-DSA-65 or Ed25519 does, and
the other kinds for systems that already use them. If others choose what you sign, put a word of your protocol before it. `verify` returns
nothing, and raises `InvalidSignature`.

`sealstone.signature` signs files, as `ssh-keygen` does.
"""

from ._native.sign import (
    PrivateKey,
    PublicKey,
    export_private_key,
    export_public_key,
    generate_key,
    generate_rsa_key,
    import_private_key,
    import_public_key,
)

__all__ = [
    "PrivateKey",
    "PublicKey",
    "export_private_key",
    "export_public_key",
    "generate_key",
    "generate_rsa_key",
    "import_private_key",
    "import_public_key",
]
