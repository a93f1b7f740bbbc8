"""Sealstone files, versions 1 and 2, by the book.

A second implementation of spec/format.md: the suites, the stanzas x25519, p256, ml-kem-768, hybrid, sm2, plugin,
passphrase, passphrase-sm3 and key, and the armour; reference_archive.py has spec/archive.md. It shares no code with the Rust core,
so that a vector on which both agree says something about the format. It is written to be read beside the specification, section by section; it is neither fast
nor constant time, SM2 least of all: its arithmetic is written out here in Python's integers.

    python reference.py encrypt [-r RECIPIENT_OR_PEM]... [--key KEY] [--passphrase-file F] [--context TEXT] [-a] IN OUT
    python reference.py decrypt [-i IDENTITY_OR_FILE]... [--passphrase-file F] [--context TEXT] IN OUT
    python reference.py check DIR
"""

import argparse
import base64
import contextlib
import hashlib
import hmac
import io
import json
import os
import re
import secrets
import sys
import traceback
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, hpke, serialization
from cryptography.hazmat.primitives.asymmetric import ec, mlkem, x25519
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.ciphers.algorithms import SM4
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

from reference_archive import Frames, Malformed, check_extraction, decompress, describe, read_by_entry, read_in_order, read_index


class FormatError(Exception):
    """A verdict of section 8: its code, the section of the rule, and the lowest failing chunk where there is one."""

    def __init__(self, code, section, chunk=None):
        super().__init__(code if chunk is None else f"{code} (chunk {chunk})")
        self.code, self.section, self.chunk = code, section, chunk


# Sections 1 and 2: layout and suites.

MAGIC = b"\x89SEAL\r\n\x1a"
CONTEXT_BOUND, SIGNED, COMPRESSED, ARCHIVE = 0x0001, 0x0002, 0x0004, 0x0008
MAX_AREA = 2**21
MAX_STANZAS = 1024
MAX_ATTEMPTS = 4096


class SM4GCM:
    """The library has SM4 in the mode GCM, but not among its AEADs."""

    def __init__(self, key):
        self.cipher = SM4(key)

    def encrypt(self, nonce, plaintext, aad):
        encryptor = Cipher(self.cipher, modes.GCM(nonce)).encryptor()
        encryptor.authenticate_additional_data(aad or b"")
        return encryptor.update(plaintext) + encryptor.finalize() + encryptor.tag

    def decrypt(self, nonce, ciphertext, aad):
        decryptor = Cipher(self.cipher, modes.GCM(nonce, ciphertext[-16:])).decryptor()
        decryptor.authenticate_additional_data(aad or b"")
        return decryptor.update(ciphertext[:-16]) + decryptor.finalize()


@dataclass(frozen=True)
class Suite:
    id: int
    name: str
    aead_name: str
    aead: type
    hpke_aead: hpke.AEAD | None
    key_length: int
    hash: hashes.HashAlgorithm

    def hmac(self, key, data):
        made = HMAC(key, self.hash)
        made.update(data)
        return made.finalize()


SHA512, CHACHA20_POLY1305 = hashes.SHA512(), hpke.AEAD.CHACHA20_POLY1305
SUITES = {
    1: Suite(1, "aes-256-gcm", "AEAD_AES_256_GCM", AESGCM, hpke.AEAD.AES_256_GCM, 32, SHA512),
    2: Suite(2, "chacha20-poly1305", "AEAD_CHACHA20_POLY1305", ChaCha20Poly1305, CHACHA20_POLY1305, 32, SHA512),
    3: Suite(3, "sm4-gcm", "AEAD_SM4_GCM", SM4GCM, None, 16, hashes.SM3()),
}


def make_prefix(suite_id, flags):
    return MAGIC + bytes([1, suite_id]) + flags.to_bytes(2, "big")


# Section 3: keys.


def hkdf_expand(suite, key, info, length):
    """RFC 5869's HKDF-Expand with the suite's hash. The key is the PRK as it is: some libraries refuse one so short."""
    out, block, i = b"", b"", 0
    while len(out) < length:
        i += 1
        block = suite.hmac(key, block + info + bytes([i]))
        out += block
    return out[:length]


def header_mac(suite, file_key, header):
    mac_key = hkdf_expand(suite, file_key, b"sealstone/v1 header mac", 32)
    return suite.hmac(mac_key, header)[:32]


def derive_payload_key(suite, file_key):
    return hkdf_expand(suite, file_key, b"sealstone/v1 payload", suite.key_length)


# Section 4: stanzas. A recipient wraps the file key into a body, an identity unwraps a body or answers None.

X25519, P256, MLKEM768, HYBRID, SM2, PLUGIN = 0x0001, 0x0002, 0x0003, 0x0004, 0x0006, 0x0008
PASSPHRASE, PASSPHRASE_SM3, KEY = 0x0010, 0x0011, 0x0020
ONLY_STANZA = range(0x0010, 0x0020)
CLASSICAL, POST_QUANTUM = {X25519, P256, SM2}, {MLKEM768, HYBRID}
TAKEN = {1: {X25519, P256, MLKEM768, HYBRID, PLUGIN, PASSPHRASE, KEY}, 3: {SM2, PASSPHRASE_SM3, KEY}}
TAKEN[2] = TAKEN[1]
BODY_LENGTH = {
    X25519: 32 + 48,
    P256: 65 + 48,
    MLKEM768: 1088 + 48,
    HYBRID: 1120 + 48,
    SM2: 65 + 32 + 32 + 48,
    PASSPHRASE: 26 + 48,
    PASSPHRASE_SM3: 20 + 48,
    KEY: 24 + 48,
}
PLUGIN_LENGTH = range(1 + 16 + 6 + 48, 2**16)
MAX_PLUGIN_ATTEMPTS = 64


def hpke_suite(kem, suite):
    return hpke.Suite(kem, hpke.KDF.HKDF_SHA256, suite.hpke_aead)


def hpke_info(prefix):
    return b"sealstone/v1 file key\0" + prefix


def hpke_unwrap(kem, suite, prefix, secret, body):
    try:
        return hpke_suite(kem, suite).decrypt(body, secret, hpke_info(prefix))
    except (InvalidTag, ValueError):
        return None


@dataclass
class X25519Recipient:
    public: bytes
    type = X25519

    def wrap(self, suite, prefix, file_key):
        public = x25519.X25519PublicKey.from_public_bytes(self.public)
        return hpke_suite(hpke.KEM.X25519, suite).encrypt(file_key, public, hpke_info(prefix))


