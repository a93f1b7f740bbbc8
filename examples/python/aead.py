"""Seals packets under a key that both sides have, each into a buffer that is there."""

from sealstone.aead import AeadKey

# In a real program both sides have it from a key exchange.
key = AeadKey("chacha20-poly1305", bytes([7]) * 32)

received = []
for number, text in enumerate((b"attack", b"at", b"dawn")):
    # The number of a packet makes its nonce, which must never serve twice under one key.
    nonce = number.to_bytes(8, "little") + bytes(4)
    # What is not secret, and must not be changed either.
    header = f"packet {number}".encode()

    packet = bytearray(len(text) + 16)
    key.seal_into(nonce, text, packet, header)

    received.append(key.open(nonce, packet, header).decode())
print(*received)
