"""Message authentication codes: HMAC over every hash but SHAKE, keyed BLAKE2b and BLAKE3, AES-CMAC and KMAC256.

>>> from sealstone.mac import MacKey
>>> key = MacKey("hmac-sha256", b"a secret that both sides have")
>>> tag = key.sign(b"order=17&state=paid")
>>> key.verify(b"order=17&state=paid", tag)

`verify` returns nothing, and raises `NotAuthentic`. A tag shows that a message comes from somebody with the key and is unchanged. It does
not say for what it was made: put that into the message, or use a key for each purpose.
"""

from ._native.mac import MacKey, MacSigner

__all__ = ["MacKey", "MacSigner"]
