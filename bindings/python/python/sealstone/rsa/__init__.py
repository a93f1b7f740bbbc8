"""RSA encryption, for protocols that already use it: OAEP, and PKCS#1 v1.5 in `legacy`.

>>> from sealstone import rsa
>>> key = rsa.generate_key(2048)
>>> key.decrypt(key.public_key.encrypt(b"a key of 32 bytes"))
b'a key of 32 bytes'

It encrypts the key of a cipher, not data. `sealstone` encrypts files and data to public keys, and `sealstone.exchange` has what
withstands quantum computers. RSA that signs is in `sealstone.sign`.
"""

from .._native.rsa import (
    PrivateKey,
    PublicKey,
    export_private_key,
    export_public_key,
    generate_key,
    import_private_key,
    import_public_key,
)
from . import legacy

__all__ = [
    "PrivateKey",
    "PublicKey",
    "export_private_key",
    "export_public_key",
    "generate_key",
    "import_private_key",
    "import_public_key",
    "legacy",
]
