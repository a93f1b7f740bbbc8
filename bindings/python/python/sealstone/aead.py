"""Authenticated encryption of one buffer: AES-GCM, AES-GCM-SIV, ChaCha20-Poly1305, XChaCha20-Poly1305, SM4 in GCM and CCM.

>>> from sealstone.aead import AeadKey, generate_key
>>> key = AeadKey("xchacha20-poly1305", generate_key("xchacha20-poly1305"))
>>> key.open_random(key.seal_random(b"attack at dawn"))
b'attack at dawn'

It is for protocols that have keys of their own. To encrypt to somebody, use `sealstone.encrypt`, or `sealstone.seal_message` of what is
short. SP 800-38D, RFC 8452, RFC 8439, RFC 8998.
"""

from ._native.aead import AeadKey, generate_key, key_length, nonce_length

__all__ = ["AeadKey", "generate_key", "key_length", "nonce_length"]