@dataclass
class X25519Identity:
    secret: bytes
    type = X25519

    def private_key(self):
        return x25519.X25519PrivateKey.from_private_bytes(self.secret)

    def recipient(self):
        return X25519Recipient(self.private_key().public_key().public_bytes_raw())

    def unwrap(self, suite, prefix, body):
        return hpke_unwrap(hpke.KEM.X25519, suite, prefix, self.private_key(), body)


@dataclass
class P256Recipient:
    public: bytes
    type = P256

    def public_key(self):
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), self.public)

    def wrap(self, suite, prefix, file_key):
        return hpke_suite(hpke.KEM.P256, suite).encrypt(file_key, self.public_key(), hpke_info(prefix))


@dataclass
class P256Identity:
    secret: bytes
    type = P256

    def private_key(self):
        return ec.derive_private_key(int.from_bytes(self.secret, "big"), ec.SECP256R1())

    def recipient(self):
        return P256Recipient(p256_point(self.private_key().public_key()))

    def unwrap(self, suite, prefix, body):
        if body[0] != 0x04:  # the library takes 06 and 07 too, which are the same point in another encoding
            return None
        return hpke_unwrap(hpke.KEM.P256, suite, prefix, self.private_key(), body)


def p256_point(public):
    return public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


@dataclass
class MlKem768Recipient:
    public: bytes
    type = MLKEM768

    def public_key(self):
        return mlkem.MLKEM768PublicKey.from_public_bytes(self.public)

    def wrap(self, suite, prefix, file_key):
        return hpke_suite(hpke.KEM.MLKEM768, suite).encrypt(file_key, self.public_key(), hpke_info(prefix))


@dataclass
class MlKem768Identity:
    seed: bytes
    type = MLKEM768

    def private_key(self):
        return mlkem.MLKEM768PrivateKey.from_seed_bytes(self.seed)

    def recipient(self):
        return MlKem768Recipient(self.private_key().public_key().public_bytes_raw())

    def unwrap(self, suite, prefix, body):
        return hpke_unwrap(hpke.KEM.MLKEM768, suite, prefix, self.private_key(), body)


@dataclass
class HybridRecipient:
    public: bytes
    type = HYBRID

    def wrap(self, suite, prefix, file_key):
        public = hpke.MLKEM768X25519PublicKey(
            mlkem.MLKEM768PublicKey.from_public_bytes(self.public[:1184]),
            x25519.X25519PublicKey.from_public_bytes(self.public[1184:]),
        )
        return hpke_suite(hpke.KEM.MLKEM768_X25519, suite).encrypt(file_key, public, hpke_info(prefix))


@dataclass
class HybridIdentity:
    seed: bytes
    type = HYBRID

    def halves(self):
        expanded = hashlib.shake_256(self.seed).digest(96)
        return (
            mlkem.MLKEM768PrivateKey.from_seed_bytes(expanded[:64]),
            x25519.X25519PrivateKey.from_private_bytes(expanded[64:]),
        )

    def recipient(self):
        return HybridRecipient(b"".join(half.public_key().public_bytes_raw() for half in self.halves()))

    def unwrap(self, suite, prefix, body):
        secret = hpke.MLKEM768X25519PrivateKey(*self.halves())
        return hpke_unwrap(hpke.KEM.MLKEM768_X25519, suite, prefix, secret, body)


def wrap_cipher(suite, root, prefix, stanza_type, head):
    """The AEAD and nonce of a wrap; `head` is the body without its last 48 bytes."""
    info = b"sealstone/v1 wrap\0" + prefix + stanza_type.to_bytes(2, "big") + head
    okm = hkdf_expand(suite, root, info, suite.key_length + 12)
    return suite.aead(okm[:-12]), okm[-12:]


def wrap(suite, root, prefix, stanza_type, head, file_key):
    cipher, nonce = wrap_cipher(suite, root, prefix, stanza_type, head)
    return head + cipher.encrypt(nonce, file_key, None)


def unwrap(suite, root, prefix, stanza_type, body):
    cipher, nonce = wrap_cipher(suite, root, prefix, stanza_type, body[:-48])
    try:
        return cipher.decrypt(nonce, body[-48:], None)
    except InvalidTag:
        return None


# SM2, GB/T 32918. The curve of part 5 is y^2 = x^3 - 3x + b; a point is (x, y), and None the one at infinity.

SM2_P = 2**256 - 2**224 - 2**96 + 2**64 - 1
SM2_B = 0x28E9FA9E9D9F5E344D5A9E4BCF6509A7F39789F515AB8F92DDBCBD414D940E93
SM2_N = 0xFFFFFFFEFFFFFFFFFFFFFFFFFFFFFFFF7203DF6B21C6052B53BBF40939D54123
SM2_G = (
    0x32C4AE2C1F1981195F9904466A39C9948FE30BBFF2660BE1715A4589334C74C7,
    0xBC3736A2F4F6779C59BDCEE36B692153D0A9877CC62A474002DF32E52139F0A0,
)


def sm2_add(s, t):
    if s is None or t is None:
        return s or t
    if s[0] == t[0] and (s[1] + t[1]) % SM2_P == 0:
        return None
    rise, run = (3 * s[0] ** 2 - 3, 2 * s[1]) if s == t else (t[1] - s[1], t[0] - s[0])
    slope = rise * pow(run, -1, SM2_P)
    x = (slope**2 - s[0] - t[0]) % SM2_P
    return x, (slope * (s[0] - x) - s[1]) % SM2_P


def sm2_multiply(scalar, point):
    total = None
    for bit in f"{scalar:b}":
        total = sm2_add(total, total)
        total = sm2_add(total, point) if bit == "1" else total
    return total


def sm2_encode(point):
    return b"\x04" + b"".join(coordinate.to_bytes(32, "big") for coordinate in point)


def sm2_decode(data):
    """The point of 65 bytes; infinity has no such form."""
    x, y = int.from_bytes(data[1:33], "big"), int.from_bytes(data[33:], "big")
    if len(data) != 65 or data[0] != 0x04 or x >= SM2_P or y >= SM2_P or (x**3 - 3 * x + SM2_B - y**2) % SM2_P:
        raise ValueError("not an uncompressed point of SM2's curve")
    return x, y


def sm3(data):
    digest = hashes.Hash(hashes.SM3())
    digest.update(data)
    return digest.finalize()


