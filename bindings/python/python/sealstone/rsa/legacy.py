"""PKCS#1 v1.5 encryption (RFC 8017 section 7.2), for protocols that already use it; new ones use OAEP.

>>> from sealstone.rsa import generate_key, legacy
>>> key = generate_key(2048)
>>> legacy.decrypt_pkcs1(key, legacy.encrypt_pkcs1(key.public_key, b"a session key"))
b'a session key'
>>> # That was no ciphertext, which nothing says.
>>> len(legacy.decrypt_pkcs1(key, bytes([1]) * 256)) < 246
True

Decryption never says whether the padding was right, with which anyone could decrypt (Bleichenbacher 1998): a ciphertext that is damaged, or
for another key, decrypts to a message of random length and bytes, always the same message. So a later step must authenticate the result. If
the result must have a certain length, replace a result of another length by a random key, and go on.
"""

from .._native.rsa import decrypt_pkcs1, encrypt_pkcs1

__all__ = ["decrypt_pkcs1", "encrypt_pkcs1"]
