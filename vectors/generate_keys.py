"""Makes the vectors in `keys/`, one scenario a file: keys as PEM, DER, JWK and lines, good and bad.

    python generate_keys.py

A scenario returns a key file and says what a reader must answer; the answer is written down by hand and never computed
by a reader. Where it can, a broken file is broken in one rule only and right in all others, so that a reader that
forgets the rule takes it. An encrypted key that a reader does not know is encrypted for true.

DER, PBES2 and the keys of SM2 and ML-KEM are written out here. What `cryptography` or OpenSSL can read is read with them, and
the keys compared; the exceptions are listed. OpenSSL makes no file, and is not needed.

All randomness comes from SHA-256 over a fixed seed, the scenario's name and a counter: a second run changes nothing,
and a scenario's bytes do not depend on the others.
"""

import base64
import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import unicodedata
from functools import cache, cached_property
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.decrepit.ciphers.algorithms import RC2, TripleDES
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, mlkem, x448, x25519
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES, SM4
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

FOLDER = Path(__file__).parent / "keys"
PASSPHRASE = "correct horse battery staple"
BOM = b"\xef\xbb\xbf"


def seed(*parts):
    return hashlib.sha256("\0".join(["sealstone key vectors 1", *map(str, parts)]).encode()).digest()


def stream(length, *parts):
    return b"".join(seed(*parts, at) for at in range(length // 32 + 1))[:length]


def flip(data, at, bit=0x01):
    at %= len(data)
    return data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]


# DER.


def tlv(tag, *parts):
    content = b"".join(parts)
    n = len(content)
    octets = n.to_bytes((n.bit_length() + 7) // 8, "big")
    return bytes([tag]) + (bytes([n]) if n < 128 else bytes([0x80 | len(octets)]) + octets) + content


def seq(*parts):
    return tlv(0x30, *parts)


def octets(*parts):
    return tlv(0x04, *parts)


def bits(data, unused=0, tag=0x03):
    return tlv(tag, bytes([unused]), data)


def integer(n):
    return tlv(0x02, n.to_bytes(((n if n >= 0 else ~n).bit_length() + 8) // 8, "big", signed=True))


def oid(text):
    first, second, *rest = map(int, text.split("."))
    out = b""
    for arc in [first * 40 + second, *rest]:
        septets = bytes([arc & 0x7F])
        while arc := arc >> 7:
            septets = bytes([0x80 | arc & 0x7F]) + septets
        out += septets
    return tlv(0x06, out)


NULL = tlv(0x05)
EC_PUBLIC_KEY, EC_DH = oid("1.2.840.10045.2.1"), oid("1.3.132.1.12")
PRIME256V1, SECP384R1, SECP256K1 = oid("1.2.840.10045.3.1.7"), oid("1.3.132.0.34"), oid("1.3.132.0.10")
SM2P256V1 = oid("1.2.156.10197.1.301")
PRF = {name: f"1.2.840.113549.2.{n}" for n, name in enumerate(["sha1", "sha224", "sha256", "sha384", "sha512"], 7)}


# Keys.


class P256:
    kind, curve, parameters = "p256", ec.SECP256R1(), PRIME256V1
    p = 2**256 - 2**224 + 2**192 + 2**96 - 1
    b = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
    n = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    g = bytes.fromhex(
        "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    )

    def __init__(self, secret):
        self.secret, self.algorithm = secret, seq(EC_PUBLIC_KEY, self.parameters)
        key = ec.derive_private_key(int.from_bytes(secret, "big"), self.curve).public_key()
        self.public = key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)

    @property
    def compressed(self):
        return bytes([2 + (self.public[-1] & 1)]) + self.public[1 : len(self.public) // 2 + 1]

    def private(self):
        return self.sec1()

    def sec1(self, parameters=b"", secret=None, public=None, version=1):
        """ECPrivateKey. Any part can be put in place of the key's own; an empty one is left out."""
        secret, public = self.secret if secret is None else secret, self.public if public is None else public
        tail = [tlv(0xA0, parameters)] if parameters else []
        tail += [tlv(0xA1, bits(public))] if public else []
        return seq(integer(version), octets(secret), *tail)

    def jwk(self):
        x, y = self.public[1:33], self.public[33:]
        return {"kty": "EC", "crv": "P-256", "x": base64url(x), "y": base64url(y), "d": base64url(self.secret)}


class P384(P256):
    kind, curve, parameters = "P-384", ec.SECP384R1(), SECP384R1


class Secp256k1(P256):
    kind, curve, parameters = "secp256k1", ec.SECP256K1(), SECP256K1


class Sm2(P256):
    kind, parameters = "sm2", SM2P256V1
    p = 2**256 - 2**224 - 2**96 + 2**64 - 1
    b = 0x28E9FA9E9D9F5E344D5A9E4BCF6509A7F39789F515AB8F92DDBCBD414D940E93
    n = 0xFFFFFFFEFFFFFFFFFFFFFFFFFFFFFFFF7203DF6B21C6052B53BBF40939D54123
    gx = 0x32C4AE2C1F1981195F9904466A39C9948FE30BBFF2660BE1715A4589334C74C7
    gy = 0xBC3736A2F4F6779C59BDCEE36B692153D0A9877CC62A474002DF32E52139F0A0
    g = b"\x04" + gx.to_bytes(32, "big") + gy.to_bytes(32, "big")

    def __init__(self, secret):
        self.secret, self.algorithm = secret, seq(EC_PUBLIC_KEY, self.parameters)

    @cached_property
    def public(self):
        at = None
        for bit in f"{int.from_bytes(self.secret, 'big'):b}":
            at = self.add(at, at)
            at = self.add(at, (self.gx, self.gy)) if bit == "1" else at
        return b"\x04" + b"".join(n.to_bytes(32, "big") for n in at)

    def add(self, s, t):
        """Points of y^2 = x^3 - 3x + b; None is the one at infinity."""
        if s is None or t is None:
            return s or t
        slope = (3 * s[0] ** 2 - 3, 2 * s[1]) if s == t else (t[1] - s[1], t[0] - s[0])
        slope = slope[0] * pow(slope[1], -1, self.p)
        x = (slope**2 - s[0] - t[0]) % self.p
        return x, (slope * (s[0] - x) - s[1]) % self.p


class X25519:
    kind, algorithm = "x25519", seq(oid("1.3.101.110"))
    load = x25519.X25519PrivateKey.from_private_bytes
    size = 32

    def __init__(self, secret):
        self.secret = secret
        self.public = type(self).load(secret).public_key().public_bytes_raw()

    def private(self):
        return octets(self.secret)

    def jwk(self):
        return {"kty": "OKP", "crv": "X25519", "x": base64url(self.public), "d": base64url(self.secret)}


class X448(X25519):
    kind, algorithm, size = "X448", seq(oid("1.3.101.111")), 56
    load = x448.X448PrivateKey.from_private_bytes


class Ed25519(X25519):
    kind, algorithm = "Ed25519", seq(oid("1.3.101.112"))
    load = ed25519.Ed25519PrivateKey.from_private_bytes


class MlKem768:
    kind, algorithm, k, eta = "ml-kem-768", seq(oid("2.16.840.1.101.3.4.4.2")), 3, 2

    def __init__(self, secret):
        self.secret = secret
        self.public, self.expanded = ml_kem_keys(secret, self.k, self.eta)
        if self.k == 3:
            assert self.public == mlkem.MLKEM768PrivateKey.from_seed_bytes(secret).public_key().public_bytes_raw()

    def private(self):
        return tlv(0x80, self.secret)

    def both(self, seed=None, expanded=None):
        return seq(octets(seed or self.secret), octets(expanded or self.expanded))


class MlKem512(MlKem768):
    kind, algorithm, k, eta = "ML-KEM-512", seq(oid("2.16.840.1.101.3.4.4.1")), 2, 3


class MlKem1024(MlKem768):
    kind, algorithm, k = "ML-KEM-1024", seq(oid("2.16.840.1.101.3.4.4.3")), 4


Q = 3329  # FIPS 203, section 2.4
REVERSED = [int(f"{i:07b}"[::-1], 2) for i in range(128)]
ZETAS = [pow(17, i, Q) for i in REVERSED]
GAMMAS = [pow(17, 2 * i + 1, Q) for i in REVERSED]


def ml_kem_keys(secret, k, eta):
    """FIPS 203, 7.1 and 5.1, from d || z: the encapsulation and the decapsulation key. Not constant time."""
    d, z = secret[:32], secret[32:]
    expanded = hashlib.sha3_512(d + bytes([k])).digest()
    rho, sigma = expanded[:32], expanded[32:]
    noise = [ntt(cbd(hashlib.shake_256(sigma + bytes([i])).digest(64 * eta), eta)) for i in range(2 * k)]
    s, e = noise[:k], noise[k:]
    t = []
    for i in range(k):
        row = [multiply(sample_ntt(rho + bytes([j, i])), s[j]) for j in range(k)]
        t.append([sum(column) % Q for column in zip(e[i], *row)])
    public = b"".join(map(encode12, t)) + rho
    return public, b"".join(map(encode12, s)) + public + hashlib.sha3_256(public).digest() + z


def sample_ntt(start):
    data = hashlib.shake_128(start).digest(1008)
    pairs = [int.from_bytes(data[at : at + 3], "little") for at in range(0, 1008, 3)]
    out = [n for pair in pairs for n in (pair & 0xFFF, pair >> 12) if n < Q][:256]
    assert len(out) == 256
    return out


def cbd(data, eta):
    n = int.from_bytes(data, "little")
    ones = [(n >> eta * i & (1 << eta) - 1).bit_count() for i in range(512)]
    return [(ones[2 * i] - ones[2 * i + 1]) % Q for i in range(256)]


def ntt(f):
    f, at, length = f[:], 1, 128
    while length >= 2:
        for start in range(0, 256, 2 * length):
            for j in range(start, start + length):
                t = ZETAS[at] * f[j + length]
                f[j], f[j + length] = (f[j] + t) % Q, (f[j] - t) % Q
            at += 1
        length //= 2
    return f


def multiply(f, g):
    out = []
    for i, gamma in enumerate(GAMMAS):
        a, b, c, d = f[2 * i], f[2 * i + 1], g[2 * i], g[2 * i + 1]
        out += [(a * c + b * d * gamma) % Q, (a * d + b * c) % Q]
    return out


def encode12(f):
    return sum(n << 12 * i for i, n in enumerate(f)).to_bytes(384, "little")


class Rsa:
    """An RSA key; e may be even, which makes a key that is none."""

    algorithm = seq(oid("1.2.840.113549.1.1.1"), NULL)

    def __init__(self, size, e=65537):
        p, q = sorted((rsa_prime(size // 2, name) for name in "pq"), reverse=True)
        d = pow(65537, -1, (p - 1) * (q - 1))
        self.n, self.e = p * q, e
        private = (0, self.n, e, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p))
        self.pkcs1_private = seq(*map(integer, private))
        self.public = self.pkcs1_public = seq(integer(self.n), integer(e))

    def private(self):
        return self.pkcs1_private


@cache
def rsa_prime(size, name):
    n = int.from_bytes(stream(size // 8, "rsa", size, name), "big") | 3 << size - 2 | 1
    small = [p for p in range(3, 2000, 2) if all(p % d for d in range(3, int(p**0.5) + 1, 2))]
    while not (all(n % p for p in small) and n % 65537 != 1 and all(strong(n, a) for a in (2, 3, 5, 7, 11))):
        n += 2
    return n


def strong(n, base):
    """Miller-Rabin."""
    twos = (n - 1 & 1 - n).bit_length() - 1
    x = pow(base, n - 1 >> twos, n)
    return x == 1 or any(pow(x, 1 << i, n) == n - 1 for i in range(twos))


KINDS = {"p256": P256, "x25519": X25519, "ml_kem_768": MlKem768, "sm2": Sm2}


# Their forms.


def spki(key, algorithm=None, public=None):
    return seq(algorithm or key.algorithm, bits(key.public if public is None else public))


def pkcs8(key, private=None, algorithm=None, version=None, attributes=b"", public=b""):
    """PKCS#8; with `public`, of version 2 as in RFC 5958."""
    version = (1 if public else 0) if version is None else version
    private = key.private() if private is None else private
    tail = [attributes, bits(public, tag=0x81) if public else b""]
    return seq(integer(version), algorithm or key.algorithm, octets(private), *tail)


def explicit(curve=P256):
    """A curve by its numbers, without its name."""
    field = seq(oid("1.2.840.10045.1.1"), integer(curve.p))
    a, b = octets((curve.p - 3).to_bytes(32, "big")), octets(curve.b.to_bytes(32, "big"))
    return seq(integer(1), field, seq(a, b), octets(curve.g), integer(curve.n), integer(1))


FRIENDLY_NAME = tlv(0xA0, seq(oid("1.2.840.113549.1.9.20"), tlv(0x31, tlv(0x1E, "backup".encode("utf-16-be")))))


def pem(label, der, columns=64, header=()):
    body = base64.b64encode(der).decode()
    body = [body[at : at + columns] for at in range(0, len(body), columns)]
    return "\n".join([f"-----BEGIN {label}-----", *header, *body, f"-----END {label}-----", ""]).encode()


def private_pem(key, **parts):
    return pem("PRIVATE KEY", pkcs8(key, **parts))


def public_pem(key):
    return pem("PUBLIC KEY", spki(key))


EC_PARAMETERS = pem("EC PARAMETERS", PRIME256V1)


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def jwk(key, private=True, **members):
    """A JWK; a member that is None is left out."""
    made = key.jwk() | members
    return {name: value for name, value in made.items() if value is not None and (private or name != "d")}


def compact(made):
    return json.dumps(made, separators=(",", ":")).encode()


# PBES2.


PBKDF2 = "1.2.840.113549.1.5.12"


def pbkdf2(
    prf="sha256", iterations=2048, salt_length=16, stated=None, salt=None, off=None, algorithm=None, name=PBKDF2
):
    """What stands in the file can differ: `stated` iterations, a `salt` in DER, a keyLength that is `off` by so much,
    and the `algorithm` of a PRF without a name here."""

    def derive(f, passphrase, length):
        given = f.random(salt_length)
        if isinstance(prf, str):
            key = hashlib.pbkdf2_hmac(prf, passphrase, given, iterations, length)
        else:
            key = PBKDF2HMAC(prf, length, given, iterations).derive(passphrase)
        parts = [octets(given) if salt is None else salt, integer(iterations if stated is None else stated)]
        parts += [] if off is None else [integer(length + off)]
        parts += [algorithm or seq(oid(PRF[prf]), NULL)] if prf != "sha1" or algorithm else []
        return seq(oid(name), seq(*parts)), key

    return derive


def sm3(bare=False, **options):
    """PBKDF2 with HMAC-SM3, whose parameters are NULL, or absent as some writers have it."""
    name = oid("1.2.156.10197.1.401.2")
    return pbkdf2(hashes.SM3(), algorithm=seq(name) if bare else seq(name, NULL), **options)


def scrypt(n=1024, r=8, p=1, stated=None, salt=None, off=None):
    def derive(f, passphrase, length):
        given = f.random(16)
        key = hashlib.scrypt(passphrase, salt=given, n=n, r=r, p=p, dklen=length, maxmem=1 << 30)
        parts = [octets(given) if salt is None else salt, *map(integer, stated or (n, r, p))]
        parts += [] if off is None else [integer(length + off)]
        return seq(oid("1.3.6.1.4.1.11591.4.11"), seq(*parts)), key

    return derive


def aes_cbc(size=256, iv_length=16, padding=None):
    def encrypt(f, key, data):
        iv = f.random(16)
        scheme = {128: "2", 192: "22", 256: "42"}[size]
        scheme = seq(oid(f"2.16.840.1.101.3.4.1.{scheme}"), octets(iv[:iv_length]))
        return scheme, cbc(AES(key), iv, data, 16, padding)

    return size // 8, encrypt


def sm4_cbc(iv_length=16, padding=None):
    def encrypt(f, key, data):
        iv = f.random(16)
        return seq(oid("1.2.156.10197.1.104.2"), octets(iv[:iv_length])), cbc(SM4(key), iv, data, 16, padding)

    return 16, encrypt


def sm4_ecb(f, key, data):
    missing = 16 - len(data) % 16
    encryptor = Cipher(SM4(key), modes.ECB()).encryptor()
    return seq(oid("1.2.156.10197.1.104.1"), NULL), encryptor.update(data + bytes([missing]) * missing)


def sm4_gcm(f, key, data):
    nonce = f.random(12)
    encryptor = Cipher(SM4(key), modes.GCM(nonce)).encryptor()
    sealed = encryptor.update(data) + encryptor.finalize() + encryptor.tag
    return seq(oid("1.2.156.10197.1.104.8"), seq(octets(nonce), integer(16))), sealed


def aes_gcm(f, key, data):
    nonce = f.random(12)
    return seq(oid("2.16.840.1.101.3.4.1.46"), seq(octets(nonce), integer(16))), AESGCM(key).encrypt(nonce, data, None)


def des3_cbc(f, key, data):
    iv = f.random(8)
    return seq(oid("1.2.840.113549.3.7"), octets(iv)), cbc(TripleDES(key), iv, data, 8)


def rc2_cbc(f, key, data):
    """58 is RFC 2268's name of 128 effective bits."""
    iv = f.random(8)
    return seq(oid("1.2.840.113549.3.2"), seq(integer(58), octets(iv))), cbc(RC2(key), iv, data, 8)


def cbc(algorithm, iv, data, block, padding=None):
    missing = block - len(data) % block
    encryptor = Cipher(algorithm, modes.CBC(iv)).encryptor()
    data += bytes([missing]) * missing if padding is None else bytes(missing - 1) + bytes([padding])
    return encryptor.update(data) + encryptor.finalize()


def encrypted(f, data, kdf=None, cipher=None, passphrase=PASSPHRASE, change=None, scheme="1.2.840.113549.1.5.13"):
    """EncryptedPrivateKeyInfo. The reader is given the passphrase unless the scenario says otherwise afterwards."""
    f.passphrase = passphrase
    length, encrypt = cipher or aes_cbc()
    kdf, key = (kdf or pbkdf2())(f, passphrase.encode(), length)
    cipher, ciphertext = encrypt(f, key, data)
    return seq(seq(oid(scheme), seq(kdf, cipher)), octets(change(ciphertext) if change else ciphertext))


def encrypted_pem(f, key, **options):
    return pem("ENCRYPTED PRIVATE KEY", encrypted(f, pkcs8(key), **options))


SM3_AND_SM4 = {"kdf": sm3(), "cipher": sm4_cbc()}
SM_ENCRYPTIONS = {
    "sm3_sm4": SM3_AND_SM4,
    "sm3_sm4_with_key_length": {"kdf": sm3(off=0), "cipher": sm4_cbc()},
    "sm3_bare_sm4": {"kdf": sm3(bare=True), "cipher": sm4_cbc()},
    "sm3_aes_256": {"kdf": sm3(), "cipher": aes_cbc()},
    "sm3_bare_aes_256": {"kdf": sm3(bare=True), "cipher": aes_cbc()},
    "sha256_sm4": {"cipher": sm4_cbc()},
    "sha256_aes_256": {},
    "scrypt_sm4": {"kdf": scrypt(), "cipher": sm4_cbc()},
}


# Scenarios.


class File:
    """A key file in the making. The keys that a scenario draws are those of its file, in this order."""

    def __init__(self, name, read):
        self.name, self.read, self.counter, self.keys, self.passphrase = name, read, 0, [], None

    def random(self, n):
        out = b""
        while len(out) < n:
            self.counter += 1
            out += seed(self.name, self.counter)
        return out[:n]

    def key(self, kind=P256, wanted=lambda key: True):
        """The first key drawn that is as wanted."""
        while True:
            size = {P384: 48, X448: 56}.get(kind, 64 if issubclass(kind, MlKem768) else 32)
            key = kind(self.random(size))
            if wanted(key):
                self.keys.append(key)
                return key

    def other(self, kind=P256):
        """A key that is not one of the file's."""
        return File(self.name + " other", self.read).key(kind)


SCENARIOS = {}


def vector(expect="success", read="identities", each=None, section="12.3"):
    """Registers a scenario under its function's name; with `each`, one for every value, whose name is appended. Its
    doc string is the vector's comment. `invalid` is the code for what is read."""

    def register(scenario):
        for suffix, value in (each if isinstance(each, dict) else {v: v for v in each or [None]}).items():
            name = scenario.__name__ if each is None else f"{scenario.__name__}_{suffix}"
            assert name not in SCENARIOS, name
            code = f"invalid_{'identity' if read == 'identities' else 'recipient'}" if expect == "invalid" else expect
            SCENARIOS[name] = (code, read, section, scenario, suffix, [] if each is None else [value])
        return scenario

    return register


def render(name):
    expect, read, section, scenario, suffix, value = SCENARIOS[name]
    f = File(name, read)
    raw = scenario(f, *value)
    comment = scenario.__doc__.format(*value, name=str(suffix).replace("_", " "))
    lines = [f"expect: {expect}", f"section: {section}", f"comment: {comment}", f"read: {read}"]
    lines += [f"passphrase: {f.passphrase}"] if f.passphrase is not None else []
    if expect == "success":
        lines += [f"key: {key.kind} {fingerprint(key.kind, key.public)}" for key in f.keys]
        lines += [f"secret: {key.secret.hex()}" for key in f.keys if read == "identities"]
    return f, raw, "\n".join(lines).encode() + b"\n\n" + raw


def fingerprint(kind, public):
    return "SHA256:" + hashlib.sha256(kind.encode() + b"\0" + public).hexdigest()


# SubjectPublicKeyInfo and PKCS#8.


@vector(read="recipients", each=KINDS)
def spki_pem(f, kind):
    "a public key of the kind {0.kind} as PEM"
    return public_pem(f.key(kind))


@vector(read="recipients", each=KINDS)
def spki_der(f, kind):
    "a public key of the kind {0.kind} as DER"
    return spki(f.key(kind))


@vector(each=KINDS)
def pkcs8_pem(f, kind):
    "a private key of the kind {0.kind} as PEM; with P-256, the ECPrivateKey has the public key"
    return private_pem(f.key(kind))


@vector(each=KINDS)
def pkcs8_der(f, kind):
    "a private key of the kind {0.kind} as DER"
    return pkcs8(f.key(kind))


@vector(each=KINDS)
def pkcs8_v2(f, kind):
    "RFC 5958's version 2, with the public key in [1]"
    key = f.key(kind)
    private = key.sec1(public=b"") if issubclass(kind, P256) else None
    return private_pem(key, private=private, public=key.public)


@vector()
def pkcs8_v2_public_key_twice(f):
    "the public key in [1] and in the ECPrivateKey, both right"
    key = f.key()
    return private_pem(key, public=key.public)


@vector()
def pkcs8_v2_public_key_compressed(f):
    "the public key of P-256 in [1] is compressed, and right"
    key = f.key()
    return private_pem(key, private=key.sec1(public=b""), public=key.compressed)


@vector(each=KINDS)
def pkcs8_attributes(f, kind):
    "version 1 with an attribute, a friendlyName"
    return private_pem(f.key(kind), attributes=FRIENDLY_NAME)


@vector()
def pkcs8_v2_attributes(f):
    "version 2 with an attribute and the public key"
    key = f.key(X25519)
    return private_pem(key, attributes=FRIENDLY_NAME, public=key.public)


@vector()
def pkcs8_p256_without_public_key(f):
    "the ECPrivateKey has no public key"
    key = f.key()
    return private_pem(key, private=key.sec1(public=b""))


@vector()
def pkcs8_p256_parameters_repeated(f):
    "the ECPrivateKey names the curve again"
    key = f.key()
    return private_pem(key, private=key.sec1(parameters=PRIME256V1))


@vector()
def pkcs8_p256_public_key_compressed(f):
    "the public key in the ECPrivateKey is compressed, and right"
    key = f.key()
    return private_pem(key, private=key.sec1(public=key.compressed))


@vector(each={"1": 1, "n_minus_1": P256.n - 1})
def p256_scalar(f, scalar):
    "the private key is {name}, the end of the range"
    key = P256(scalar.to_bytes(32, "big"))
    f.keys.append(key)
    return private_pem(key)


@vector()
def p256_scalar_leading_zero(f):
    "a private key whose first byte is zero; it has 32 bytes all the same"
    return private_pem(f.key(wanted=lambda key: key.secret[0] == 0))


@vector(read="recipients")
def x25519_public_key_top_bit(f):
    "the top bit of the public key is set; X25519 ignores it, and the 32 bytes stay as they are"
    key = f.key(X25519)
    key.public = flip(key.public, -1, 0x80)
    return public_pem(key)


@vector(each={"pem": lambda der: pem("PRIVATE KEY", der), "der": bytes})
def ml_kem_both(f, form):
    "seed and expanded key, which belong together, as {name}"
    key = f.key(MlKem768)
    return form(pkcs8(key, private=key.both()))


@vector()
def ml_kem_both_v2(f):
    "seed and expanded key, and the public key in [1]"
    key = f.key(MlKem768)
    return private_pem(key, private=key.both(), public=key.public)


# SEC1.


def sec1_pem_of(key, **parts):
    return pem("EC PRIVATE KEY", key.sec1(key.parameters, **parts))


@vector()
def sec1_pem(f):
    "an ECPrivateKey as PEM"
    return sec1_pem_of(f.key())


@vector()
def sec1_der(f):
    "an ECPrivateKey as DER"
    return f.key().sec1(PRIME256V1)


@vector(each={"pem": lambda der: pem("EC PRIVATE KEY", der), "der": bytes})
def sec1_without_public_key(f, form):
    "an ECPrivateKey without the public key, as {name}"
    return form(f.key().sec1(PRIME256V1, public=b""))


@vector()
def sec1_public_key_compressed(f):
    "an ECPrivateKey whose public key is compressed, and right"
    key = f.key()
    return sec1_pem_of(key, public=key.compressed)


@vector()
def sec1_after_parameters(f):
    "EC PARAMETERS before the key, as `openssl ecparam -genkey` writes them"
    return EC_PARAMETERS + sec1_pem_of(f.key())


@vector()
def sec1_after_parameters_twice(f):
    "two keys, each after its EC PARAMETERS"
    return b"".join(EC_PARAMETERS + sec1_pem_of(f.key()) for _ in range(2))


@vector("invalid")
def sec1_parameters_alone(f):
    "EC PARAMETERS, which are skipped, and no key"
    return EC_PARAMETERS


# Encrypted PKCS#8.

PRFS = {
    "sha1_by_default": (aes_cbc(128), pbkdf2("sha1", salt_length=8)),
    "sha1_by_default_with_key_length": (aes_cbc(256), pbkdf2("sha1", off=0)),
    "sha224": (aes_cbc(192), pbkdf2("sha224")),
    "sha256": (aes_cbc(128), pbkdf2("sha256", salt_length=8)),
    "sha256_with_key_length": (aes_cbc(256), pbkdf2("sha256", off=0)),
    "sha384": (aes_cbc(256), pbkdf2("sha384", salt_length=64)),
    "sha512": (aes_cbc(256), pbkdf2("sha512")),
    "sha512_with_key_length": (aes_cbc(192), pbkdf2("sha512", off=0)),
}


@vector(each=PRFS)
def encrypted_pbkdf2(f, value):
    "PBES2 with PBKDF2; the PRF is {name}"
    cipher, kdf = value
    return encrypted_pem(f, f.key(), cipher=cipher, kdf=kdf)


PRF_WITHOUT_NULL = {name: pbkdf2(name, algorithm=seq(oid(PRF[name]))) for name in ["sha1", "sha256", "sha384", "sha512"]}


@vector(each=PRF_WITHOUT_NULL)
def encrypted_pbkdf2_without_null(f, kdf):
    "the identifier of the HMAC has no parameters, where RFC 8018 has NULL; the hash function is {name}"
    return encrypted_pem(f, f.key(), kdf=kdf)


PRF_PARAMETERS = {"sequence": seq(), "octets": octets(), "integer": integer(1)}


@vector("invalid", each=PRF_PARAMETERS)
def encrypted_pbkdf2_parameters(f, parameters):
    "the identifier of HMAC-SHA256 has parameters that are not NULL: {name}"
    return encrypted_pem(f, f.key(), kdf=pbkdf2(algorithm=seq(oid(PRF["sha256"]), parameters)))


@vector(each=[128, 192, 256])
def encrypted_aes(f, size):
    "PBES2 with AES-{0}-CBC"
    return encrypted_pem(f, f.key(X25519), cipher=aes_cbc(size))


@vector(each=[1, 600000])
def encrypted_iterations(f, iterations):
    "PBKDF2 with an iteration count of {0}"
    return encrypted_pem(f, f.key(X25519), kdf=pbkdf2(iterations=iterations))


@vector(each={"n_16384": (16384, 8, 1), "n_2": (2, 1, 1), "r_8192": (2, 8192, 1), "p_4": (256, 4, 4), "p_16": (16, 1, 16)})
def encrypted_scrypt(f, cost):
    "PBES2 with scrypt; N, r and p are {0}"
    return encrypted_pem(f, f.key(), kdf=scrypt(*cost))


@vector(each=[128, 192])
def encrypted_scrypt_key_length(f, size):
    "PBES2 with scrypt, its keyLength and AES-{0}-CBC"
    return encrypted_pem(f, f.key(X25519), kdf=scrypt(off=0), cipher=aes_cbc(size))


@vector(each=KINDS)
def encrypted_der(f, kind):
    "a private key of the kind {0.kind}, encrypted, as DER"
    return encrypted(f, pkcs8(f.key(kind)))


@vector()
def encrypted_ml_kem_both(f):
    "seed and expanded key, encrypted"
    key = f.key(MlKem768)
    return pem("ENCRYPTED PRIVATE KEY", encrypted(f, pkcs8(key, private=key.both())))


@vector()
def encrypted_v2(f):
    "a PKCS#8 of version 2 with the public key, encrypted"
    key = f.key(X25519)
    return pem("ENCRYPTED PRIVATE KEY", encrypted(f, pkcs8(key, public=key.public)))


PASSPHRASES = {
    "spaces": "  two before, one after ",
    "non_ascii": "Grüße aus Köln, 你好 🔑",
    "colon": "passphrase: none",
    "of_one_byte": "x",
    "of_200_bytes": "0123456789" * 20,
}


@vector(each=PASSPHRASES)
def encrypted_passphrase(f, passphrase):
    "what is special about the passphrase: {name}"
    return encrypted_pem(f, f.key(), passphrase=passphrase)


@vector()
def encrypted_passphrase_decomposed(f):
    "the passphrase is typed with a combining accent; what is used is normal form C, as in 4.4"
    raw, f.passphrase = encrypted_pem(f, f.key(), passphrase="caf\u00e9 au lait"), "cafe\u0301 au lait"
    return raw


@vector()
def encrypted_beside_plain(f):
    "a plain key, an encrypted one and a plain one"
    return b"".join([private_pem(f.key(X25519)), encrypted_pem(f, f.key()), private_pem(f.key(MlKem768))])


@vector()
def encrypted_two(f):
    "two keys encrypted with one passphrase, one with scrypt"
    return encrypted_pem(f, f.key()) + encrypted_pem(f, f.key(X25519), kdf=scrypt())


@vector()
def encrypted_not(f):
    "a passphrase is given and the key is plain"
    f.passphrase = PASSPHRASE
    return private_pem(f.key())


@vector("passphrase_required", each={"pem": lambda der: pem("ENCRYPTED PRIVATE KEY", der), "der": bytes})
def encrypted_no_passphrase(f, form):
    "an encrypted key as {name}, and no passphrase"
    raw, f.passphrase = form(encrypted(f, pkcs8(f.key()))), None
    return raw


@vector("passphrase_required")
def encrypted_no_passphrase_scrypt(f):
    "a key encrypted with scrypt, and no passphrase"
    raw, f.passphrase = encrypted_pem(f, f.key(), kdf=scrypt()), None
    return raw


@vector("passphrase_required")
def encrypted_no_passphrase_beside_plain(f):
    "a plain key, an encrypted one, and no passphrase"
    raw, f.passphrase = private_pem(f.key(X25519)) + encrypted_pem(f, f.key()), None
    return raw


def no_passphrase(f, kind=P256, **options):
    raw, f.passphrase = encrypted_pem(f, f.key(kind), **options), None
    return raw


@vector("cost_too_high")
def encrypted_no_passphrase_cost(f):
    "no passphrase; it is not needed to see that the cost is too high"
    return no_passphrase(f, kdf=pbkdf2(iterations=1, stated=10_000_001))


@vector("unsupported_key")
def encrypted_no_passphrase_cipher(f):
    "no passphrase; it is not needed to see that the cipher is not ours"
    return no_passphrase(f, cipher=(24, des3_cbc))


@vector("invalid")
def encrypted_no_passphrase_iterations(f):
    "no passphrase; it is not needed to see that the iterations are 0"
    return no_passphrase(f, kdf=pbkdf2(iterations=1, stated=0))


@vector("no_matching_identity", each={"pbkdf2": pbkdf2(), "scrypt": scrypt()})
def encrypted_wrong_passphrase(f, kdf):
    "another passphrase; {name}"
    raw, f.passphrase = encrypted_pem(f, f.key(), kdf=kdf), PASSPHRASE + " "
    return raw


@vector("no_matching_identity")
def encrypted_wrong_passphrase_padding_right(f):
    "another passphrase, under which the padding looks right"
    raw = encrypted(f, pkcs8(f.key()), pbkdf2(iterations=1))
    salt = raw[raw.index(b"\x04\x10") + 2 :][:16]
    for at in range(100000):
        f.passphrase = f"{PASSPHRASE} {at}"
        key = hashlib.pbkdf2_hmac("sha256", f.passphrase.encode(), salt, 1, 32)
        last = Cipher(AES(key), modes.CBC(raw[-32:-16])).decryptor().update(raw[-16:])
        if last[-1] == 1:
            return pem("ENCRYPTED PRIVATE KEY", raw)


@vector("no_matching_identity")
def encrypted_two_passphrases(f):
    "two keys under two passphrases; only the first one's is given"
    raw = encrypted_pem(f, f.key(), passphrase="another") + encrypted_pem(f, f.key())
    f.passphrase = "another"
    return raw


DAMAGE = {
    "first_block": lambda c: flip(c, 0),
    "last_block": lambda c: flip(c, -1),
    "15_bytes": lambda c: c[:15],
    "one_byte_short": lambda c: c[:-1],
    "one_byte_long": lambda c: c + b"\0",
    "last_block_missing": lambda c: c[:-16],
    "empty": lambda c: b"",
}


@vector("no_matching_identity", each=DAMAGE)
def encrypted_ciphertext(f, change):
    "the ciphertext was changed or cut: {name}"
    return encrypted_pem(f, f.key(), change=change)


@vector("no_matching_identity", each=[0, 17])
def encrypted_padding(f, last):
    "the padding's last byte is {0}"
    return encrypted_pem(f, f.key(), cipher=aes_cbc(padding=last))


@vector("cost_too_high", each={"10000001": 10_000_001, "2_31_minus_1": 2**31 - 1, "2_40": 2**40, "2_64": 2**64})
def encrypted_cost_pbkdf2(f, iterations):
    "PBKDF2 with an iteration count of {0}, more than 10,000,000"
    return encrypted_pem(f, f.key(), kdf=pbkdf2(iterations=1, stated=iterations))


SCRYPT_COSTS = {
    "2_gib": (2**21, 8, 1),
    "just_over_1_gib": (2**20, 9, 1),
    "2_gib_by_r": (2, 2**23, 1),
    "n_2_63": (2**63, 8, 1),
    "work_over_2_28": (2**14, 8, 2**11 + 1),
    "work_over_2_28_by_p": (2, 1, 2**27 + 1),
    "r_8193": (2, 8193, 1),
    "p_17": (2, 1, 17),
}


@vector("cost_too_high", each=SCRYPT_COSTS)
def encrypted_cost_scrypt(f, cost):
    "scrypt with N, r, p of {0}: more than 1 GiB, r over 8,192 or p over 16"
    return encrypted_pem(f, f.key(), kdf=scrypt(stated=cost))


def iterations(*counts):
    return [pbkdf2(iterations=1, stated=count) for count in counts]


# N, r and p of half of what one key may take: 128 * r * N * p is 2^33.
HALF = scrypt(n=2, r=1, p=1, stated=(2**19, 8, 16))
COSTS_TOGETHER = {
    "two": iterations(5_000_000, 5_000_001),
    "one_at_the_maximum_and_one_more": iterations(10_000_000, 1),
    "one_more_and_one_at_the_maximum": iterations(1, 10_000_000),
    "17_by_sealstone": iterations(*[600_000] * 17),
    "scrypt": [HALF, HALF, scrypt(2, 1, 1)],
    "both": [HALF, *iterations(5_000_001)],
    "both_by_scrypt": [*iterations(5_000_000), HALF, scrypt(2, 1, 1)],
}


def together(f, kdfs):
    "Of one key, so that the file is quickly made."
    key = pkcs8(f.key())
    return b"".join(pem("ENCRYPTED PRIVATE KEY", encrypted(f, key, kdf=kdf)) for kdf in kdfs)


@vector("cost_too_high", each=COSTS_TOGETHER)
def encrypted_cost_together(f, kdfs):
    "keys of which each could be read alone, and which together take more than one may: {name}"
    return together(f, kdfs)


@vector("cost_too_high", each={"two": COSTS_TOGETHER["two"], "both": COSTS_TOGETHER["both"]})
def encrypted_no_passphrase_cost_together(f, kdfs):
    "no passphrase; it is not needed to see that the keys together cost too much: {name}"
    raw, f.passphrase = together(f, kdfs), None
    return raw


@vector()
def encrypted_40(f):
    "40 encrypted keys, which together take little"
    return b"".join(encrypted_pem(f, f.key(X25519), kdf=pbkdf2(iterations=1000)) for _ in range(40))


OTHER_SOURCE = seq(oid("1.2.840.113549.1.9.16.3.99"))
PARAMETERS = {
    "iterations_0": pbkdf2(iterations=1, stated=0),
    "iterations_minus_1": pbkdf2(iterations=1, stated=-1),
    "salt_absent": pbkdf2(salt=b"", salt_length=0),
    "salt_of_other_source": pbkdf2(salt=OTHER_SOURCE),
    "key_length_of_another_cipher": pbkdf2(off=-16),
    "scrypt_n_0": scrypt(stated=(0, 8, 1)),
    "scrypt_n_1": scrypt(stated=(1, 8, 1)),
    "scrypt_n_3": scrypt(stated=(3, 8, 1)),
    "scrypt_n_1023": scrypt(stated=(1023, 8, 1)),
    "scrypt_r_0": scrypt(stated=(1024, 0, 1)),
    "scrypt_p_0": scrypt(stated=(1024, 8, 0)),
    "scrypt_salt_absent": scrypt(salt=b""),
}


@vector("invalid", each=PARAMETERS)
def encrypted_parameter(f, kdf):
    "a parameter of the key derivation is wrong, which is seen before any work: {name}"
    return encrypted_pem(f, f.key(), kdf=kdf)


@vector("invalid", each=[8, 15])
def encrypted_iv_length(f, length):
    "the IV of AES-CBC has {0} bytes"
    return encrypted_pem(f, f.key(), cipher=aes_cbc(iv_length=length))


# Encryption that is not ours.


def pbes1(f, data, scheme, key_and_iv):
    salt, iterations = f.random(8), 2048
    f.passphrase = PASSPHRASE
    key, iv = key_and_iv(PASSPHRASE, salt, iterations)
    return seq(seq(oid(scheme), seq(octets(salt), integer(iterations))), octets(cbc(TripleDES(key), iv, data, 8)))


def pbkdf1_md5(passphrase, salt, iterations):
    out = passphrase.encode() + salt
    for _ in range(iterations):
        out = hashlib.md5(out, usedforsecurity=False).digest()
    return out[:8] * 3, out[8:]


def pkcs12_sha1(passphrase, salt, iterations):
    """RFC 7292, appendix B.2, with 24 bytes of key in two blocks and 8 of IV in one."""
    password = passphrase.encode("utf-16-be") + b"\0\0"
    start = (salt * 64)[:64] + (password * 64)[: -(-len(password) // 64) * 64]

    def block(purpose, data):
        out = bytes([purpose]) * 64 + data
        for _ in range(iterations):
            out = hashlib.sha1(out, usedforsecurity=False).digest()
        return out

    first = block(1, start)
    add = int.from_bytes((first * 4)[:64], "big") + 1
    words = [int.from_bytes(start[at : at + 64], "big") for at in range(0, len(start), 64)]
    second = block(1, b"".join(((word + add) % 2**512).to_bytes(64, "big") for word in words))
    return (first + second)[:24], block(2, start)[:8]


PBES1 = {
    "sha1_and_3des": ("1.2.840.113549.1.12.1.3", pkcs12_sha1),
    "md5_and_des": ("1.2.840.113549.1.5.3", pbkdf1_md5),
}


@vector("unsupported_key", each=PBES1)
def encrypted_pbes1(f, value):
    "encrypted as before PBES2: {name}"
    return pem("ENCRYPTED PRIVATE KEY", pbes1(f, pkcs8(f.key()), *value))


SCHEMES = {
    "des_ede3": {"cipher": (24, des3_cbc)},
    "rc2": {"cipher": (16, rc2_cbc)},
    "aes_gcm": {"cipher": (32, aes_gcm)},
    "hmac_sha512_256": {
        "kdf": pbkdf2(hashes.SHA512_256(), algorithm=seq(oid("1.2.840.113549.2.13"), NULL)),
    },
}


@vector("unsupported_key", each=SCHEMES)
def encrypted_pbes2_with(f, options):
    "PBES2 with a cipher or PRF that is not ours: {name}"
    return encrypted_pem(f, f.key(), **options)


@vector("unsupported_key")
def encrypted_unknown_kdf(f):
    "PBES2 with a key derivation that nobody knows"

    def derive(f, passphrase, length):
        return seq(oid("1.2.840.113549.1.5.99"), seq(octets(f.random(16)))), f.random(length)

    return encrypted_pem(f, f.key(), kdf=derive)


@vector("unsupported_key")
def encrypted_unknown_scheme(f):
    "an encryption scheme that nobody knows"
    return encrypted_pem(f, f.key(), scheme="1.2.840.113549.1.5.99")


@vector("unsupported_key")
def encrypted_other_key(f):
    "a P-384 key inside a PBES2 that is ours"
    return encrypted_pem(f, f.key(P384))


@vector(each=KINDS)
def encrypted_attributes(f, kind):
    "a private key with an attribute, a friendlyName, behind the passphrase"
    return pem("ENCRYPTED PRIVATE KEY", encrypted(f, pkcs8(f.key(kind), attributes=FRIENDLY_NAME)))


@vector()
def encrypted_v2_attributes(f):
    "behind the passphrase RFC 5958's version 2, with an attribute and the public key in [1]"
    key = f.key()
    made = pkcs8(key, private=key.sec1(public=b""), attributes=FRIENDLY_NAME, public=key.public)
    return pem("ENCRYPTED PRIVATE KEY", encrypted(f, made))


BEHIND = {
    "invalid": {
        "scalar_0": lambda key, other: pkcs8(key, key.sec1(secret=bytes(32), public=b"")),
        "public_key_of_another": lambda key, other: pkcs8(key, key.sec1(public=other.public)),
        "v2_public_key_of_another": lambda key, other: pkcs8(key, key.sec1(public=b""), public=other.public),
        "private_key_damaged": lambda key, other: pkcs8(key, b"\0" + key.sec1()[1:]),
        "curve_missing": lambda key, other: pkcs8(key, algorithm=seq(EC_PUBLIC_KEY)),
    },
    "unsupported_key": {
        "algorithm": lambda key, other: pkcs8(key, algorithm=seq(oid("1.3.101.111"))),
        "explicit_curve": lambda key, other: pkcs8(key, algorithm=seq(EC_PUBLIC_KEY, explicit())),
    },
    "no_matching_identity": {
        "sec1": lambda key, other: key.sec1(PRIME256V1),
        "spki": lambda key, other: spki(key),
        "byte_behind": lambda key, other: pkcs8(key) + b"\0",
        "version_2": lambda key, other: pkcs8(key, version=2),
        "element_behind": lambda key, other: pkcs8(key, attributes=NULL),
        "extension": lambda key, other: pkcs8(key, attributes=tlv(0xA2, NULL)),
        "private_key_missing": lambda key, other: seq(integer(0), key.algorithm),
    },
}


def encrypted_behind(f, make):
    "behind the passphrase something is wrong, which is the passphrase's fault only if it is no PrivateKeyInfo: {name}"
    return pem("ENCRYPTED PRIVATE KEY", encrypted(f, make(f.key(), f.other())))


for code, faults in BEHIND.items():
    vector(code, each=faults)(encrypted_behind)


@vector("unsupported_key")
def encrypted_proc_type(f):
    "OpenSSL's old encryption in the PEM itself, under `Proc-Type: 4,ENCRYPTED`"
    f.passphrase, iv = PASSPHRASE, f.random(16)
    key = hashlib.md5(PASSPHRASE.encode() + iv[:8], usedforsecurity=False).digest()
    header = ["Proc-Type: 4,ENCRYPTED", f"DEK-Info: AES-128-CBC,{iv.hex().upper()}", ""]
    return pem("EC PRIVATE KEY", cbc(AES(key), iv, f.key().sec1(PRIME256V1), 16), header=header)


# PEM.


@vector()
def pem_crlf(f):
    "lines that end with CR LF"
    return (private_pem(f.key()) + private_pem(f.key(X25519))).replace(b"\n", b"\r\n")


@vector()
def pem_byte_order_mark(f):
    "U+FEFF at the start"
    return BOM + private_pem(f.key())


@vector(read="recipients")
def pem_byte_order_mark_recipients(f):
    "U+FEFF at the start, and lines that end with CR LF"
    return BOM + public_pem(f.key()).replace(b"\n", b"\r\n")


TEXTS = {
    "comment": b"# made for the backup, 2026-05-01\n\n",
    "non_ascii": "Schlüssel für die Sicherung\n".encode(),
    "not_utf8": b"friendlyName: M\xfcller\n",
    "beginning_with_0": b"0. The byte 30 also begins DER.\n",
    "beginning_with_a_brace": b"{ The byte 7b also begins JSON.\n",
    "with_dashes": b"-----\n--- key ---\n",
}


@vector(each=TEXTS)
def pem_text_before(f, text):
    "text before the block: {name}"
    return text + private_pem(f.key())


@vector()
def pem_text_between_and_after(f):
    "text between two blocks and after the last"
    return b"".join([private_pem(f.key()), b"the second:\n\n", private_pem(f.key(X25519)), b"\nthat is all\n"])


@vector()
def pem_bag_attributes(f):
    "`Bag Attributes`, as OpenSSL writes them"
    text = "Bag Attributes\n    friendlyName: backup\n    localKeyID: 01 02 03 04 \nKey Attributes: <No Attributes>\n"
    return b"".join(text.encode() + private_pem(f.key(kind)) for kind in (P256, X25519))


@vector()
def pem_openssl_text(f):
    "what `openssl pkey -text` writes before a key"

    def listing(data):
        lines = [data[at : at + 15] for at in range(0, len(data), 15)]
        return "".join(f"    {line.hex(':')}{':' if line is not lines[-1] else ''}\n" for line in lines)

    key = f.key()
    text = f"Private-Key: (256 bit)\npriv:\n{listing(key.secret)}pub:\n{listing(key.public)}"
    return f"{text}ASN1 OID: prime256v1\nNIST CURVE: P-256\n".encode() + private_pem(key)


@vector()
def pem_no_final_newline(f):
    "the file ends right after the END line's dashes"
    return private_pem(f.key())[:-1]


@vector()
def pem_blank_lines(f):
    "blank lines before, between and after two blocks"
    return b"\n\n" + private_pem(f.key()) + b"\n\n\n" + private_pem(f.key(X25519)) + b"\n\n"


@vector(read="recipients")
def pem_two_recipients(f):
    "two public keys in one file"
    return public_pem(f.key()) + public_pem(f.key())


@vector(read="recipients")
def pem_recipients_of_each_kind(f):
    "a public key of each kind in one file"
    return b"".join(public_pem(f.key(kind)) for kind in (MlKem768, P256, X25519))


@vector()
def pem_identities_of_each_kind(f):
    "private keys of each kind and each form in one file"
    keys = [private_pem(f.key(X25519)), sec1_pem_of(f.key()), private_pem(f.key(MlKem768)), private_pem(f.key())]
    return b"".join(keys)


@vector(each=[20, 76, 100000])
def pem_columns(f, columns):
    "the base64 is wrapped at {0} columns"
    return pem("PRIVATE KEY", pkcs8(f.key(MlKem768)), columns)


@vector(read="recipients")
def pem_one_line(f):
    "a public key of 1,184 bytes on one line"
    return pem("PUBLIC KEY", spki(f.key(MlKem768)), 100000)


JOINED = {
    "one_line": lambda text: text.replace(b"\n", b""),
    "escaped_line_ends": lambda text: text.replace(b"\n", b"\\n"),
}


@vector("unsupported_key", each=JOINED)
def pem_joined(f, join):
    "a private key whose lines are one: {name}"
    return join(private_pem(f.key()))


@vector("unsupported_key", "recipients", each=JOINED)
def pem_joined_recipient(f, join):
    "a public key whose lines are one: {name}"
    return join(public_pem(f.key()))


@vector("unsupported_key", each=["identities", "recipients"])
def pkcs12(f, read):
    "PKCS#12 without a certificate in it, where {0} are expected"
    f.read = read
    return seq(integer(3), seq(oid("1.2.840.113549.1.7.1"), tlv(0xA0, octets(seq()))), seq(octets(f.random(20))))


@vector()
def pem_spaces_at_line_ends(f):
    "spaces at the end of the base64 lines"
    return b"".join(
        line if line.startswith(b"-") else line.replace(b"\n", b"  \n")
        for line in private_pem(f.key()).splitlines(keepends=True)
    )


def with_body(change):
    """Changes the base64 of a key whose base64 ends with padding and has the characters + and /."""

    def make(f):
        key = f.key(wanted=lambda key: {43, 47} <= set(base64.b64encode(pkcs8(key, key.sec1(public=b"")))))
        begin, *body, end = private_pem(key, private=key.sec1(public=b"")).splitlines()
        body = change(b"\n".join(body))
        return b"\n".join([begin, *([body] if body else []), end, b""])

    return make


def with_text(change):
    return lambda f: change(private_pem(f.key()))


PEM_FAULTS = {
    "character_outside": with_body(lambda body: body[:10] + b"*" + body[11:]),
    "character_not_ascii": with_body(lambda body: body[:10] + b"\xc3\xa9" + body[12:]),
    "character_missing": with_body(lambda body: body[:10] + body[11:]),
    "url_alphabet": with_body(lambda body: body.replace(b"+", b"-").replace(b"/", b"_")),
    "padding_missing": with_body(lambda body: body.rstrip(b"=")),
    "padding_too_long": with_body(lambda body: body + b"===="),
    "padding_in_the_middle": with_body(lambda body: body[:62] + b"==" + body[64:]),
    "bits_after_the_last_byte": with_body(lambda body: body[:-3] + bytes([body[-3] + 1]) + b"=="),
    "body_empty": with_body(lambda body: b""),
    "body_text": with_body(lambda body: b"this is not base64, and no key"),
    "body_random": with_body(lambda body: base64.b64encode(stream(60, "garbage"))),
    "end_label_differs": with_text(lambda text: text.replace(b"END PRIVATE", b"END PUBLIC")),
    "end_missing": with_text(lambda text: text[: text.index(b"-----END")]),
    "end_cut": with_text(lambda text: text[:-3]),
    "end_missing_before_another": lambda f: private_pem(f.key()).split(b"-----END")[0] + private_pem(f.key()),
    "end_alone": with_text(lambda text: text[text.index(b"-----END") :]),
    "begin_with_four_dashes": with_text(lambda text: text[1:]),
    "begin_cut": with_text(lambda text: text.replace(b"KEY-----", b"KEY---", 1)),
    "utf_16": with_text(lambda text: b"\xff\xfe" + text.decode().encode("utf-16-le")),
    "without_armour": with_text(lambda text: b"".join(text.splitlines(keepends=True)[1:-1])),
    "good_before_bad": lambda f: private_pem(f.key()) + with_body(lambda body: body[:-8])(f),
}


@vector("invalid", each=PEM_FAULTS)
def pem_fault(f, make):
    "the PEM is wrong: {name}"
    return make(f)


RECIPIENT_FAULTS = {
    "character_outside": lambda text: text[:60] + b"*" + text[61:],
    "end_label_differs": lambda text: text.replace(b"END PUBLIC", b"END PRIVATE"),
    "end_missing": lambda text: text[: text.index(b"-----END")],
    "body_empty": lambda text: b"-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n",
}


@vector("invalid", "recipients", each=RECIPIENT_FAULTS)
def pem_fault_recipients(f, change):
    "the PEM of a public key is wrong: {name}"
    return change(public_pem(f.key()))


EMPTY = {"file": b"", "lines": b"\n \r\n", "byte_order_mark": BOM, "text": b"there is no key here\n"}


@vector("invalid", each=EMPTY, section="12.2")
def empty(f, raw):
    "no key in the file: {name}"
    return raw


@vector("invalid", "recipients", section="12.2")
def empty_recipients(f):
    "an empty file, read for recipients"
    return b""


LABELS = {
    "private_key_around_spki": lambda key, f: pem("PRIVATE KEY", spki(key)),
    "encrypted_private_key_around_spki": lambda key, f: pem("ENCRYPTED PRIVATE KEY", spki(key)),
    "rsa_private_key_around_spki": lambda key, f: pem("RSA PRIVATE KEY", spki(key)),
}


@vector("invalid", each=LABELS)
def pem_label(f, make):
    "the label does not fit the content: {name}"
    return make(f.key(), f)


FORMS_OF_PRIVATE_KEY = {
    "sec1": lambda f: pem("PRIVATE KEY", f.key().sec1(PRIME256V1)),
    "sec1_of_sm2": lambda f: pem("PRIVATE KEY", f.key(Sm2).sec1(SM2P256V1)),
    "encrypted": lambda f: pem("PRIVATE KEY", encrypted(f, pkcs8(f.key()))),
    "encrypted_ml_kem_768": lambda f: pem("PRIVATE KEY", encrypted(f, pkcs8(f.key(MlKem768)))),
}


@vector(each=FORMS_OF_PRIVATE_KEY)
def pem_private_key_around(f, make):
    "PRIVATE KEY around another form of private keys: {name}"
    return make(f)


PRIVATE_CONTENTS = {
    "pkcs8": lambda f, key: pkcs8(key),
    "sec1": lambda f, key: key.sec1(PRIME256V1),
    "encrypted": lambda f, key: encrypted(f, pkcs8(key)),
}
UNDER_ANOTHER_LABEL = {
    f"{label.lower().replace(' ', '_')}_around_{content}": (label, make)
    for label in ("ENCRYPTED PRIVATE KEY", "EC PRIVATE KEY", "SM2 PRIVATE KEY", "RSA PRIVATE KEY")
    for content, make in PRIVATE_CONTENTS.items()
    if (label, content) not in {("ENCRYPTED PRIVATE KEY", "encrypted"), ("EC PRIVATE KEY", "sec1")}
}


@vector(each=UNDER_ANOTHER_LABEL)
def pem_under(f, value):
    "a private key of P-256 under a label of another form: {name}"
    label, make = value
    return pem(label, make(f, f.key()))


@vector(read="recipients")
def pem_under_rsa_public_key_around_spki(f):
    "a public key of P-256 under RSA PUBLIC KEY"
    return pem("RSA PUBLIC KEY", spki(f.key()))


@vector("unsupported_key")
def pem_under_private_key_around_pkcs1(f):
    "a private key of RSA in PKCS#1, under PRIVATE KEY"
    return pem("PRIVATE KEY", Rsa(2048).pkcs1_private)


@vector("unsupported_key", "recipients")
def pem_under_public_key_around_pkcs1(f):
    "a public key of RSA in PKCS#1, under PUBLIC KEY"
    return pem("PUBLIC KEY", Rsa(2048).pkcs1_public)


@vector("invalid", "recipients", each={"pkcs8": pkcs8, "sec1": lambda key: key.sec1(PRIME256V1)})
def pem_label_public_key_around(f, form):
    "PUBLIC KEY around a private key, as {name}"
    return pem("PUBLIC KEY", form(f.key()))


# What is asked for.

PUBLIC_FORMS = {"pem": public_pem, "der": spki, "jwk": lambda key: compact(jwk(key, private=False))}
PRIVATE_FORMS = {
    "pkcs8_pem": private_pem,
    "pkcs8_der": pkcs8,
    "sec1_pem": sec1_pem_of,
    "sec1_der": lambda key: key.sec1(PRIME256V1),
    "jwk": lambda key: compact(jwk(key)),
}


@vector("invalid", each=PUBLIC_FORMS)
def public_for_private(f, form):
    "a public key where a private one is expected, as {name}"
    return form(f.key())


@vector("invalid", "recipients", each=PRIVATE_FORMS)
def private_for_public(f, form):
    "a private key where a public one is expected, as {name}"
    return form(f.key())


@vector("invalid", "recipients")
def private_for_public_encrypted(f):
    "an encrypted private key where a public one is expected"
    raw, f.passphrase = encrypted_pem(f, f.key()), None
    return raw


@vector("invalid")
def public_beside_private(f):
    "a private key and its public key in one file, read for identities"
    key = f.key()
    return private_pem(key) + public_pem(key)


@vector("invalid", "recipients")
def private_beside_public(f):
    "a public key and its private key in one file, read for recipients"
    key = f.key()
    return public_pem(key) + private_pem(key)


AGE_IDENTITY = b"AGE-SECRET-KEY-1QQQSYQCYQ5RQWZQFPG9SCRGWPUGPZYSNZS23V9CCRYDPK8QARC0SWRYDWG\n"
AGE_RECIPIENT = b"age13aqvttdk3ujkyjh9kg2w5an6dmy5mq5a84a4uxk3hfhnugfc9p0sy5p2wh\n"


@vector("invalid", each=["before", "after"], section="12.2")
def key_string_beside_pem(f, where):
    "an identity of age {0} a PEM block in one file"
    text = private_pem(f.key())
    return AGE_IDENTITY + text if where == "before" else text + AGE_IDENTITY


@vector("invalid", "recipients", each=["before", "after"], section="12.2")
def key_string_beside_pem_recipients(f, where):
    "a recipient of age {0} a PEM block in one file"
    text = public_pem(f.key())
    return AGE_RECIPIENT + text if where == "before" else text + AGE_RECIPIENT


# DER.

DER_FAULTS = {
    "trailing_byte": lambda der: der + b"\0",
    "trailing_newline": lambda der: der + b"\n",
    "twice": lambda der: der + der,
    "last_byte_missing": lambda der: der[:-1],
    "half": lambda der: der[: len(der) // 2],
    "one_byte": lambda der: der[:1],
    "empty_sequence": lambda der: seq(),
    "length_indefinite": lambda der: b"\x30\x80" + der[2:] + b"\0\0",
    "length_of_two_bytes": lambda der: b"\x30\x81" + der[1:],
    "length_with_leading_zero": lambda der: b"\x30\x82\x00" + der[1:],
    "length_past_the_end": lambda der: b"\x30\x84\xff\xff\xff\xff" + der[2:],
    "outer_tag": lambda der: b"\x31" + der[1:],
    "random": lambda der: b"\x30\x2e" + stream(46, "garbage"),
}


@vector("invalid", each=DER_FAULTS)
def der_fault(f, change):
    "the DER of a private key is wrong: {name}"
    return change(pkcs8(f.key(X25519)))


@vector("invalid", "recipients", each=list(DER_FAULTS)[::3])
def der_fault_recipients(f, name):
    "the DER of a public key is wrong: {name}"
    return DER_FAULTS[name](spki(f.key(X25519)))


PKCS8_FAULTS = {
    "version_not_minimal": lambda key: seq(b"\x02\x02\0\0", key.algorithm, octets(key.private())),
    "version_2": lambda key: pkcs8(key, version=2),
    "private_key_constructed": lambda key: seq(integer(0), key.algorithm, tlv(0x24, octets(key.private()))),
    "private_key_missing": lambda key: seq(integer(0), key.algorithm),
    "private_key_not_wrapped_twice": lambda key: pkcs8(key, private=key.secret),
    "inner_length_indefinite": lambda key: seq(
        integer(0), b"\x30\x80" + key.algorithm[2:] + b"\0\0", octets(key.private())
    ),
    "inner_trailing_byte": lambda key: pkcs8(key, private=key.private() + b"\0"),
    "extension": lambda key: pkcs8(key, attributes=tlv(0xA2, NULL)),
    "extension_like_attributes": lambda key: pkcs8(key, attributes=FRIENDLY_NAME + tlv(0xA0, NULL)),
}


@vector("invalid", each=PKCS8_FAULTS)
def der_fault_pkcs8(f, make):
    "a part of the PKCS#8 is wrong: {name}"
    return pem("PRIVATE KEY", make(f.key(X25519)))


@vector("unsupported_key")
def der_fault_pkcs8_version_missing(f):
    "PKCS#8 without its version has the shape of a key that is encrypted in another way than with PBES2"
    key = f.key(X25519)
    return pem("PRIVATE KEY", seq(key.algorithm, octets(key.private())))


SPKI_FAULTS = {
    "unused_bits": lambda key: seq(key.algorithm, bits(key.public, unused=1)),
    "octet_string": lambda key: seq(key.algorithm, octets(b"\0", key.public)),
    "extra_element": lambda key: seq(key.algorithm, bits(key.public), NULL),
    "public_key_missing": lambda key: seq(key.algorithm),
    "trailing_byte_in_pem": lambda key: spki(key) + b"\0",
}


@vector("invalid", "recipients", each=SPKI_FAULTS)
def der_fault_spki(f, make):
    "a part of the SubjectPublicKeyInfo is wrong: {name}"
    return pem("PUBLIC KEY", make(f.key()))


# P-256.

SCALARS = {"0": 0, "n": P256.n, "n_plus_1": P256.n + 1, "all_ff": 2**256 - 1}


@vector("invalid", each=SCALARS)
def p256_scalar_out_of_range(f, scalar):
    "the private key is {name}; the public key is left out"
    return private_pem(f.key(), private=f.keys[0].sec1(secret=scalar.to_bytes(32, "big"), public=b""))


@vector("invalid", each=["0", "n"])
def p256_scalar_out_of_range_sec1(f, name):
    "the private key is {name}, in an ECPrivateKey alone"
    return sec1_pem_of(f.key(), secret=SCALARS[name].to_bytes(32, "big"), public=b"")


LENGTHS = {
    "leading_zero_left_out": lambda secret: secret[1:],
    "leading_zero_added": lambda secret: b"\0" + secret,
    "empty": lambda secret: b"",
}


@vector("invalid", each=LENGTHS)
def p256_scalar_length(f, change):
    "the private key does not have 32 bytes: {name}"
    key = f.key(wanted=lambda key: key.secret[0] == 0)
    return private_pem(key, private=key.sec1(secret=change(key.secret)))


MISMATCHES = {
    "pkcs8": lambda key, other: private_pem(key, private=key.sec1(public=other.public)),
    "pkcs8_compressed": lambda key, other: private_pem(key, private=key.sec1(public=other.compressed)),
    "pkcs8_negated": lambda key, other: private_pem(key, private=key.sec1(public=flip(key.compressed, 0))),
    "v2": lambda key, other: private_pem(key, private=key.sec1(public=b""), public=other.public),
    "v2_beside_the_right_one": lambda key, other: private_pem(key, public=other.public),
    "sec1": lambda key, other: sec1_pem_of(key, public=other.public),
    "sec1_off_the_curve": lambda key, other: sec1_pem_of(key, public=flip(key.public, -1)),
}


@vector("invalid", each=MISMATCHES)
def p256_public_key_of_another(f, make):
    "the public key beside the private one is not its own: {name}"
    return make(f.key(), f.other())


@vector("invalid")
def p256_parameters_differ(f):
    "the ECPrivateKey names another curve than the PKCS#8 around it"
    return private_pem(f.key(), private=f.keys[0].sec1(parameters=SECP256K1))


@vector("invalid", each=[0, 2])
def sec1_version(f, version):
    "an ECPrivateKey of version {0}; there is only 1"
    return sec1_pem_of(f.key(), version=version)


# Points of P-256 with a coordinate so small that p can be added: x = 0, y = sqrt(b), and y = 5.
ROOT_OF_B = pow(P256.b, (P256.p + 1) // 4, P256.p)
X_OF_Y_5 = 0xD7325D7646CD60D80A92738CEB345F844CFFAF35841022CAB176F692DE8DE1D7
assert ROOT_OF_B**2 % P256.p == P256.b and (X_OF_Y_5**3 - 3 * X_OF_Y_5 + P256.b - 25) % P256.p == 0
# And of SM2's curve: x = 0, and y = 1.
SM2_ROOT_OF_B = pow(Sm2.b, (Sm2.p + 1) // 4, Sm2.p)
SM2_X_OF_Y_1 = 0x9C17043EFFE1A805A74A9A5E70B9D659705D3242094A566DC016F49311178D1F
assert SM2_ROOT_OF_B**2 % Sm2.p == Sm2.b and (SM2_X_OF_Y_1**3 - 3 * SM2_X_OF_Y_1 + Sm2.b - 1) % Sm2.p == 0

POINTS = {
    "off_the_curve": lambda key: flip(key.public, -1),
    "zeros": lambda key: b"\x04" + bytes(64),
    "at_infinity": lambda key: b"\0",
    "at_infinity_of_65_bytes": lambda key: bytes(65),
    "x_plus_p": lambda key: b"\x04" + P256.p.to_bytes(32, "big") + ROOT_OF_B.to_bytes(32, "big"),
    "y_plus_p": lambda key: b"\x04" + X_OF_Y_5.to_bytes(32, "big") + (P256.p + 5).to_bytes(32, "big"),
    "compressed": lambda key: key.compressed,
    "hybrid": lambda key: bytes([6 + (key.public[-1] & 1)]) + key.public[1:],
    "tag_05": lambda key: b"\x05" + key.public[1:],
    "without_tag": lambda key: key.public[1:],
    "cut": lambda key: key.public[:-1],
    "trailing_byte": lambda key: key.public + b"\0",
    "empty": lambda key: b"",
}


@vector("invalid", "recipients", each=POINTS)
def p256_point(f, make):
    "the public key is not an uncompressed point of P-256: {name}"
    return pem("PUBLIC KEY", spki(f.key(), public=make(f.keys[0])))


@vector("invalid", "recipients", each=[2, 3])
def p256_point_compressed_der(f, tag):
    "a compressed point that begins with {0}, which RFC 5480 allows, in DER"
    key = f.key(wanted=lambda key: key.compressed[0] == tag)
    return spki(key, public=key.compressed)


# ML-KEM-768.


@vector("invalid", each=[63, 65])
def ml_kem_seed_length(f, length):
    "a seed of {0} bytes"
    return private_pem(f.key(MlKem768), private=tlv(0x80, stream(length, f.name)))


BOTH = {
    "of_another_seed": lambda key, other: key.both(expanded=other.expanded),
    "secret_changed": lambda key, other: key.both(expanded=flip(key.expanded, 0)),
    "hash_changed": lambda key, other: key.both(expanded=flip(key.expanded, -33)),
    "z_changed": lambda key, other: key.both(expanded=flip(key.expanded, -1)),
    "expanded_short": lambda key, other: key.both(expanded=key.expanded[:-1]),
    "seed_short": lambda key, other: key.both(seed=key.secret[:-1]),
    "order_swapped": lambda key, other: key.both(seed=key.expanded, expanded=key.secret),
}


@vector("invalid", each=BOTH)
def ml_kem_both_differ(f, make):
    "the expanded key is not the seed's: {name}"
    return private_pem(f.key(MlKem768), private=make(f.keys[0], f.other(MlKem768)))


@vector("invalid", each={"x25519": X25519, "ml_kem_768": MlKem768})
def public_key_of_another(f, kind):
    "the public key in [1] is of another private key"
    return private_pem(f.key(kind), public=f.other(kind).public)


@vector("unsupported_key")
def ml_kem_seed_without_tag(f):
    "the seed without its tag [0]"
    return private_pem(f.key(MlKem768), private=f.keys[0].secret)


@vector("invalid", "recipients", each={"short": lambda key: key.public[:-1], "long": lambda key: key.public + b"\0"})
def ml_kem_public_key_length(f, change):
    "a public key that is one byte too {name}"
    return pem("PUBLIC KEY", spki(f.key(MlKem768), public=change(f.keys[0])))


def coefficient(public, at, value):
    n = int.from_bytes(public[:1152], "little")
    n ^= (n >> 12 * at & 0xFFF ^ value) << 12 * at
    return n.to_bytes(1152, "little") + public[1152:]


@vector("invalid", "recipients", each={"first_3329": (0, 3329), "last_3329": (767, 3329), "middle_4095": (300, 4095)})
def ml_kem_modulus(f, value):
    "a coefficient of the public key is not below 3329: {name}"
    return pem("PUBLIC KEY", spki(f.key(MlKem768), public=coefficient(f.keys[0].public, *value)))


# X25519.

FIELD = 2**255 - 19
LOW_ORDER = {
    "0": 0,
    "1": 1,
    "order_8": 0x00B8495F16056286FDB1329CEB8D09DA6AC49FF1FAE35616AEB8413B7C7AEBE0,
    "order_8_other": 0x57119FD0DD4E22D8868E1C58C45C44045BEF839C55B1D0B1248C50A3BC959C5F,
    "p_minus_1": FIELD - 1,
    "p": FIELD,
    "p_plus_1": FIELD + 1,
    "0_top_bit": 1 << 255,
    "p_plus_1_top_bit": FIELD + 1 | 1 << 255,
}


@vector("invalid", "recipients", each=LOW_ORDER)
def x25519_low_order(f, u):
    "a public key of low order: {name}"
    key, public = f.key(X25519), u.to_bytes(32, "little")
    try:
        X25519.load(key.secret).exchange(x25519.X25519PublicKey.from_public_bytes(public))
        raise AssertionError(f.name)
    except ValueError:
        return pem("PUBLIC KEY", spki(key, public=public))


@vector("invalid", each={"31": lambda key: key[:31], "33": lambda key: key + b"\0"})
def x25519_private_key_length(f, change):
    "a private key of {name} bytes"
    return private_pem(f.key(X25519), private=octets(change(f.keys[0].secret)))


@vector("invalid", "recipients", each={"31": lambda key: key[:31], "33": lambda key: key + b"\0"})
def x25519_public_key_length(f, change):
    "a public key of {name} bytes"
    return pem("PUBLIC KEY", spki(f.key(X25519), public=change(f.keys[0].public)))


def with_null(key):
    return seq(key.algorithm[2:], NULL)


@vector("invalid", each={"x25519": X25519, "ml_kem_768": MlKem768})
def parameters_null(f, kind):
    "the algorithm of a private key has NULL as parameters, which must be absent"
    return private_pem(f.key(kind), algorithm=with_null(kind))


@vector("invalid", "recipients", each={"x25519": X25519, "ml_kem_768": MlKem768})
def parameters_null_recipients(f, kind):
    "the algorithm of a public key has NULL as parameters, which must be absent"
    return pem("PUBLIC KEY", spki(f.key(kind), algorithm=with_null(kind)))


# Keys that are not ours.

OTHERS = {
    "p384": P384, "secp256k1": Secp256k1, "ed25519": Ed25519, "x448": X448,
    "ml_kem_512": MlKem512, "ml_kem_1024": MlKem1024,
}  # fmt: skip


@vector("unsupported_key", each=OTHERS)
def other_pkcs8(f, kind):
    "a private key of {0.kind}"
    return private_pem(f.key(kind))


@vector("unsupported_key", "recipients", each=OTHERS)
def other_spki(f, kind):
    "a public key of {0.kind}"
    return public_pem(f.key(kind))


@vector("unsupported_key", each={"p384": P384, "secp256k1": Secp256k1})
def other_sec1(f, kind):
    "an ECPrivateKey of {0.kind}"
    key = f.key(kind)
    return pem("EC PRIVATE KEY", key.sec1(key.parameters))


@vector("unsupported_key")
def other_der(f):
    "a private key of Ed25519 as DER, version 2"
    key = f.key(Ed25519)
    return pkcs8(key, public=key.public)


@vector("unsupported_key", "recipients")
def other_der_recipients(f):
    "a public key of P-384 as DER"
    return spki(f.key(P384))


RSA_KEYS = {"2048": (2048, 65537), "1024": (1024, 65537), "even_exponent": (2048, 65536)}


@vector("unsupported_key", each=RSA_KEYS)
def other_rsa_pkcs8(f, value):
    "an RSA private key; bits and exponent are {0}"
    return private_pem(Rsa(*value))


@vector("unsupported_key", "recipients", each=RSA_KEYS)
def other_rsa_spki(f, value):
    "an RSA public key; bits and exponent are {0}"
    return public_pem(Rsa(*value))


@vector("unsupported_key")
def other_rsa_pkcs1_private(f):
    "an RSA private key in PKCS#1"
    return pem("RSA PRIVATE KEY", Rsa(2048).pkcs1_private)


@vector("unsupported_key", "recipients")
def other_rsa_pkcs1_public(f):
    "an RSA public key in PKCS#1"
    return pem("RSA PUBLIC KEY", Rsa(2048).pkcs1_public)


@vector("unsupported_key")
def p256_explicit_pkcs8(f):
    "P-256 by its numbers and not by its name, in a PKCS#8"
    return private_pem(f.key(), algorithm=seq(EC_PUBLIC_KEY, explicit()))


@vector("unsupported_key")
def p256_explicit_sec1(f):
    "P-256 by its numbers and not by its name, in an ECPrivateKey"
    return pem("EC PRIVATE KEY", f.key().sec1(explicit()))


@vector("unsupported_key", "recipients")
def p256_explicit_spki(f):
    "P-256 by its numbers and not by its name, in a SubjectPublicKeyInfo"
    return pem("PUBLIC KEY", spki(f.key(), algorithm=seq(EC_PUBLIC_KEY, explicit())))


@vector("unsupported_key")
def p256_ecdh_pkcs8(f):
    "a private key under id-ecDH"
    return private_pem(f.key(), algorithm=seq(EC_DH, PRIME256V1))


@vector("unsupported_key", "recipients")
def p256_ecdh_spki(f):
    "a public key under id-ecDH"
    return pem("PUBLIC KEY", spki(f.key(), algorithm=seq(EC_DH, PRIME256V1)))


@vector("unsupported_key")
def ml_kem_expanded(f):
    "the expanded key without the seed"
    return private_pem(f.key(MlKem768), private=octets(f.keys[0].expanded))


@vector("unsupported_key")
def ml_kem_expanded_bare(f):
    "the expanded key without the seed, and without a choice around it, as nkCryptoTool writes it"
    return private_pem(f.key(MlKem768), private=f.keys[0].expanded)


@vector("unsupported_key")
def ml_kem_expanded_v2(f):
    "the expanded key without the seed, and the public key in [1]"
    return private_pem(f.key(MlKem768), private=octets(f.keys[0].expanded), public=f.keys[0].public)


@vector("unsupported_key")
def other_beside_ours(f):
    "a key of ours and one of P-384 in one file"
    return private_pem(f.key()) + private_pem(f.key(P384))


@vector("unsupported_key")
def other_label_openssh(f):
    "a private key in OpenSSH's own form"
    key, check = f.key(Ed25519), f.random(4)

    def text(*parts):
        content = b"".join(parts)
        return len(content).to_bytes(4, "big") + content

    public = text(b"ssh-ed25519") + text(key.public)
    private = check + check + public + text(key.secret, key.public) + text(b"backup")
    private += bytes(range(1, -len(private) % 8 + 1))
    head = text(b"none") + text(b"none") + text() + (1).to_bytes(4, "big")
    return pem("OPENSSH PRIVATE KEY", b"openssh-key-v1\0" + head + text(public) + text(private), 70)


def issue(f, builder):
    issuer = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Test")])
    signed = builder.issuer_name(issuer).sign(Ed25519.load(f.random(32)), None)
    return signed.public_bytes(serialization.Encoding.PEM)


DATES = datetime.datetime(2026, 1, 1), datetime.datetime(2027, 1, 1)


@vector(read="recipients")
def other_label_certificate(f):
    "a certificate of a P-256 key, of which nothing is verified"
    key = serialization.load_der_public_key(spki(f.key()))
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Backup")])
    builder = x509.CertificateBuilder().subject_name(subject).public_key(key).serial_number(1)
    return issue(f, builder.not_valid_before(DATES[0]).not_valid_after(DATES[1]))


@vector("unsupported_key")
def other_label_certificate_of_identity(f):
    "a certificate where private keys are expected"
    return other_label_certificate(f)


@vector("invalid", "recipients")
def other_label_certificates(f):
    "two certificates, such as a chain, whose issuers must not become recipients"
    return other_label_certificate(f) + other_label_certificate(f)


@vector("unsupported_key", "recipients")
def other_label_crl(f):
    "a list of revoked certificates"
    return issue(f, x509.CertificateRevocationListBuilder().last_update(DATES[0]).next_update(DATES[1]))


@vector("unsupported_key")
def other_label_unknown(f):
    "a label that nobody knows"
    return pem("BACKUP KEY", pkcs8(f.key()))


# JWK.


def jwk_text(change=None, kind=P256, private=True, wanted=lambda key: True):
    """A scenario's bytes from the members of a key, compact; `change` gives other members, or bytes."""

    def make(f):
        made = jwk(f.key(kind, wanted), private)
        made = change(made) if change else made
        return made if isinstance(made, bytes) else compact(made)

    return make


def members(**new):
    return lambda made: {name: value for name, value in (made | new).items() if value is not None}


JWK_KEYS = {"p256": P256, "x25519": X25519}


@vector(each=JWK_KEYS)
def jwk_private(f, kind):
    "a private key of the kind {0.kind} as JWK, the members that it needs"
    return jwk_text(kind=kind)(f)


@vector(read="recipients", each=JWK_KEYS)
def jwk_public(f, kind):
    "a public key of the kind {0.kind} as JWK, the members that it needs"
    return jwk_text(kind=kind, private=False)(f)


@vector(each=JWK_KEYS)
def jwk_private_all_members(f, kind):
    "kid, alg, use, key_ops and ext beside the members that a key needs"
    more = {"kid": "backup 2026", "alg": "ECDH-ES", "use": "enc", "key_ops": ["deriveBits"], "ext": True}
    return jwk_text(members(**more), kind)(f)


@vector(read="recipients", each=JWK_KEYS)
def jwk_public_all_members(f, kind):
    "kid, alg, use, an empty key_ops and ext, as Web Crypto exports them"
    more = {"kid": "Schlüssel", "alg": "ECDH-ES+A256KW", "use": "enc", "key_ops": [], "ext": True}
    return jwk_text(members(**more), kind, private=False)(f)


@vector()
def jwk_key_ops_derive_key(f):
    "key_ops has deriveKey and deriveBits"
    return jwk_text(members(key_ops=["deriveKey", "deriveBits"]))(f)


@vector(read="recipients")
def jwk_unknown_members(f):
    "members that nobody knows are ignored, whatever they hold"
    return jwk_text(members(note={"d": "not the key's"}, list=[1, [2.5, None]], D="not the key's"), private=False)(f)


@vector(each={"lf": b"\n", "crlf": b"\r\n"})
def jwk_pretty(f, newline):
    "U+FEFF, white space, an indented object, lines that end with {name}"
    return BOM + b"\n" + json.dumps(jwk(f.key()), indent=2).encode().replace(b"\n", newline) + newline * 2


@vector()
def jwk_members_in_another_order(f):
    "the members in the reverse order"
    return jwk_text(lambda made: dict(reversed(made.items())))(f)


@vector()
def jwk_escapes(f):
    "a name and a value with \\u escapes"
    return jwk_text(lambda made: compact(made).replace(b'"kty":"EC"', b'"\\u006bty":"\\u0045C"'))(f)


@vector(read="recipients", each={"x": 1, "y": 33})
def jwk_leading_zero(f, at):
    "{name} begins with a zero byte, and has 32 bytes all the same"
    return compact(jwk(f.key(wanted=lambda key: key.public[at] == 0), private=False))


def again(name, change):
    """The member with its bytes changed."""
    return lambda made: made | {name: base64url(change(base64.urlsafe_b64decode(made[name] + "===")))}


JWK_FAULTS = {
    "d_leading_zero_left_out": jwk_text(again("d", lambda d: d[1:]), wanted=lambda key: key.secret[0] == 0),
    "d_leading_zero_added": jwk_text(again("d", lambda d: b"\0" + d)),
    "d_empty": jwk_text(members(d="")),
    "d_0": jwk_text(members(d=base64url(bytes(32)))),
    "d_n": jwk_text(members(d=base64url(P256.n.to_bytes(32, "big")))),
    "d_short_x25519": jwk_text(again("d", lambda d: d[1:]), X25519),
    "d_padded": jwk_text(lambda made: made | {"d": made["d"] + "="}),
    "d_not_base64": jwk_text(lambda made: made | {"d": "*" + made["d"][1:]}),
    "d_with_newline": jwk_text(lambda made: made | {"d": made["d"] + "\n"}),
    "d_number": jwk_text(members(d=1)),
    "d_null": jwk_text(lambda made: made | {"d": None}),
    "d_twice": jwk_text(lambda made: compact(made)[:-1] + b',"d":"' + made["d"].encode() + b'"}'),
    "x_missing_x25519": jwk_text(members(x=None), X25519),
    "y_missing": jwk_text(members(y=None)),
    "trailing_text": jwk_text(lambda made: compact(made) + b"\nand so on\n"),
    "two_objects": lambda f: jwk_text()(f) + b"\n" + jwk_text()(f) + b"\n",
    "array": jwk_text(lambda made: compact([made])),
    "string": jwk_text(lambda made: json.dumps(compact(made).decode()).encode()),
    "cut": jwk_text(lambda made: compact(made)[:-1]),
    "comma_after_the_last": jwk_text(lambda made: compact(made)[:-1] + b",}"),
    "kty_missing": jwk_text(members(kty=None)),
    "crv_missing": jwk_text(members(crv=None)),
    "kty_twice": jwk_text(lambda made: b'{"kty":"RSA",' + compact(made)[1:]),
    "use_twice": jwk_text(lambda made: b'{"use":"sig","use":"enc",' + compact(made)[1:]),
    "use_sig": jwk_text(members(use="sig")),
    "key_ops_sign": jwk_text(members(key_ops=["sign"])),
    "key_ops_verify_beside_derive_bits": jwk_text(members(key_ops=["deriveBits", "verify"])),
    "beside_pem": lambda f: jwk_text()(f) + b"\n" + private_pem(f.key()),
}


@vector("invalid", each=JWK_FAULTS)
def jwk_fault(f, make):
    "the JWK of a private key is wrong: {name}"
    return make(f)


@vector("invalid", each=JWK_KEYS)
def jwk_public_key_of_another(f, kind):
    "x, or x and y, are not those of d"
    return compact(jwk(f.key(kind)) | {"d": base64url(f.other(kind).secret)})


def url_alphabet_lost(f):
    made = jwk(f.key(wanted=lambda key: {"-", "_"} <= set(jwk(key)["x"])), private=False)
    return compact(made | {"x": made["x"].replace("-", "+").replace("_", "/")})


def last_bits_set(value):
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return value[:-1] + alphabet[alphabet.index(value[-1]) + 1]


def public_jwk(change, kind=P256, **options):
    return jwk_text(change, kind, private=False, **options)


JWK_PUBLIC_FAULTS = {
    "x_leading_zero_left_out": public_jwk(again("x", lambda x: x[1:]), wanted=lambda key: key.public[1] == 0),
    "y_leading_zero_added": public_jwk(again("y", lambda y: b"\0" + y)),
    "x_short_x25519": public_jwk(again("x", lambda x: x[:-1]), X25519),
    "x_low_order_x25519": public_jwk(again("x", lambda x: bytes(32)), X25519),
    "x_standard_alphabet": url_alphabet_lost,
    "x_padded": public_jwk(lambda made: made | {"x": made["x"] + "="}),
    "x_bits_after_the_last_byte": public_jwk(lambda made: made | {"x": last_bits_set(made["x"])}),
    "y_missing": public_jwk(members(y=None)),
    "y_off_the_curve": public_jwk(again("y", lambda y: flip(y, -1))),
    "x_plus_p": public_jwk(
        members(x=base64url(P256.p.to_bytes(32, "big")), y=base64url(ROOT_OF_B.to_bytes(32, "big")))
    ),
    "x_twice": public_jwk(lambda made: compact(made)[:-1] + b',"x":"' + made["x"].encode() + b'"}'),
    "use_sig": public_jwk(members(use="sig")),
    "key_ops_verify": public_jwk(members(key_ops=["verify"])),
    "trailing_text": public_jwk(lambda made: compact(made) + b"}"),
}


@vector("invalid", "recipients", each=JWK_PUBLIC_FAULTS)
def jwk_fault_recipients(f, make):
    "the JWK of a public key is wrong: {name}"
    return make(f)


@vector("invalid", "recipients", each=JWK_KEYS)
def jwk_private_for_public(f, kind):
    "a JWK with d where a public key is expected"
    return compact(jwk(f.key(kind)))


@vector("invalid")
def jwk_encrypted(f):
    "an encrypted JWK, which is a compact JWE and not a key"
    header = {"alg": "PBES2-HS256+A128KW", "enc": "A128GCM", "cty": "jwk+json", "p2s": base64url(f.random(16))}
    parts = [compact(header | {"p2c": 4096}), *map(f.random, (24, 12, 150, 16))]
    f.passphrase = PASSPHRASE
    return ".".join(map(base64url, parts)).encode()


def number(n):
    return base64url(n.to_bytes((n.bit_length() + 7) // 8, "big"))


def halves(key):
    point = key.public[1:]
    return {"x": base64url(point[: len(point) // 2]), "y": base64url(point[len(point) // 2 :])}


JWK_OTHERS = {
    "rsa": lambda f: {"kty": "RSA", "n": number(Rsa(2048).n), "e": "AQAB"},
    "p384": lambda f: {"kty": "EC", "crv": "P-384"} | halves(f.key(P384)),
    "secp256k1": lambda f: {"kty": "EC", "crv": "secp256k1"} | halves(f.key(Secp256k1)),
    "ed25519": lambda f: {"kty": "OKP", "crv": "Ed25519", "x": base64url(f.key(Ed25519).public)},
    "x448": lambda f: {"kty": "OKP", "crv": "X448", "x": base64url(f.key(X448).public)},
    "sm2": lambda f: {"kty": "EC", "crv": "SM2"} | halves(f.key(Sm2)),
    "ml_kem_768": lambda f: {"kty": "AKP", "alg": "ML-KEM-768", "pub": base64url(f.key(MlKem768).public)},
    "set": lambda f: {"keys": [jwk(f.key(), False), jwk(f.key(X25519), False)]},
}


@vector("unsupported_key", "recipients", each=JWK_OTHERS)
def jwk_other(f, make):
    "a JWK that is none of ours: {name}"
    return compact(make(f))


def ed25519_jwk(f):
    key = f.key(Ed25519)
    return {"kty": "OKP", "crv": "Ed25519", "x": base64url(key.public), "d": base64url(key.secret)}


def sm2_jwk(f):
    key = f.key(Sm2)
    return {"kty": "EC", "crv": "SM2", "d": base64url(key.secret)} | halves(key)


JWK_OTHERS_PRIVATE = {
    "oct": lambda f: {"kty": "oct", "k": base64url(f.random(32))},
    "ed25519": ed25519_jwk,
    "sm2": sm2_jwk,
    "ml_kem_768": lambda f: {"kty": "AKP", "alg": "ML-KEM-768", "priv": base64url(f.key(MlKem768).secret)},
    "set": lambda f: {"keys": [jwk(f.key())]},
}


@vector("unsupported_key", each=JWK_OTHERS_PRIVATE)
def jwk_other_private(f, make):
    "a JWK with a private or symmetric key that is none of ours: {name}"
    return compact(make(f))


# SM2.


@vector()
def pkcs8_sm2_without_public_key(f):
    "the ECPrivateKey has no public key"
    key = f.key(Sm2)
    return private_pem(key, private=key.sec1(public=b""))


@vector()
def pkcs8_sm2_parameters_repeated(f):
    "the ECPrivateKey names the curve again"
    key = f.key(Sm2)
    return private_pem(key, private=key.sec1(parameters=SM2P256V1))


@vector()
def pkcs8_sm2_public_key_compressed(f):
    "the public key in the ECPrivateKey is compressed, and right"
    key = f.key(Sm2)
    return private_pem(key, private=key.sec1(public=key.compressed))


@vector()
def pkcs8_v2_sm2_public_key_twice(f):
    "the public key in [1] and in the ECPrivateKey, both right"
    key = f.key(Sm2)
    return private_pem(key, public=key.public)


@vector()
def pkcs8_v2_sm2_public_key_compressed(f):
    "the public key in [1] is compressed, and right"
    key = f.key(Sm2)
    return private_pem(key, private=key.sec1(public=b""), public=key.compressed)


def sm2_sec1(f, label, **parts):
    return pem(f"{label} PRIVATE KEY", f.key(Sm2).sec1(SM2P256V1, **parts))


SM2_LABELS = {"ec": "EC", "sm2": "SM2"}
SM2_PARAMETERS = {label: pem(f"{label} PARAMETERS", SM2P256V1) for label in SM2_LABELS.values()}


@vector(each=SM2_LABELS)
def sec1_sm2_pem(f, label):
    "an ECPrivateKey as PEM with the label {0} PRIVATE KEY"
    return sm2_sec1(f, label)


@vector()
def sec1_sm2_der(f):
    "an ECPrivateKey as DER"
    return f.key(Sm2).sec1(SM2P256V1)


@vector(each=SM2_LABELS)
def sec1_sm2_without_public_key(f, label):
    "an ECPrivateKey without the public key, with the label {0} PRIVATE KEY"
    return sm2_sec1(f, label, public=b"")


@vector()
def sec1_sm2_without_public_key_der(f):
    "an ECPrivateKey without the public key, as DER"
    return f.key(Sm2).sec1(SM2P256V1, public=b"")


@vector(each=SM2_LABELS)
def sec1_sm2_public_key_compressed(f, label):
    "an ECPrivateKey whose public key is compressed, and right; with the label {0} PRIVATE KEY"
    key = f.key(Sm2)
    return pem(f"{label} PRIVATE KEY", key.sec1(SM2P256V1, public=key.compressed))


@vector(each={f"{p}_before_{k}": (SM2_LABELS[p], SM2_LABELS[k]) for p in SM2_LABELS for k in SM2_LABELS})
def sec1_sm2_parameters(f, labels):
    "a block of parameters before the key, as `openssl ecparam -genkey` writes one; the labels begin with {0}"
    return SM2_PARAMETERS[labels[0]] + sm2_sec1(f, labels[1])


@vector()
def sec1_sm2_parameters_before_pkcs8(f):
    "SM2 PARAMETERS before a PKCS#8, as `openssl ecparam -genkey` of version 3 writes it"
    return SM2_PARAMETERS["SM2"] + private_pem(f.key(Sm2))


@vector("invalid")
def sec1_sm2_parameters_alone(f):
    "SM2 PARAMETERS, which are skipped, and no key"
    return SM2_PARAMETERS["SM2"]


@vector("invalid", each=[0, 2])
def sec1_sm2_version(f, version):
    "an ECPrivateKey of version {0}; there is only 1"
    return sm2_sec1(f, "SM2", version=version)


@vector("invalid")
def pem_label_and_content_sm2_private_key_around_spki(f):
    "the label does not fit the content: sm2 private key around spki"
    return pem("SM2 PRIVATE KEY", spki(f.key(Sm2)))


@vector(each={label.lower().replace(" ", "_"): label for label in ("EC PRIVATE KEY", "SM2 PRIVATE KEY")})
def pem_under_sm2(f, label):
    "PKCS#8 of an SM2 key under the label {0}"
    return pem(label, pkcs8(f.key(Sm2)))


@vector("invalid", "recipients", each={"pkcs8": pkcs8, "sec1": lambda key: key.sec1(SM2P256V1)})
def pem_label_public_key_around_sm2(f, form):
    "PUBLIC KEY around a private key, as {name}"
    return pem("PUBLIC KEY", form(f.key(Sm2)))


@vector("invalid", each={"pem": public_pem, "der": spki})
def public_for_private_sm2(f, form):
    "a public key where a private one is expected, as {name}"
    return form(f.key(Sm2))


SM2_PRIVATE_FORMS = {
    "pkcs8_pem": private_pem,
    "pkcs8_der": pkcs8,
    "ec_private_key": lambda key: pem("EC PRIVATE KEY", key.sec1(SM2P256V1)),
    "sm2_private_key": lambda key: pem("SM2 PRIVATE KEY", key.sec1(SM2P256V1)),
    "sec1_der": lambda key: key.sec1(SM2P256V1),
}


@vector("invalid", "recipients", each=SM2_PRIVATE_FORMS)
def private_for_public_sm2(f, form):
    "a private key where a public one is expected, as {name}"
    return form(f.key(Sm2))


@vector(read="recipients")
def pem_sm2_recipients_beside_others(f):
    "public keys of SM2 and of other kinds in one file"
    return b"".join(public_pem(f.key(kind)) for kind in (Sm2, P256, X25519, Sm2))


@vector()
def pem_sm2_identities_beside_others(f):
    "private keys of SM2 in each form, and of P-256, in one file"
    keys = [private_pem(f.key(Sm2)), sm2_sec1(f, "SM2"), sec1_pem_of(f.key()), sm2_sec1(f, "EC")]
    return b"".join([*keys, encrypted_pem(f, f.key(Sm2), **SM3_AND_SM4)])


@vector()
def pem_sm2_crlf(f):
    "U+FEFF at the start, lines that end with CR LF, text before the block"
    return BOM + (b"# made for the backup\n" + sm2_sec1(f, "SM2")).replace(b"\n", b"\r\n")


@vector(each={"1": 1, "n_minus_2": Sm2.n - 2})
def sm2_scalar(f, scalar):
    "the private key is {name}, the end of the range"
    key = Sm2(scalar.to_bytes(32, "big"))
    f.keys.append(key)
    return private_pem(key)


@vector()
def sm2_scalar_leading_zero(f):
    "a private key whose first byte is zero; it has 32 bytes all the same"
    return private_pem(f.key(Sm2, lambda key: key.secret[0] == 0))


SM2_SCALARS = {"0": 0, "n_minus_1": Sm2.n - 1, "n": Sm2.n, "n_plus_1": Sm2.n + 1, "all_ff": 2**256 - 1}


@vector("invalid", each=SM2_SCALARS)
def sm2_scalar_out_of_range(f, scalar):
    "the private key is {name}; it is at most n - 2; the public key is left out"
    return private_pem(f.key(Sm2), private=f.keys[0].sec1(secret=scalar.to_bytes(32, "big"), public=b""))


@vector("invalid", each=SM2_SCALARS)
def sm2_scalar_out_of_range_sec1(f, scalar):
    "the private key is {name}, in an ECPrivateKey alone"
    return sm2_sec1(f, "SM2", secret=scalar.to_bytes(32, "big"), public=b"")


@vector("invalid")
def sm2_scalar_n_minus_1_with_public_key(f):
    "the private key is n - 1, and its public key is beside it"
    return private_pem(Sm2((Sm2.n - 1).to_bytes(32, "big")))


@vector("invalid", each=LENGTHS)
def sm2_scalar_length(f, change):
    "the private key does not have 32 bytes: {name}"
    key = f.key(Sm2, lambda key: key.secret[0] == 0)
    return private_pem(key, private=key.sec1(secret=change(key.secret)))


@vector("invalid", each=MISMATCHES)
def sm2_public_key_of_another(f, make):
    "the public key beside the private one is not its own: {name}"
    return make(f.key(Sm2), f.other(Sm2))


@vector("invalid")
def sm2_public_key_of_p256(f):
    "the public key beside the private one is that of the same number on P-256"
    key = f.key(Sm2)
    return private_pem(key, private=key.sec1(public=P256(key.secret).public))


@vector("invalid", each={"sm2": (Sm2, PRIME256V1), "p256": (P256, SM2P256V1)})
def sm2_parameters_differ(f, kind_and_parameters):
    "the ECPrivateKey names the one curve and the PKCS#8 around it the other"
    kind, parameters = kind_and_parameters
    return private_pem(f.key(kind), private=f.keys[0].sec1(parameters=parameters))


# No point has this x.
SM2_X_OF_NO_POINT = (5).to_bytes(32, "big")
SM2_POINTS = {name: make for name, make in POINTS.items() if name != "compressed"} | {
    "compressed_no_point_2": lambda key: b"\x02" + SM2_X_OF_NO_POINT,
    "compressed_no_point_3": lambda key: b"\x03" + SM2_X_OF_NO_POINT,
    "compressed_x_plus_p": lambda key: bytes([2 + SM2_ROOT_OF_B % 2]) + Sm2.p.to_bytes(32, "big"),
    "zeros": lambda key: b"\x04" + bytes(64),
    "x_plus_p": lambda key: b"\x04" + Sm2.p.to_bytes(32, "big") + SM2_ROOT_OF_B.to_bytes(32, "big"),
    "y_plus_p": lambda key: b"\x04" + SM2_X_OF_Y_1.to_bytes(32, "big") + (Sm2.p + 1).to_bytes(32, "big"),
    "x_is_y": lambda key: b"\x04" + key.public[33:] + key.public[1:33],
    "of_p256": lambda key: P256(key.secret).public,
}


@vector("invalid", "recipients", each=SM2_POINTS)
def sm2_point(f, make):
    "the public key is not a point of SM2's curve, or in another form: {name}"
    return pem("PUBLIC KEY", spki(f.key(Sm2), public=make(f.keys[0])))


@vector("invalid", "recipients")
def p256_point_of_sm2(f):
    "the public key is a point of SM2's curve, and P-256 is named"
    return pem("PUBLIC KEY", spki(f.key(), public=f.other(Sm2).public))


@vector(read="recipients")
def sm2_point_compressed(f):
    "a compressed point, in PEM"
    return pem("PUBLIC KEY", spki(f.key(Sm2), public=f.keys[0].compressed))


@vector(read="recipients", each=[2, 3])
def sm2_point_compressed_der(f, tag):
    "a compressed point that begins with {0}, in DER"
    key = f.key(Sm2, lambda key: key.compressed[0] == tag)
    return spki(key, public=key.compressed)


@vector(read="recipients", each={"x": 1, "y": 33})
def sm2_point_leading_zero(f, at):
    "{name} begins with a zero byte"
    return public_pem(f.key(Sm2, lambda key: key.public[at] == 0))


@vector("unsupported_key")
def sm2_explicit_pkcs8(f):
    "SM2's curve by its numbers and not by its name, in a PKCS#8"
    return private_pem(f.key(Sm2), algorithm=seq(EC_PUBLIC_KEY, explicit(Sm2)))


@vector("unsupported_key", each=SM2_LABELS)
def sm2_explicit_sec1(f, label):
    "SM2's curve by its numbers and not by its name, in an ECPrivateKey with the label {0} PRIVATE KEY"
    return pem(f"{label} PRIVATE KEY", f.key(Sm2).sec1(explicit(Sm2)))


@vector("unsupported_key", "recipients")
def sm2_explicit_spki(f):
    "SM2's curve by its numbers and not by its name, in a SubjectPublicKeyInfo"
    return pem("PUBLIC KEY", spki(f.key(Sm2), algorithm=seq(EC_PUBLIC_KEY, explicit(Sm2))))


# As OpenSSL 3.0.0 to 3.0.12 wrote it.
SM2_TWICE = seq(SM2P256V1, SM2P256V1)
SM2_TWICE_FORMS = {
    "pkcs8_pem": lambda f, key: private_pem(key, algorithm=SM2_TWICE),
    "pkcs8_der": lambda f, key: pkcs8(key, algorithm=SM2_TWICE),
    "pkcs8_with_curve_inside": lambda f, key: private_pem(key, private=key.sec1(SM2P256V1), algorithm=SM2_TWICE),
    "encrypted": lambda f, key: pem(
        "ENCRYPTED PRIVATE KEY", encrypted(f, pkcs8(key, algorithm=SM2_TWICE), **SM3_AND_SM4)
    ),
}


@vector(each=SM2_TWICE_FORMS)
def sm2_curve_twice(f, make):
    "the name of SM2's curve stands in place of id-ecPublicKey too, as OpenSSL 3.0.0 to 3.0.12 wrote it: {name}"
    return make(f, f.key(Sm2))


@vector(read="recipients", each={"pem": lambda der: pem("PUBLIC KEY", der), "der": lambda der: der})
def sm2_curve_twice_spki(f, form):
    "a public key whose algorithm and parameters are both the name of SM2's curve: {name}"
    return form(spki(f.key(Sm2), algorithm=SM2_TWICE))


SM2_ALGORITHMS = {
    "ecdh": seq(EC_DH, SM2P256V1),
    "curve": seq(SM2P256V1),
    "curve_null": seq(SM2P256V1, NULL),
    "sm2_encrypt": seq(oid("1.2.156.10197.1.301.3")),
    "curve_and_p256": seq(SM2P256V1, PRIME256V1),
    "curve_and_explicit": seq(SM2P256V1, explicit(Sm2)),
    "p256_and_curve": seq(PRIME256V1, SM2P256V1),
}


@vector("unsupported_key", each=SM2_ALGORITHMS)
def sm2_algorithm_pkcs8(f, algorithm):
    "a private key of SM2 under another algorithm than id-ecPublicKey: {name}"
    return private_pem(f.key(Sm2), algorithm=algorithm)


@vector("unsupported_key", "recipients", each=SM2_ALGORITHMS)
def sm2_algorithm_spki(f, algorithm):
    "a public key of SM2 under another algorithm than id-ecPublicKey: {name}"
    return pem("PUBLIC KEY", spki(f.key(Sm2), algorithm=algorithm))


# SM3 and SM4 around a private key.


@vector(each=SM_ENCRYPTIONS)
def encrypted_sm2(f, options):
    "an SM2 key in PBES2, where bare is an HMAC-SM3 without parameters and all else has NULL: {name}"
    return encrypted_pem(f, f.key(Sm2), **options)


@vector(each={kind: KINDS[kind] for kind in ("p256", "x25519", "ml_kem_768")})
def encrypted_sm3_sm4_of(f, kind):
    "a private key of the kind {0.kind} in PBES2 with HMAC-SM3 and SM4-CBC"
    return encrypted_pem(f, f.key(kind), **SM3_AND_SM4)


@vector()
def encrypted_sm2_der_sm3_sm4(f):
    "an SM2 key with HMAC-SM3 and SM4-CBC, as DER"
    return encrypted(f, pkcs8(f.key(Sm2)), **SM3_AND_SM4)


@vector()
def encrypted_sm2_as_gmssl(f):
    "65,536 iterations, a salt of 8 bytes, keyLength 16, the curve named in the ECPrivateKey again"
    key, kdf = f.key(Sm2), sm3(iterations=65536, salt_length=8, off=0)
    made = encrypted(f, pkcs8(key, private=key.sec1(parameters=SM2P256V1)), kdf, sm4_cbc())
    return pem("ENCRYPTED PRIVATE KEY", made)


@vector()
def encrypted_sm2_passphrase_decomposed(f):
    "the passphrase is typed with a combining accent; what is used is normal form C, as in 4.4"
    raw = encrypted_pem(f, f.key(Sm2), passphrase="caf\u00e9 au lait", **SM3_AND_SM4)
    f.passphrase = "cafe\u0301 au lait"
    return raw


@vector("passphrase_required")
def encrypted_sm2_no_passphrase(f):
    "an SM2 key with HMAC-SM3 and SM4-CBC, and no passphrase"
    return no_passphrase(f, Sm2, **SM3_AND_SM4)


@vector("cost_too_high")
def encrypted_sm2_no_passphrase_cost(f):
    "no passphrase; it is not needed to see that the cost is too high"
    return no_passphrase(f, Sm2, kdf=sm3(iterations=1, stated=10_000_001), cipher=sm4_cbc())


@vector("no_matching_identity")
def encrypted_sm2_wrong_passphrase(f):
    "another passphrase"
    raw, f.passphrase = encrypted_pem(f, f.key(Sm2), **SM3_AND_SM4), PASSPHRASE + " "
    return raw


@vector("no_matching_identity", each=DAMAGE)
def encrypted_sm2_ciphertext(f, change):
    "the ciphertext of SM4-CBC was changed or cut: {name}"
    return encrypted_pem(f, f.key(Sm2), change=change, **SM3_AND_SM4)


@vector("no_matching_identity", each=[0, 17])
def encrypted_sm2_padding(f, last):
    "the padding's last byte is {0}"
    return encrypted_pem(f, f.key(Sm2), kdf=sm3(), cipher=sm4_cbc(padding=last))


SM2_BEHIND = {
    "invalid": {
        "scalar_n_minus_1": lambda key, other: pkcs8(key, key.sec1(secret=(Sm2.n - 1).to_bytes(32, "big"), public=b"")),
        "scalar_0": lambda key, other: pkcs8(key, key.sec1(secret=bytes(32), public=b"")),
        "public_key_of_another": lambda key, other: pkcs8(key, key.sec1(public=other.public)),
    },
    "unsupported_key": {"algorithm": lambda key, other: pkcs8(key, algorithm=SM2_ALGORITHMS["sm2_encrypt"])},
    "no_matching_identity": {"sec1": lambda key, other: key.sec1(SM2P256V1)},
}


def encrypted_sm2_behind(f, make):
    "what is behind the passphrase is no SM2 key of ours: {name}"
    return pem("ENCRYPTED PRIVATE KEY", encrypted(f, make(f.key(Sm2), f.other(Sm2)), **SM3_AND_SM4))


for code, faults in SM2_BEHIND.items():
    vector(code, each=faults)(encrypted_sm2_behind)


@vector("cost_too_high", each={"10000001": 10_000_001, "2_32_minus_1": 2**32 - 1, "2_64": 2**64})
def encrypted_cost_pbkdf2_sm3(f, iterations):
    "PBKDF2 with HMAC-SM3 and an iteration count of {0}, more than 10,000,000"
    return encrypted_pem(f, f.key(Sm2), kdf=sm3(iterations=1, stated=iterations), cipher=sm4_cbc())


SM_PARAMETERS = {
    "iterations_0": (sm3(iterations=1, stated=0), sm4_cbc()),
    "salt_absent": (sm3(salt=b"", salt_length=0), sm4_cbc()),
    "key_length_of_another_cipher": (sm3(off=16), sm4_cbc()),
    "iv_of_8_bytes": (sm3(), sm4_cbc(iv_length=8)),
    "iv_of_15_bytes": (sm3(), sm4_cbc(iv_length=15)),
}


@vector("invalid", each=SM_PARAMETERS)
def encrypted_parameter_sm(f, value):
    "a parameter of PBKDF2 or SM4-CBC is wrong, which is seen before any work: {name}"
    kdf, cipher = value
    return encrypted_pem(f, f.key(Sm2), kdf=kdf, cipher=cipher)


SM_SCHEMES = {
    "sm4_ecb": {"cipher": (16, sm4_ecb)},
    "sm4_gcm": {"cipher": (16, sm4_gcm)},
    "sm3_as_prf": {"kdf": pbkdf2(hashes.SM3(), algorithm=seq(oid("1.2.156.10197.1.401"), NULL)), "cipher": sm4_cbc()},
    "pbes_of_gm_t_0091": {"scheme": "1.2.156.10197.6.1.4.1.5.2", **SM3_AND_SM4},
    "pbkdf_of_gm_t_0091": {"kdf": sm3(name="1.2.156.10197.6.1.4.1.5.1"), "cipher": sm4_cbc()},
}


@vector("unsupported_key", each=SM_SCHEMES)
def encrypted_sm_with(f, options):
    "encryption with SM algorithms that is not ours: {name}"
    return encrypted_pem(f, f.key(Sm2), **options)


# Raw SM2 keys, which are lines of 12.2.


def lines(*texts, end="\n"):
    return "".join(text + end for text in texts).encode()


def coordinates(key):
    return key.public[1:].hex()


def draw(wanted=lambda key: True):
    """The next SM2 key whose digits have letters, so that their case shows, and do not begin like DER."""
    return lambda f: f.key(Sm2, lambda key: wanted(key) and key.secret.hex()[0] != "0" and key.public.hex()[2] != "0")


HEX_CASES = {"lower": str.lower, "upper": str.upper}


@vector(each=HEX_CASES, section="12.2")
def hex_identity(f, case):
    "an SM2 private key in 64 hexadecimal digits of {name} case"
    return lines(case(draw()(f).secret.hex()))


@vector(read="recipients", each=HEX_CASES, section="12.2")
def hex_recipient(f, case):
    "an SM2 public key in 128 hexadecimal digits of {name} case"
    return lines(case(coordinates(draw()(f))))


@vector(read="recipients", each=HEX_CASES, section="12.2")
def hex_recipient_with_04(f, case):
    "an SM2 public key in 130 hexadecimal digits of {name} case, the first two 04; the file begins with the byte 30"
    return lines(case(draw()(f).public.hex()))


@vector(each={"0": "0", "00": "00", "02": "02", "03": "03", "04": "04"}, section="12.2")
def hex_identity_beginning_with(f, digits):
    "the private key begins with the digits {0}, and the file with the byte 30, which also begins DER"
    return lines(f.key(Sm2, lambda key: key.secret.hex().startswith(digits)).secret.hex())


@vector(read="recipients", each={"x": 1, "y": 33}, section="12.2")
def hex_recipient_leading_zero(f, at):
    "{name} begins with a zero byte, whose digits stand there all the same"
    return lines(coordinates(f.key(Sm2, lambda key: key.public[at] == 0)))


@vector(read="recipients", section="12.2")
def hex_recipient_x_begins_with_04(f):
    "128 digits of which the first two are 04, which belong to x"
    return lines(coordinates(f.key(Sm2, lambda key: key.public[1] == 4)))


@vector(each={"1": 1, "n_minus_2": Sm2.n - 2}, section="12.2")
def hex_identity_scalar(f, scalar):
    "the private key is {name}, the end of the range"
    f.keys.append(Sm2(scalar.to_bytes(32, "big")))
    return lines(f.keys[0].secret.hex())


def age_key(f):
    f.keys.append(X25519(bytes(range(32))))
    return (AGE_IDENTITY if f.read == "identities" else AGE_RECIPIENT).decode().rstrip("\n")


@vector(section="12.2")
def hex_identities_beside_strings(f):
    "raw keys before and after an identity of age, a comment and an empty line between them"
    first, second, third = draw()(f).secret.hex(), age_key(f), draw()(f).secret.hex().upper()
    return lines("# made for the backup", first, "", second, "# " + "0" * 64, third)


@vector(read="recipients", section="12.2")
def hex_recipients_beside_strings(f):
    "raw keys of both lengths before and after a recipient of age"
    first, second, third = coordinates(draw()(f)), age_key(f), draw()(f).public.hex().upper()
    return lines(first, second, third)


@vector(section="12.2")
def hex_identities_crlf(f):
    "U+FEFF at the start, and lines that end with CR LF"
    return BOM + lines(draw()(f).secret.hex(), draw()(f).secret.hex(), end="\r\n")


@vector(section="12.2")
def hex_identity_no_final_newline(f):
    "nothing follows the last digit"
    return draw()(f).secret.hex().encode()


@vector(read="recipients", section="12.2")
def hex_recipient_no_final_newline(f):
    "nothing follows the last digit of a file that begins with 04"
    return draw()(f).public.hex().encode()


@vector(section="12.2")
def hex_comment_not_utf8(f):
    "a line that begins with # is not UTF-8"
    return b"# M\xfcller\n" + lines(draw()(f).secret.hex())


UTF16 = {"with_a_mark": "utf-16", "little_endian": "utf-16-le", "big_endian": "utf-16-be"}


@vector("invalid", each=UTF16, section="12.2")
def hex_utf16(f, encoding):
    "raw private keys in UTF-16: {name}"
    return lines(draw()(f).secret.hex()).decode().encode(encoding)


HEX_IDENTITY_FAULTS = {
    "63_digits": lambda key: key.secret.hex()[:-1],
    "65_digits": lambda key: key.secret.hex() + "0",
    "62_digits": lambda key: key.secret.hex()[2:],
    "66_digits": lambda key: "00" + key.secret.hex(),
    "32_digits": lambda key: key.secret.hex()[:32],
    "128_digits": coordinates,
    "130_digits": lambda key: key.public.hex(),
    "66_digits_compressed": lambda key: key.compressed.hex(),
    "192_digits_both_keys": lambda key: key.secret.hex() + coordinates(key),
    "0x": lambda key: "0x" + key.secret.hex(),
    "0x_and_62_digits": lambda key: "0x" + key.secret.hex()[2:],
    "plus": lambda key: "+" + key.secret.hex()[1:],
    "minus": lambda key: "-" + key.secret.hex()[1:],
    "underscore": lambda key: key.secret.hex()[:31] + "_" + key.secret.hex()[32:],
    "letter_g": lambda key: key.secret.hex()[:31] + "g" + key.secret.hex()[32:],
    "full_width_digit": lambda key: key.secret.hex()[:31] + "\uff11" + key.secret.hex()[32:],
    "nul": lambda key: key.secret.hex()[:31] + "\0" + key.secret.hex()[32:],
    "colons": lambda key: key.secret.hex(":"),
    "space_before": lambda key: " " + key.secret.hex(),
    "space_after": lambda key: key.secret.hex() + " ",
    "space_within": lambda key: key.secret.hex()[:32] + " " + key.secret.hex()[32:],
    "tab_after": lambda key: key.secret.hex() + "\t",
    "two_lines": lambda key: key.secret.hex()[:32] + "\n" + key.secret.hex()[32:],
    "two_on_a_line": lambda key: key.secret.hex() + " " + key.secret.hex(),
    "pkcs8_in_digits": lambda key: pkcs8(key).hex(),
    "base64": lambda key: base64.b64encode(key.secret).decode(),
    "good_before_bad": lambda key: key.secret.hex() + "\n" + key.secret.hex()[:-1],
}


@vector("invalid", each=HEX_IDENTITY_FAULTS, section="12.2")
def hex_identity_fault(f, make):
    "a line that is no raw private key: {name}"
    return lines(make(draw()(f)))


@vector("invalid", each=SM2_SCALARS, section="12.2")
def hex_identity_out_of_range(f, scalar):
    "the private key is {name}; it is at least 1 and at most n - 2"
    return lines(f"{scalar:064x}")


HEX_RECIPIENT_FAULTS = {
    "127_digits": lambda key: coordinates(key)[:-1],
    "129_digits": lambda key: coordinates(key) + "0",
    "129_digits_with_04": lambda key: key.public.hex()[:-1],
    "131_digits": lambda key: key.public.hex() + "0",
    "132_digits": lambda key: key.public.hex() + "00",
    "126_digits": lambda key: coordinates(key)[2:],
    "64_digits": lambda key: key.secret.hex(),
    "64_digits_of_x": lambda key: coordinates(key)[:64],
    "66_digits_of_no_point": lambda key: "02" + SM2_X_OF_NO_POINT.hex(),
    "66_digits_x_plus_p": lambda key: SM2_POINTS["compressed_x_plus_p"](key).hex(),
    "66_digits_of_tjfoc": lambda key: f"{key.compressed[0] - 2:02x}" + key.compressed[1:].hex(),
    "65_digits_compressed_odd": lambda key: key.compressed.hex()[:-1],
    "2_digits_at_infinity": lambda key: "00",
    "128_zeros": lambda key: "0" * 128,
    "130_zeros": lambda key: "0" * 130,
    "04_and_128_zeros": lambda key: "04" + "0" * 128,
    "off_the_curve": lambda key: flip(key.public, -1)[1:].hex(),
    "off_the_curve_with_04": lambda key: flip(key.public, -1).hex(),
    "x_is_y": lambda key: key.public[33:].hex() + key.public[1:33].hex(),
    "x_plus_p": lambda key: SM2_POINTS["x_plus_p"](key)[1:].hex(),
    "y_plus_p_with_04": lambda key: SM2_POINTS["y_plus_p"](key).hex(),
    "point_of_p256": lambda key: P256(key.secret).public.hex(),
    "first_digits_05": lambda key: "05" + coordinates(key),
    "first_digits_00": lambda key: "00" + coordinates(key),
    "first_digits_0x": lambda key: "0x" + coordinates(key),
    "letter_g": lambda key: coordinates(key)[:77] + "g" + coordinates(key)[78:],
    "plus": lambda key: "+" + coordinates(key)[1:],
    "full_width_digit": lambda key: coordinates(key)[:77] + "\uff11" + coordinates(key)[78:],
    "space_after_x": lambda key: coordinates(key)[:64] + " " + coordinates(key)[64:],
    "space_before": lambda key: " " + coordinates(key),
    "space_after": lambda key: coordinates(key) + " ",
    "two_lines": lambda key: coordinates(key)[:64] + "\n" + coordinates(key)[64:],
    "spki_in_digits": lambda key: spki(key).hex(),
    "good_before_bad": lambda key: coordinates(key) + "\n" + key.secret.hex(),
}


@vector("invalid", "recipients", each=HEX_RECIPIENT_FAULTS, section="12.2")
def hex_recipient_fault(f, make):
    "a line that is no raw public key: {name}"
    return lines(make(draw()(f)))


@vector(read="recipients", each={f"{tag:02x}": tag for tag in (2, 3)}, section="12.2")
def hex_recipient_compressed(f, tag):
    "a compressed point of 66 digits that begins with {name}"
    return lines(draw(lambda key: key.compressed[0] == tag)(f).compressed.hex())


@vector("invalid", "recipients", each={f"{tag:02x}": tag for tag in (6, 7)}, section="12.2")
def hex_recipient_hybrid(f, tag):
    "130 digits that begin with {name}, in which y is as odd as that says"
    key = draw(lambda key: key.public[-1] % 2 == tag % 2)(f)
    return lines(f"{tag:02x}" + coordinates(key))


@vector("invalid", "recipients", each=[2, 3], section="12.2")
def hex_recipient_compressed_tag_on_both(f, tag):
    "130 digits that begin with 0{0}, and x and y"
    return lines(f"{tag:02x}" + coordinates(draw(lambda key: key.compressed[0] == tag)(f)))


# Checks with other libraries.

BLOCK = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----.*?-----END \1-----\n?", re.DOTALL)
# Neither library reads PKCS#8 of version 2, ML-KEM's expanded keys, what nobody has, or without a passphrase.
NOT_READ = {
    *("pkcs8_v2_p256", "pkcs8_v2_x25519", "pkcs8_v2_ml_kem_768", "pkcs8_v2_attributes", "pkcs8_v2_public_key_twice"),
    *("pkcs8_v2_public_key_compressed",),
    *(f"pem_under_{name}" for name in UNDER_ANOTHER_LABEL),
    *("pem_under_rsa_public_key_around_spki", "encrypted_v2_attributes"),
    *("encrypted_behind_algorithm", "encrypted_sm2_behind_algorithm"),
    *("encrypted_v2", "other_der", "ml_kem_both_pem", "ml_kem_both_der", "ml_kem_both_v2", "encrypted_ml_kem_both"),
    *("ml_kem_expanded", "ml_kem_expanded_v2", "ml_kem_expanded_bare", "ml_kem_seed_without_tag"),
    *("pkcs12_identities", "pkcs12_recipients", "pem_joined_escaped_line_ends", "pem_joined_recipient_escaped_line_ends"),
    # It wants the label that is the form's own.
    *("pem_private_key_around_sec1", "pem_private_key_around_encrypted"),
    *("pem_private_key_around_encrypted_ml_kem_768", "der_fault_pkcs8_version_missing"),
    *("other_pkcs8_ml_kem_512", "other_spki_ml_kem_512", "p256_ecdh_pkcs8", "p256_ecdh_spki"),
    *("encrypted_pbes2_with_aes_gcm", "encrypted_unknown_kdf"),
    *("encrypted_unknown_scheme", "encrypted_no_passphrase_cipher"),
    *("other_label_crl", "other_label_unknown"),
    *("pkcs8_v2_sm2", "pkcs8_v2_sm2_public_key_twice", "pkcs8_v2_sm2_public_key_compressed"),
    *(f"sm2_algorithm_{form}_{name}" for form in ("pkcs8", "spki") for name in SM2_ALGORITHMS.keys() - {"curve_and_explicit"}),
    *(f"encrypted_sm_with_{name}" for name in SM_SCHEMES),
    *("encrypted_sm3_sm4_of_p256", "encrypted_sm3_sm4_of_x25519", "encrypted_sm3_sm4_of_ml_kem_768"),
}
# HMAC-SM3 as a PRF, which OpenSSL does not know before 3.2.
NOT_READ_BEFORE = {f"encrypted_sm2_{name}" for name in SM_ENCRYPTIONS if name.startswith("sm3")} | {
    *("encrypted_sm2_der_sm3_sm4", "encrypted_sm2_as_gmssl", "encrypted_sm2_passphrase_decomposed"),
    "sm2_curve_twice_encrypted",
    "pem_sm2_identities_beside_others",
}
# Of ML-KEM-768's key 00 .. 3f, which is the example in appendix C of RFC 9935.
EXPANDED_SHA256 = "dac268bde6a8dd238e9887117d6b664e7a7a9350ad6b7c08a948e504809572a5"


def blocks(raw):
    """The keys in a file as (label, bytes); of DER and JWK, the whole file."""
    raw = raw.removeprefix(BOM)
    skipped = b"EC PARAMETERS", b"SM2 PARAMETERS"
    found = [(match[1].decode(), match[0]) for match in BLOCK.finditer(raw) if match[1] not in skipped]
    return found or [("JWK" if raw.lstrip()[:1] == b"{" else "DER", raw)]


def raw_keys(key):
    """(public, secret) as the vectors have them, from a key of `cryptography`; secret is None for a public key."""
    private = hasattr(key, "public_key")
    public = key.public_key() if private else key
    if isinstance(public, ec.EllipticCurvePublicKey):
        point = public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        return point, key.private_numbers().private_value.to_bytes(32, "big") if private else None
    return public.public_bytes_raw(), key.private_bytes_raw() if private else None


def normalized(passphrase):
    return unicodedata.normalize("NFC", passphrase)


def read_with_cryptography(label, raw, f):
    passphrase = f.passphrase and normalized(f.passphrase).encode()
    if label == "JWK":
        return read_jwk(json.loads(raw))
    if label == "CERTIFICATE":
        return x509.load_pem_x509_certificate(raw).public_key()
    if label in ("PUBLIC KEY", "RSA PUBLIC KEY"):
        return serialization.load_pem_public_key(raw)
    if label == "OPENSSH PRIVATE KEY":
        return serialization.load_ssh_private_key(raw, None)
    if label == "DER" and f.read == "recipients":
        return serialization.load_der_public_key(raw)
    load = serialization.load_der_private_key if label == "DER" else serialization.load_pem_private_key
    try:
        return load(raw, passphrase)
    except TypeError:
        return load(raw, None)  # It refuses a passphrase that is not needed.


def read_jwk(made):
    values = {name: base64.urlsafe_b64decode(made[name] + "===") for name in ("x", "y", "d") if name in made}
    if made["kty"] == "OKP":
        public = x25519.X25519PublicKey.from_public_bytes(values["x"])
        private = X25519.load(values["d"]) if "d" in values else None
    else:
        x, y, d = (int.from_bytes(values.get(name, b""), "big") for name in ("x", "y", "d"))
        public = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        private = ec.derive_private_key(d, ec.SECP256R1()) if "d" in values else None
    assert private is None or private.public_key() == public
    return private or public


def read_with_openssl(label, raw, f):
    """The public key as SubjectPublicKeyInfo and, for a private key, PKCS#8; None where OpenSSL refuses the file."""
    command = ["openssl", "pkey", "-outform", "DER", "-passin", "env:PASSPHRASE"]
    command += ["-inform", "DER"] if label == "DER" else []
    command += ["-pubin"] if f.read == "recipients" else []
    out = []
    for option in ["-pubout"], []:
        environment = os.environ | {"PASSPHRASE": normalized(f.passphrase or "")}
        run = subprocess.run(command + option, input=raw, capture_output=True, env=environment, check=False)
        if run.returncode:
            return None
        out.append(run.stdout)
    return out


def check(made):
    """Reads back what can be read. A difference fails, and so does an exception that is none."""
    assert hashlib.sha256(MlKem768(bytes(range(64))).expanded).hexdigest() == EXPANDED_SHA256
    openssl = shutil.which("openssl")
    count = {"cryptography": 0, "openssl": 0, "sm2": 0, "unsupported": 0}
    for name, (f, raw) in made.items():
        expect, found = SCENARIOS[name][0], blocks(raw)
        if expect == "success" and any(isinstance(key, Sm2) for key in f.keys):
            count["sm2"] += bool(openssl) and same_by_openssl(name, f, found)
        elif expect == "success":
            assert len(found) == len(f.keys), name
            read = same_by_cryptography(name, f, found)
            count["cryptography"] += read
            known = read and all(isinstance(key, (P256, X25519)) for key in f.keys)
            if openssl and known and name.startswith("encrypted"):
                for (label, block), key in zip(found, f.keys):
                    public, private = read_with_openssl(label, block, f)
                    assert key.public in public and key.secret in private, name
                count["openssl"] += 1
        elif expect == "unsupported_key" and not name.startswith("jwk") and openssl:
            count["unsupported"] += well_formed(name, f, found)
    return count


def same_by_cryptography(name, f, found):
    for (label, block), key in zip(found, f.keys):
        try:
            read = raw_keys(read_with_cryptography(label, block, f))
        except ValueError:
            assert name in NOT_READ, name
            return False
        assert read == (key.public, key.secret if f.read == "identities" else None), name
    assert name not in NOT_READ, name
    return True


def same_by_openssl(name, f, found):
    """SM2 is only OpenSSL's; what is not in PEM or DER is nobody's."""
    if SCENARIOS[name][2] == "12.2":
        return False
    assert len(found) == len(f.keys), name
    for (label, block), key in zip(found, f.keys):
        read = read_with_openssl(label, block, f)
        if read is None:
            assert name in NOT_READ | NOT_READ_BEFORE, name
            return False
        point = key.compressed if "compressed" in name else key.public  # It keeps the form.
        assert point in read[0] and (f.read == "recipients" or key.secret in read[1]), name
    assert name not in NOT_READ, name
    return True


def well_formed(name, f, found):
    """Whether one of the two libraries reads a key that is not ours."""
    for label, block in found:
        try:
            read_with_cryptography(label, block, f)
        except (TypeError, ValueError, UnsupportedAlgorithm):
            if not read_with_openssl(label, block, f):
                assert name in NOT_READ, name
                return False
    assert name not in NOT_READ, name
    return True


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    made = {}
    for name in SCENARIOS:
        f, raw, text = render(name)
        made[name] = f, raw
        (FOLDER / name).write_bytes(text)
    count, codes = check(made), [code for code, *_ in SCENARIOS.values()]
    print(f"{len(made)} vectors in {FOLDER.name}/, {codes.count('success')} of them successes")
    print(f"read by cryptography: {count['cryptography']} successes; by openssl: {count['openssl']} encrypted ones")
    print(f"read by openssl: {count['sm2']} with keys of SM2")
    print(f"of {codes.count('unsupported_key')} unsupported keys, read by one of the two: {count['unsupported']}")


if __name__ == "__main__":
    main()
