"""Hash functions: SHA-2, SHA-3 and SHAKE, BLAKE2, BLAKE3, SM3, and for data of others MD5, SHA-1, RIPEMD-160 and Keccak.

>>> from sealstone.hash import hash
>>> hash("sha256", b"attack at dawn").hex()[:8]
'd502810c'

A digest from a trusted source shows that data is unchanged. It does not prove who made the data: `sealstone.mac` and `sealstone.sign` do.
Do not use these functions for passwords, but `sealstone.password`. MD5 and SHA-1 are broken: anyone can make two files with one digest.

FIPS 180-4, FIPS 202, RFC 7693, GB/T 32905.
"""

from ._native.hash import Hasher, hash, hash_batch, hash_file

__all__ = ["Hasher", "hash", "hash_batch", "hash_file"]