def sm2_mask(x2, y2, message):
    """The message XOR the KDF's output, or None where that is all zero, which part 4 forbids: A5 and B4."""
    counters = range(1, len(message) // 32 + 2)
    mask = b"".join(sm3(x2 + y2 + i.to_bytes(4, "big")) for i in counters)[: len(message)]
    return bytes(a ^ b for a, b in zip(message, mask)) if any(mask) else None


def sm2_halves(point):
    encoded = sm2_encode(point)
    return encoded[1:33], encoded[33:]


def sm2_encrypt(public, message, k):
    """Part 4, steps A2 to A7: C1, C3 and C2."""
    x2, y2 = sm2_halves(sm2_multiply(k, public))
    c2 = sm2_mask(x2, y2, message)
    if c2 is None:
        raise ValueError("another k is needed")
    return sm2_encode(sm2_multiply(k, SM2_G)), sm3(x2 + message + y2), c2


def sm2_decrypt(secret, c1, c3, c2):
    """Part 4, steps B1 to B6, or None. B2 has nothing to do, since the cofactor is 1."""
    try:
        x2, y2 = sm2_halves(sm2_multiply(secret, sm2_decode(c1)))
    except ValueError:
        return None
    message = sm2_mask(x2, y2, c2)
    if message is None or not hmac.compare_digest(sm3(x2 + message + y2), c3):
        return None
    return message


@dataclass
class Sm2Recipient:
    public: bytes
    type = SM2

    def wrap(self, suite, prefix, file_key):
        r, k = os.urandom(32), 1 + secrets.randbelow(SM2_N - 1)
        head = b"".join(sm2_encrypt(sm2_decode(self.public), r, k))
        return wrap(suite, r, prefix, SM2, head, file_key)


@dataclass
class Sm2Identity:
    secret: bytes
    type = SM2

    def scalar(self):
        scalar = int.from_bytes(self.secret, "big")
        if not 1 <= scalar <= SM2_N - 2:
            raise ValueError("the private key is out of range")
        return scalar

    def recipient(self):
        return Sm2Recipient(sm2_encode(sm2_multiply(self.scalar(), SM2_G)))

    def unwrap(self, suite, prefix, body):
        r = sm2_decrypt(self.scalar(), body[:65], body[65:97], body[97:129])
        return None if r is None else unwrap(suite, r, prefix, SM2, body)


def passphrase_bytes(text):
    encoded = unicodedata.normalize("NFC", text).encode()
    if not 1 <= len(encoded) <= 1024:
        raise ValueError("a passphrase is 1 to 1,024 bytes of UTF-8")
    return encoded


def passphrase_root(text, salt, m_kib, t, p):
    kdf = Argon2id(salt=salt, length=32, iterations=t, lanes=p, memory_cost=m_kib)
    return kdf.derive(passphrase_bytes(text))


def passphrase_costs(body):
    return int.from_bytes(body[1:5], "big"), int.from_bytes(body[5:9], "big"), body[9]


@dataclass
class Passphrase:
    """Recipient and identity in one: whoever knows it can do both."""

    text: str
    m_kib: int = 65536
    t: int = 3
    p: int = 1
    type = PASSPHRASE

    def wrap(self, suite, prefix, file_key, salt=None):
        salt = salt or os.urandom(16)
        head = b"\x13" + self.m_kib.to_bytes(4, "big") + self.t.to_bytes(4, "big") + bytes([self.p]) + salt
        root = passphrase_root(self.text, salt, self.m_kib, self.t, self.p)
        return wrap(suite, root, prefix, PASSPHRASE, head, file_key)

    def unwrap(self, suite, prefix, body):
        root = passphrase_root(self.text, body[10:26], *passphrase_costs(body))
        return unwrap(suite, root, prefix, PASSPHRASE, body)


def passphrase_sm3_root(text, salt, iterations):
    return PBKDF2HMAC(hashes.SM3(), 32, salt, iterations).derive(passphrase_bytes(text))


@dataclass
class PassphraseSm3:
    """The same in suite 3."""

    text: str
    iterations: int = 1_000_000
    type = PASSPHRASE_SM3

    def wrap(self, suite, prefix, file_key, salt=None):
        salt = salt or os.urandom(16)
        head = self.iterations.to_bytes(4, "big") + salt
        root = passphrase_sm3_root(self.text, salt, self.iterations)
        return wrap(suite, root, prefix, PASSPHRASE_SM3, head, file_key)

    def unwrap(self, suite, prefix, body):
        root = passphrase_sm3_root(self.text, body[4:20], int.from_bytes(body[:4], "big"))
        return unwrap(suite, root, prefix, PASSPHRASE_SM3, body)


def passphrases(text):
    """A reader's passphrase serves either type; no suite takes both."""
    return [Passphrase(text), PassphraseSm3(text)]


@dataclass
class Key:
    """A 32-byte symmetric key, recipient and identity in one."""

    key: bytes
    type = KEY

    def id(self, suite):
        return hkdf_expand(suite, self.key, b"sealstone/v1 key id", 8)

    def wrap(self, suite, prefix, file_key, salt=None):
        return wrap(suite, self.key, prefix, KEY, self.id(suite) + (salt or os.urandom(16)), file_key)

    def unwrap(self, suite, prefix, body):
        return unwrap(suite, self.key, prefix, KEY, body)


@dataclass
class Plugin:
    """A plugin of age that wraps a fixed secret, and knows it again by the type of its stanza; for vectors alone."""

    kind: str
    secret: bytes
    type = PLUGIN

    def wrap(self, suite, prefix, file_key, salt=None, flags=0, text=None):
        text = age_stanza(self.kind, ["x"], b"") if text is None else text
        head = bytes([flags]) + (salt or os.urandom(16)) + text
        return wrap(suite, self.secret, prefix, PLUGIN, head, file_key)

    def unwrap(self, suite, prefix, body):
        stanzas = parse_age_stanzas(body[17:-48])
        if body[0] & ~3 or stanzas is None or not any(kind == self.kind for kind, *_ in stanzas):
            return None
        return unwrap(suite, self.secret, prefix, PLUGIN, body)


AGE_LINE = 48


def age_stanza(kind, arguments, body):
    """A stanza as age's header has it."""
    lines = [base64.b64encode(body[at : at + AGE_LINE]).rstrip(b"=") for at in range(0, len(body) + 1, AGE_LINE)]
    return b"-> " + " ".join([kind, *arguments]).encode() + b"\n" + b"".join(line + b"\n" for line in lines)


def parse_age_stanzas(text):
    """Those of a text that is nothing else, each as type, arguments and body; else None."""
    if not text.endswith(b"\n"):
        return None
    lines, stanzas = text[:-1].split(b"\n"), []
    while lines:
        words = lines.pop(0).split(b" ")
        if words[0] != b"->" or len(words) < 2 or not all(re.fullmatch(rb"[!-~]+", word) for word in words):
            return None
        body, line = b"", b"A" * 64
        while len(line) == 64:
            if not lines:
                return None
            line = lines.pop(0)
            if len(line) > 64 or not re.fullmatch(rb"[A-Za-z0-9+/]*", line) or len(line) % 4 == 1:
                return None
            part = base64.b64decode(line + b"=" * (-len(line) % 4))
            if base64.b64encode(part).rstrip(b"=") != line:
                return None
            body += part
        kind, *arguments = (word.decode() for word in words[1:])
        stanzas.append((kind, arguments, body))
    return stanzas if 1 <= len(stanzas) <= 1024 else None


def parse_plugin(text):
    kind, secret = text.split(" ")
    return Plugin(kind, bytes.fromhex(secret))


def parse_stanzas(suite, area):
    """Step 2: what can be said of the stanzas without any secret."""
    malformed = FormatError("malformed_header", "4")
    stanzas = []
    while area:
        length = int.from_bytes(area[2:4], "big")
        if len(area) < 4 + length:
            raise malformed
        stanzas.append((int.from_bytes(area[:2], "big"), area[4 : 4 + length]))
        area = area[4 + length :]
    if not 1 <= len(stanzas) <= MAX_STANZAS:
        raise malformed
    for stanza_type, body in stanzas:
        if stanza_type in BODY_LENGTH and (stanza_type not in TAKEN[suite.id] or BODY_LENGTH[stanza_type] != len(body)):
            raise malformed
        if stanza_type == PLUGIN and (PLUGIN not in TAKEN[suite.id] or len(body) not in PLUGIN_LENGTH):
            raise malformed
    if len(stanzas) > 1 and any(stanza_type in ONLY_STANZA for stanza_type, _ in stanzas):
        raise malformed
    return stanzas


def check_costs(stanzas, identities):
    """Step 4: the costs, before any work is done, and only if that work would be done."""
    for stanza_type, body in stanzas:
        if not any(identity.type == stanza_type for identity in identities):
            continue
        low = high = False
        if stanza_type == PASSPHRASE:
            m_kib, t, p = passphrase_costs(body)
            low = body[0] != 0x13 or t < 1 or p < 1 or m_kib < 8 * p
            high = m_kib > 2**20 or t > 16 or p > 16
        elif stanza_type == PASSPHRASE_SM3:
            iterations = int.from_bytes(body[:4], "big")
            low, high = iterations < 1, iterations > 10_000_000
        if low or high:
            raise FormatError("malformed_header" if low else "cost_too_high", "4")


def unwrap_file_key(suite, prefix, stanzas, identities):
    """Step 5. The first success decides, also when its file key turns out to be wrong."""
    attempts = asked = 0
    for stanza_type, body in sorted(stanzas, key=lambda stanza: stanza[0] == PLUGIN):
        for identity in identities:
            if identity.type != stanza_type or (stanza_type == KEY and identity.id(suite) != body[:8]):
                continue
            if attempts == MAX_ATTEMPTS or stanza_type == PLUGIN and asked == MAX_PLUGIN_ATTEMPTS:
                raise FormatError("cost_too_high", "8")
            attempts, asked = attempts + 1, asked + (stanza_type == PLUGIN)
            file_key = identity.unwrap(suite, prefix, body)
            if file_key is not None:
                return file_key, stanza_type
    raise FormatError("no_matching_identity", "8")


# Section 5: the payload, C2SP chunked-encryption v1.

CHUNK = 16384
TAG = 16
SALT = 24
PREAMBLE = SALT + 32


class Payload:
    def __init__(self, suite, key, salt, context):
        info = b"c2sp.org/chunked-encryption@v1+" + suite.aead_name.encode() + b"\0" + salt + context
        okm = hkdf_expand(suite, key, info, suite.key_length + 12 + 32)
        self.cipher = suite.aead(okm[:-44])
        self.base_nonce = int.from_bytes(okm[-44:-32], "big")
        self.commitment = okm[-32:]

    def nonce(self, k):
        return (self.base_nonce ^ k).to_bytes(12, "big")

    def seal(self, k, chunk):
        return self.cipher.encrypt(self.nonce(k), chunk, None)

    def seal_all(self, plaintext):
        """The sealed chunks. The last is always shorter than the others, so it may be empty."""
        return [self.seal(at // CHUNK, plaintext[at : at + CHUNK]) for at in range(0, len(plaintext) + 1, CHUNK)]

    def open(self, k, sealed):
        try:
            return self.cipher.decrypt(self.nonce(k), sealed, None)
        except InvalidTag:
            raise FormatError("not_authentic", "5", k) from None


# Section 8: the reader.


class Source:
    """Bytes from a stream, armoured or not; `read` gives fewer than it was asked for only at the end."""

    def __init__(self, stream):
        start = stream.read(LOOKED_AT)
        self.armoured = is_armour(start)
        self.buffer = unarmour(start + stream.read()) if self.armoured else start
        self.pieces = iter(lambda: stream.read(CHUNK + TAG), b"")

    def read(self, n):
        parts, have = [self.buffer], len(self.buffer)
        while have < n and (piece := next(self.pieces, None)) is not None:
            parts.append(piece)
            have += len(piece)
        joined = b"".join(parts)
        self.buffer = joined[n:]
        return joined[:n]


def read_header(source):
    """Step 1: the suite, the prefix, the stanza area and the header MAC."""
    head = source.read(16)
    if head[:8] != MAGIC:
        raise FormatError("not_sealstone", "1")
    # Of a file cut within its first 16 bytes, the fields that are there are judged before its length is.
    if len(head) > 8 and head[8] not in (1, 2):
        raise FormatError("unsupported_version", "1")
    if len(head) > 9 and head[9] not in SUITES:
        raise FormatError("unsupported_suite", "2")
    if len(head) >= 12:
        check_flags(head[8], int.from_bytes(head[10:12], "big"))
    if len(head) < 16:
        raise FormatError("truncated", "1")
    area_length = int.from_bytes(head[12:16], "big")
    if not 1 <= area_length <= MAX_AREA:
        raise FormatError("malformed_header", "1")
    area, mac = source.read(area_length), source.read(32)
    if len(area) + len(mac) < area_length + 32:
        raise FormatError("truncated", "1")
    return SUITES[head[9]], head, area, mac


def check_flags(version, flags):
    if version == 1 and flags & ~CONTEXT_BOUND:
        raise FormatError("malformed_header", "1")
    # Section 1.4. This reader lacks the flag SIGNED, as every reader does.
    if version == 2 and flags & ~(CONTEXT_BOUND | COMPRESSED | ARCHIVE):
        raise FormatError("unsupported_version", "1.4")
    if version == 2 and not flags & (SIGNED | COMPRESSED | ARCHIVE):
        raise FormatError("malformed_header", "1.4")


def open_file(source, identities, context, length):
    """Steps 1 to 7, and the length rule where the file's length is known. What is left in the source are chunks."""
    suite, head, area, mac = read_header(source)
    prefix = head[:12]
    stanzas = parse_stanzas(suite, area)
    bound = bool(prefix[11] & CONTEXT_BOUND)
    if bound and context is None:
        raise FormatError("context_required", "6")
    if context is not None and not bound:
        raise FormatError("context_not_bound", "6")
    check_costs(stanzas, identities)
    file_key, stanza_type = unwrap_file_key(suite, prefix, stanzas, identities)
    if not hmac.compare_digest(mac, header_mac(suite, file_key, head + area)):
        # To whoever guesses passphrases, a forged file that opens under several must look like a wrong guess.
        raise FormatError("no_matching_identity" if stanza_type in ONLY_STANZA else "header_not_authentic", "3")
    preamble = source.read(PREAMBLE)
    if len(preamble) < PREAMBLE:
        raise FormatError("truncated", "5")
    payload = Payload(suite, derive_payload_key(suite, file_key), preamble[:SALT], prefix + (context or b""))
    if not hmac.compare_digest(preamble[SALT:], payload.commitment):
        raise FormatError("not_authentic", "5")
    if length is not None:
        length -= len(head) + len(area) + len(mac) + PREAMBLE
        if length % (CHUNK + TAG) < TAG:
            raise FormatError("truncated", "5")
    return payload, int.from_bytes(prefix[10:12], "big")


def read(stream, identities=(), context=None, length=None):
    """Yields the content in pieces, each as soon as it is authentic: chunks, or frames of a compressed file. Without
    `length`, a file that ends too early shows only when the end is reached."""
    source = Source(stream)
    payload, flags = open_file(source, identities, context, None if source.armoured else length)
    stored = read_chunks(source, payload)
    yield from decompress(stored) if flags & COMPRESSED else stored


def read_chunks(source, payload):
    k = 0
    while True:
        sealed = source.read(CHUNK + TAG)
        if len(sealed) < TAG:
            raise FormatError("truncated", "5")
        yield payload.open(k, sealed)
        if len(sealed) < CHUNK + TAG:
            return
        k += 1


class Stored:
    """The plaintext of section 5, for a reader that knows its length and can seek."""

    def __init__(self, payload, chunks):
        self.payload, self.chunks, self.opened = payload, chunks, {}
        if len(chunks) % (CHUNK + TAG) < TAG:
            raise FormatError("truncated", "5")
        self.last = len(chunks) // (CHUNK + TAG)
        self.length = len(chunks) - TAG * (self.last + 1)

    def open(self, k):
        if k not in self.opened:
            self.opened[k] = self.payload.open(k, self.chunks[k * (CHUNK + TAG) : (k + 1) * (CHUNK + TAG)])
        return self.opened[k]

    def open_last(self):
        """Makes the length authentic."""
        self.open(self.last)

    def read(self, start, stop):
        first, final = start // CHUNK, min((stop - 1) // CHUNK, self.last)
        opened = b"".join(self.open(k) for k in range(first, final + 1))
        return opened[start - first * CHUNK : stop - first * CHUNK]


def open_content(data, identities, context):
    """The content of a file whose length is known: its `length`, and `read` for a range within it."""
    source = Source(io.BytesIO(data))
    payload, flags = open_file(source, identities, context, None if source.armoured else len(data))
    stored = Stored(payload, source.read(len(data)))
    if flags & COMPRESSED:
        stored.open_last()
        return Frames(stored)
    return stored


def read_range(data, start, stop, identities=(), context=None):
    """The content's bytes start..stop; fewer only where the content ends, once its last chunk has opened."""
    content = open_content(data, identities, context)
    if stop > content.length:
        content.open_last()
    if start > min(stop, content.length):
        raise FormatError("range_out_of_bounds", "5")
    return content.read(start, min(stop, content.length)) if start < content.length else b""


def encrypt(plaintext, recipients, suite_id=1, context=None):
    suite, file_key, salt = SUITES[suite_id], os.urandom(32), os.urandom(SALT)
    if not recipients or (len(recipients) > 1 and any(r.type in ONLY_STANZA for r in recipients)):
        raise ValueError("at least one recipient, and a passphrase alone")
    types = {r.type for r in recipients}
    if not types <= TAKEN[suite_id]:
        raise ValueError("the suite does not take the recipients")
    if types & CLASSICAL and types & POST_QUANTUM:
        raise ValueError("post-quantum and classical recipients are mixed")
    if context is not None and not 1 <= len(context) <= 1024:
        raise ValueError("a context is 1 to 1,024 bytes")
    prefix = make_prefix(suite_id, 0 if context is None else CONTEXT_BOUND)
    area = b"".join(frame(r.type, r.wrap(suite, prefix, file_key)) for r in recipients)
    header = prefix + len(area).to_bytes(4, "big") + area
    payload = Payload(suite, derive_payload_key(suite, file_key), salt, prefix + (context or b""))
    parts = [header, header_mac(suite, file_key, header), salt, payload.commitment, *payload.seal_all(plaintext)]
    return b"".join(parts)


def frame(stanza_type, body):
    return stanza_type.to_bytes(2, "big") + len(body).to_bytes(2, "big") + body


# Section 11: armour.

BEGIN = b"-----BEGIN SEALSTONE FILE-----"
END = b"-----END SEALSTONE FILE-----"
COLUMNS, COLUMNS_MAX = 64, 76
LOOKED_AT = 65536


def armour(data):
    text = base64.b64encode(data)
    lines = [text[at : at + COLUMNS] for at in range(0, len(text), COLUMNS)]
    return b"\n".join([BEGIN, *lines, END, b""])


SEALED = (b"-----BEGIN SEALSTONE FILE", b"-----BEGIN SEALSTONE MESSAGE", b"-----BEGIN AGE ENCRYPTED FILE", b"age-encryption.org/")


def begins(begin):
    """What begins lines of sealed data, for a reader of armour that begins so."""
    return SEALED if begin.startswith(SEALED) else (begin,)


def is_armour(data, begin=BEGIN):
    """Whether a reader takes the input for armour, sound or not."""
    start = data[:LOOKED_AT]
    ascii = from_utf16(start)
    binary = start.startswith(b"NKCT") or not start or start[0] in (0x89, 0xA6, 0x7F)
    if ascii is None and (binary or (start[0] < 32 and start[0] not in b"\t\n\r")):
        return False
    lines = armour_lines(start if ascii is None else ascii)
    return next((line for line in lines if line.startswith(begins(begin))), b"").startswith(begin)


def from_utf16(start):
    """The text of UTF-16, with its mark or without; else None."""
    pairs = [start[at : at + 2] for at in range(0, min(len(start), 8) - 1, 2)]
    for mark, codec, zero in ((b"\xff\xfe", "utf-16-le", 1), (b"\xfe\xff", "utf-16-be", 0)):
        half = len(pairs) > 1 and all(pair[zero] == 0 != pair[1 - zero] for pair in pairs)
        if start.startswith(mark) or half:
            return start.removeprefix(mark).decode(codec, "replace").encode()
    return None


def armour_lines(text):
    """The lines without what readers skip."""
    lines = (line.strip(b" \t\r") for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
    return [line for line in lines if line]


def unarmour(text, begin=BEGIN, end=END):
    """What the whole text of armour stands for."""
    malformed = FormatError("malformed_armour", "11")
    lines = armour_lines(text)
    first = next((at for at, line in enumerate(lines) if line.startswith(begin)), None)
    if first is None or lines[first] != begin or end not in lines[first:]:
        raise malformed
    last = lines.index(end, first)
    body = b"".join(lines[first + 1 : last])
    if any(len(line) > COLUMNS_MAX for line in lines[first:last]) or any(line.startswith(begins(begin)) for line in lines[last:]):
        raise malformed
    if (data := decode_base64(body)) is None:
        raise malformed
    return data


def decode_base64(text):
    """Canonical, with padding; else None."""
    if len(text) % 4 or not re.fullmatch(rb"[A-Za-z0-9+/]+={0,2}", text):
        return None
    data = base64.b64decode(text)
    return data if base64.b64encode(data) == text else None  # else bits after the last byte are set


# Key strings: Bech32 (BIP 173) without its limit of 90 characters.

CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def polymod(values):
    checksum = 1
    for value in values:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for i, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            checksum ^= generator if top >> i & 1 else 0
    return checksum


def expand_hrp(hrp):
    return [ord(c) >> 5 for c in hrp] + [0] + [ord(c) & 31 for c in hrp]


def bech32_encode(hrp, data):
    """Upper case as a whole when the human-readable part is."""
    low, bits = hrp.lower(), "".join(f"{byte:08b}" for byte in data)
    values = [int(bits[at : at + 5].ljust(5, "0"), 2) for at in range(0, len(bits), 5)]
    checksum = polymod(expand_hrp(low) + values + [0] * 6) ^ 1
    values += [checksum >> 5 * (5 - i) & 31 for i in range(6)]
    text = low + "1" + "".join(CHARSET[value] for value in values)
    return text.upper() if hrp.isupper() else text


def bech32_decode(text):
    """The human-readable part as written and the data."""
    hrp, separator, rest = text.rpartition("1")
    if not separator or not hrp or len(rest) < 6 or text not in (text.lower(), text.upper()):
        raise ValueError("not Bech32")
    values = [CHARSET.find(c) for c in rest.lower()]
    if -1 in values or polymod(expand_hrp(hrp.lower()) + values) != 1:
        raise ValueError("the Bech32 checksum is wrong")
    bits = "".join(f"{value:05b}" for value in values[:-6])
    padding = len(bits) % 8
    if padding > 4 or "1" in bits[len(bits) - padding :]:
        raise ValueError("the Bech32 padding is not zero")
    return hrp, bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - padding, 8))


KEY_STRINGS = {
    "age": (X25519Recipient, 32),
    "age1pq": (HybridRecipient, 1216),
    "AGE-SECRET-KEY-": (X25519Identity, 32),
    "AGE-SECRET-KEY-PQ-": (HybridIdentity, 32),
    "SEALSTONE-KEY-": (Key, 32),
}


def parse_key(text):
    hrp, data = bech32_decode(text)
    kind, length = KEY_STRINGS.get(hrp, (None, None))
    if length != len(data):
        raise ValueError(f"not a key string: {hrp}1…")
    return kind(data)


def format_key(key):
    hrp = next(hrp for hrp, (kind, _) in KEY_STRINGS.items() if kind is type(key))
    return bech32_encode(hrp, next(iter(vars(key).values())))


# Other keys (section 12.3): PEM and DER.


SM2_SPKI = bytes.fromhex("3059301306072a8648ce3d020106082a811ccf5501822d034200")
SM2_PKCS8 = bytes.fromhex("308187020100301306072a8648ce3d020106082a811ccf5501822d046d306b0201010420")
# What OpenSSL 3.0.0 to 3.0.12 wrote, to be read: the curve's name in place of id-ecPublicKey too.
SM2_TWICE_SPKI = bytes.fromhex("305a301406082a811ccf5501822d06082a811ccf5501822d034200")
SM2_TWICE_PKCS8 = bytes.fromhex("308188020100301406082a811ccf5501822d06082a811ccf5501822d046d306b0201010420")
SM2_PUBLIC = bytes.fromhex("a144034200")


def to_pem(label, der):
    text = base64.encodebytes(der).replace(b"\n", b"")
    lines = [text[at : at + 64] for at in range(0, len(text), 64)]
    return b"\n".join([f"-----BEGIN {label}-----".encode(), *lines, f"-----END {label}-----\n".encode()])


def from_pem(label, pem):
    """One block and nothing else."""
    begin, *lines, end = pem.splitlines()
    if (begin, end) != tuple(f"-----{side} {label}-----".encode() for side in ("BEGIN", "END")):
        raise ValueError(f"not PEM with the label {label}")
    return base64.b64decode(b"".join(lines), validate=True)


def parse_public_pem(pem):
    """SubjectPublicKeyInfo. The library has no SM2, whose form has one length and is compared as a whole."""
    der = from_pem("PUBLIC KEY", pem)
    der = SM2_SPKI + der.removeprefix(SM2_TWICE_SPKI) if der.startswith(SM2_TWICE_SPKI) else der
    if der.startswith(SM2_SPKI):
        return Sm2Recipient(sm2_encode(sm2_decode(der.removeprefix(SM2_SPKI))))
    key = serialization.load_der_public_key(der)
    if isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, ec.SECP256R1):
        return P256Recipient(p256_point(key))
    if isinstance(key, mlkem.MLKEM768PublicKey):
        return MlKem768Recipient(key.public_bytes_raw())
    raise ValueError("not a public key of p256, ml-kem-768 or sm2")


def format_public_pem(recipient):
    if isinstance(recipient, Sm2Recipient):
        return to_pem("PUBLIC KEY", SM2_SPKI + recipient.public)
    form = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    return recipient.public_key().public_bytes(*form)


def parse_private_pem(pem):
    """PKCS#8; not SEC 1's form, and not encrypted."""
    return parse_pkcs8(from_pem("PRIVATE KEY", pem))


def parse_pkcs8(der):
    der = SM2_PKCS8 + der.removeprefix(SM2_TWICE_PKCS8) if der.startswith(SM2_TWICE_PKCS8) else der
    if der.startswith(SM2_PKCS8):
        identity = Sm2Identity(der.removeprefix(SM2_PKCS8)[:32])
        if format_pkcs8(identity) != der:
            raise ValueError("not a private key of sm2 with its public key")
        return identity
    return identity_of(serialization.load_der_private_key(der, None))


def identity_of(key):
    if isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, ec.SECP256R1):
        return P256Identity(key.private_numbers().private_value.to_bytes(32, "big"))
    if isinstance(key, mlkem.MLKEM768PrivateKey):
        return MlKem768Identity(key.private_bytes_raw())
    raise ValueError("not a private key of p256, ml-kem-768 or sm2")


