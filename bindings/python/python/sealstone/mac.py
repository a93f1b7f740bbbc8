"""Tags of messages under a key: HMAC over every hash, AES-CMAC, KMAC256, BLAKE2b and BLAKE3 with a key.

>>> from sealstone.mac import MacKey
>>> MacKey("hmac-sha256", b"key").sign(b"The quick brown fox jumps over the lazy dog").hex()[:16]
'f7bc83f430538424'
"""

from ._native.mac import MacKey, MacSigner

__all__ = ["MacKey", "MacSigner"]
