"""SM2 with one key that decrypts and signs, for protocols that already use it: certificates, payments, and what `sm-crypto`, `gmssl` and
Go's libraries write.

>>> from sealstone import sm2
>>> key = sm2.generate_key()
>>> ciphertext = key.public_key.encrypt(b"a key of 16 byte")
>>> key.decrypt(ciphertext)
b'a key of 16 byte'
>>> key.public_key.verify(b"attack at dawn", key.sign(b"attack at dawn"))

`sealstone` encrypts files and data to recipients of the kind `sm2`, and `sealstone.signature` signs files with keys of `sm2-sign`. With a
key of this module, who can have digests signed can have files signed: give `sign_digest` those alone that you computed.
"""

from ._native.sm2 import (
    PrivateKey,
    PublicKey,
    export_private_key,
    export_public_key,
    generate_key,
    import_private_key,
    import_public_key,
)

__all__ = [
    "PrivateKey",
    "PublicKey",
    "export_private_key",
    "export_public_key",
    "generate_key",
    "import_private_key",
    "import_public_key",
]