def format_pkcs8(identity):
    if isinstance(identity, Sm2Identity):
        return SM2_PKCS8 + identity.secret + SM2_PUBLIC + identity.recipient().public
    form = serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return identity.private_key().private_bytes(*form)


# Vectors.

IDENTITIES = {
    "identity": parse_key,
    "identity-pkcs8": lambda text: parse_pkcs8(base64.b64decode(text, validate=True)),
}
CODES = (
    "success not_sealstone unsupported_version unsupported_suite malformed_header truncated context_required "
    "context_not_bound cost_too_high no_matching_identity header_not_authentic not_authentic malformed_armour "
    "malformed_compression malformed_archive unsafe_member range_out_of_bounds"
).split()


def parse_vector(raw):
    """The keys, each with the list of its values, and the file. Identities of both forms are one list."""
    head, _, file = raw.partition(b"\n\n")
    keys = {"identity": [], "passphrase": []}
    for line in head.decode().split("\n"):
        name, _, value = line.partition(": ")
        if name in IDENTITIES:
            name, value = "identity", IDENTITIES[name](value)
        keys.setdefault(name, []).append(value)
    allowed = {"expect", "section", "comment", "plugin", "identity", "passphrase", "context", "range", "chunk", "released"}
    allowed |= {"archive", "list", "extract", "member", "data"}
    if unknown := keys.keys() - allowed:
        raise ValueError(f"unknown keys: {unknown}")
    for key in ("expect", "archive", "list", "extract"):
        if key in keys and keys[key][0] not in CODES:
            raise ValueError(f"unknown code: {keys[key][0]}")
    return keys, file


