"""Ciphers for data and protocols that already use them: block ciphers in unauthenticated modes, those of old data, key wrap, AES-CCM with
all its lengths, and Poly1305 by itself.

>>> from sealstone.hazmat import Cipher
>>> Cipher("aes-256-ctr", bytes(32)).encrypt(bytes(16), b"attack at dawn").hex()
'bde1b419c12ba9e8d968c675e5ea'

In unauthenticated modes a changed ciphertext decrypts to something else without an error. With CBC, anyone who can learn whether padding
was right can decrypt. ECB keeps equal blocks equal. CTR and OFB reveal both plaintexts if an IV is used twice. Use `sealstone.aead` for all
new data.
"""

from ._native.hazmat import CcmKey, Cipher, KeyWrap, LegacyCipher, cipher_key_length, poly1305

__all__ = ["CcmKey", "Cipher", "KeyWrap", "LegacyCipher", "cipher_key_length", "poly1305"]
