"""Digests: SHA-2, SHA-3, BLAKE2, BLAKE3, SM3, and those of old data.

>>> from sealstone.hash import Hasher, hash
>>> hash("blake3", b"attack at dawn").hex()[:16]
'99cc788d1e21a03d'

FIPS 180-4, FIPS 202, RFC 7693, GB/T 32905. A digest is no tag: to know who made a message use `sealstone.mac`.
"""

from ._native.hash import Hasher, hash, hash_batch, hash_file

__all__ = ["Hasher", "hash", "hash_batch", "hash_file"]