def run(pieces):
    """Code, chunk and SHA-256 of everything that was released."""
    released = hashlib.sha256()
    try:
        for piece in pieces:
            released.update(piece)
        return "success", None, released.hexdigest()
    except (FormatError, Malformed) as error:
        return error.code, error.chunk, released.hexdigest()


def check_vector(raw):
    """None, or what was found where something else was expected."""
    keys, file = parse_vector(raw)
    identities = keys["identity"] + [parse_plugin(text) for text in keys.get("plugin", [])]
    identities += [identity for text in keys["passphrase"] for identity in passphrases(text)]
    context = keys["context"][0].encode() if "context" in keys else None
    expected = (keys["expect"][0], int(keys["chunk"][0]) if "chunk" in keys else None, keys["released"][0])
    if "range" in keys:
        start, stop = map(int, keys["range"][0].split(".."))
        found = run(read_range(file, start, stop, identities, context) for _ in range(1))
        return None if found == expected else found
    found = run(read(io.BytesIO(file), identities, context))
    if found != expected:
        return found
    # A reader that knows the length gives the same verdict, though it may release less.
    found = run(read(io.BytesIO(file), identities, context, len(file)))
    if found[:2] != expected[:2]:
        return found
    found = run(read_whole(file, identities, context) for _ in range(1))
    if found[:2] != expected[:2] or (found[0] == "success" and found != expected):
        return "by seeking", found
    return check_archive(keys, file, identities, context) if "archive" in keys else None


def read_whole(data, identities, context):
    """The content as a reader that seeks gets it: the whole, by a seek table if there is one."""
    content = open_content(data, identities, context)
    whole = content.read(0, content.length)
    content.open_last()
    return whole


def check_archive(keys, file, identities, context):
    """The same for the keys about an archive."""
    found = {}

    def attempt(key, operation):
        try:
            result, found[key] = operation(), "success"
            return result
        except (FormatError, Malformed) as error:
            found[key] = error.code

    def by_index():
        content = open_content(file, identities, context)
        content.open_last()
        return content, read_index(content.length, content.read)

    members = attempt("archive", lambda: read_in_order(b"".join(read(io.BytesIO(file), identities, context))))
    listed = attempt("list", by_index)
    found["extract"] = found["archive"]
    if members is not None:
        attempt("extract", lambda: check_extraction([member.entry for member in members]))
        content, entries = listed
        if [read_by_entry(entries, i, content.read) for i in range(len(entries))] != members:
            return "other members by the index"
    expected = {key: keys.get(key, keys["archive"])[0] for key in ("archive", "list", "extract")}
    lines = [(key, value) for key in ("member", "data") for value in keys.get(key, [])]
    if found != expected or lines != describe(members or []):
        return found, describe(members or [])
    return None


def self_test():
    from cryptography.cobblestone import Cobblestone256Decryptor, Cobblestone256Encryptor

    key, context = bytes(range(32)), b"context"
    for length in (0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK):
        plaintext, salt = os.urandom(length), os.urandom(SALT)
        ours = Payload(SUITES[1], key, salt, context)
        theirs = Cobblestone256Decryptor(key, context)
        sealed = salt + ours.commitment + b"".join(ours.seal_all(plaintext))
        assert theirs.update(sealed) + theirs.finalize() == plaintext
        theirs = Cobblestone256Encryptor(key, context)
        sealed = theirs.update(plaintext) + theirs.finalize()
        ours = Payload(SUITES[1], key, sealed[:SALT], context)
        assert sealed[SALT:] == ours.commitment + b"".join(ours.seal_all(plaintext))

    # RFC 8998, appendix A.1.
    cipher, nonce = SM4GCM(bytes.fromhex("0123456789abcdeffedcba9876543210")), bytes.fromhex("00001234567800000000abcd")
    plaintext = b"".join(bytes([byte]) * 8 for byte in bytes.fromhex("aabbccddeeffeeaa"))
    aad = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    sealed = bytes.fromhex(
        "17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735"
        "d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d83de3541e4c2b58177e065a9bf7b62ec"
    )
    assert cipher.encrypt(nonce, plaintext, aad) == sealed and cipher.decrypt(nonce, sealed, aad) == plaintext

    # GB/T 32918.5, annex C: encryption over the curve that this part recommends.
    secret = 0x3945208F7B2144B13F36E38AC6D39F95889393692860B51A42FB81EF4DF7C5B8
    k = 0x59276E27D506861A16680F3AD9C02DCCEF3CC1FA3CDBE4CE6D54B80DEAC1BC21
    public = (
        0x09F9DF311E5421A150DD7D161E4BC5C672179FAD1833FC076BB08FF356F35020,
        0xCCEA490CE26775A52DC6EA718CC1AA600AED05FBF35E084A6632F6072DA9AD13,
    )
    c1 = (
        "0404ebfc718e8d1798620432268e77feb6415e2ede0e073c0f4f640ecd2e149a73"
        "e858f9d81e5430a57b36daab8f950a3c64e6ee6a63094d99283aff767e124df0"
    )
    c3 = "59983c18f809e262923c53aec295d30383b54e39d609d160afcb1908d0bd8766"
    parts = [bytes.fromhex(part) for part in (c1, c3, "21886ca989ca9c7d58087307ca93092d651efa")]
    assert sm2_multiply(secret, SM2_G) == public and sm2_multiply(SM2_N, SM2_G) is None
    assert [*sm2_encrypt(public, b"encryption standard", k)] == parts
    assert sm2_decrypt(secret, *parts) == b"encryption standard"

    published = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
    assert format_key(X25519Identity(b"\x42" * 32)) == published
    recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
    assert format_key(parse_key(published).recipient()) == recipient
    seed_form = bytes.fromhex("3054020100300b060960864801650304040204428040")  # RFC 9935, the seed of ML-KEM-768
    assert format_pkcs8(MlKem768Identity(bytes(range(64)))) == seed_form + bytes(range(64))
    identities = [X25519Identity(os.urandom(32)), HybridIdentity(os.urandom(32)), Key(os.urandom(32))]
    identities += [P256Identity(os.urandom(32)), MlKem768Identity(os.urandom(64)), Sm2Identity(b"\x42" * 32)]
    identities += [Passphrase("pass", 64, 1, 1), PassphraseSm3("pass", 2)]
    for suite_id in SUITES:
        for identity in (identity for identity in identities if identity.type in TAKEN[suite_id]):
            to = identity.recipient() if hasattr(identity, "recipient") else identity
            if isinstance(identity, (P256Identity, MlKem768Identity, Sm2Identity)):
                assert parse_public_pem(format_public_pem(to)) == to and parse_pkcs8(format_pkcs8(identity)) == identity
                assert parse_private_pem(to_pem("PRIVATE KEY", format_pkcs8(identity))) == identity
            elif to.type not in ONLY_STANZA:
                assert parse_key(format_key(to)) == to and parse_key(format_key(identity)) == identity
            file = encrypt(b"round trip", [to], suite_id, b"context")
            for form in (file, armour(file), armour(file).replace(b"\n", b"\r\n")):
                assert b"".join(read(io.BytesIO(form), [identity], b"context")) == b"round trip"


def check(folder):
    self_test()
    passed, failed = 0, 0
    for path in sorted(Path(folder).iterdir()):
        try:
            found = check_vector(path.read_bytes())
        except Exception as error:
            found = repr(error)
        passed, failed = passed + (found is None), failed + (found is not None)
        if found is not None:
            print(f"{path.name}: found {found}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def read_recipient(text):
    return parse_key(text) if text.startswith("age1") else parse_public_pem(Path(text).read_bytes())


def read_identities(texts):
    for text in texts:
        if text.startswith(("AGE-SECRET-KEY-", "SEALSTONE-KEY-")):
            yield parse_key(text)
        elif (data := Path(text).read_bytes()).startswith(b"-----BEGIN "):
            yield parse_private_pem(data)
        else:
            lines = data.decode().splitlines()
            yield from (parse_key(line) for line in lines if line and not line.startswith("#"))


def each(lines):
    """Runs commands, an array of arguments a line, and prints an array for each: its status, and what it said."""
    for line in lines:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            try:
                status = main(json.loads(line))
            except Exception:
                traceback.print_exc()
                status = 1
        print(json.dumps([status, said.getvalue()]), flush=True)
    return 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Sealstone files, by the book")
    commands = parser.add_subparsers(dest="command", required=True)
    sealing, opening, checking, _ = (commands.add_parser(name) for name in ("encrypt", "decrypt", "check", "each"))
    for command in (sealing, opening):
        command.add_argument("--passphrase-file")
        command.add_argument("--context")
        command.add_argument("input")
        command.add_argument("output")
    sealing.add_argument("-r", dest="recipient", action="append", default=[])
    sealing.add_argument("--key", action="append", default=[])
    sealing.add_argument("--suite", choices=[suite.name for suite in SUITES.values()], default="aes-256-gcm")
    sealing.add_argument("-a", dest="armour", action="store_true")
    opening.add_argument("-i", dest="identity", action="append", default=[])
    checking.add_argument("folder")
    options = parser.parse_args(arguments)

    if options.command == "check":
        return check(options.folder)
    if options.command == "each":
        return each(sys.stdin)
    context = None if options.context is None else options.context.encode()
    keys = []
    if options.passphrase_file:
        keys += passphrases(Path(options.passphrase_file).read_text().removesuffix("\n"))
    data = Path(options.input).read_bytes()
    if options.command == "encrypt":
        suite_id = next(suite.id for suite in SUITES.values() if suite.name == options.suite)
        keys = [passphrase for passphrase in keys if passphrase.type in TAKEN[suite_id]]
        keys += [*map(read_recipient, options.recipient), *map(parse_key, options.key)]
        output = encrypt(data, keys, suite_id, context)
        output = armour(output) if options.armour else output
    else:
        keys += read_identities(options.identity)
        try:
            output = b"".join(read(io.BytesIO(data), keys, context, len(data)))
        except (FormatError, Malformed) as error:
            print(error.code, file=sys.stderr)
            return 4
    Path(options.output).write_bytes(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
