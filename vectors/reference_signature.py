"""Signature files by the book.

A second implementation of spec/signature.md: signature files of all kinds, detached and attached, the keys that make
and verify them, and ssh-keygen's files of allowed signers. It shares no code with the Rust core. It is written to be
read beside the specification, section by section; it is neither fast nor constant time, and reads its input whole.

    python reference_signature.py sign -k KEY [--passphrase-file F] [--namespace N] [--comment TEXT] [--attach] IN OUT
    python reference_signature.py verify [-k SIGNER]... [--signers FILE] [--namespace N] IN [SIG]
    python reference_signature.py check DIR
"""

import argparse
import base64
import datetime
import hashlib
import re
import secrets
import sys
from dataclasses import dataclass
from pathlib import Path

import bcrypt
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, mldsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES, SM4
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

import reference
from fips204 import ML_DSA_65
from reference import SM2_B, SM2_G, SM2_N, SM2_P, FormatError, decode_base64, is_armour, p256_point, passphrase_bytes
from reference import sm2_add, sm2_decode, sm2_encode, sm2_multiply, sm3


class SignatureError(Exception):
    """A verdict of section 6: its code, and for `unknown_signer` the key that the file claims."""

    def __init__(self, code, claimed=None):
        super().__init__(code)
        self.code, self.claimed = code, claimed


# Section 1: strings and numbers of SSH, the blob, and what is signed.


def string(data):
    return len(data).to_bytes(4, "big") + data


def mpint(n):
    return string(n.to_bytes(n.bit_length() // 8 + 1, "big") if n else b"")


class Wire:
    """Takes apart what `string` and `u32` put together; ValueError where the bytes do not suffice."""

    def __init__(self, data):
        self.rest = data

    def take(self, n):
        if n > len(self.rest):
            raise ValueError("the bytes end too early")
        taken, self.rest = self.rest[:n], self.rest[n:]
        return taken

    def u32(self):
        return int.from_bytes(self.take(4), "big")

    def string(self):
        return self.take(self.u32())

    def mpint(self):
        """A number that is not negative, minimal, of at most 33 bytes."""
        data = self.string()
        if len(data) > 33 or data[:1] >= b"\x80" or (data[:1] == b"\0" and data[1:2] < b"\x80"):
            raise ValueError("no minimal mpint of a number that is not negative")
        return int.from_bytes(data, "big")

    def end(self):
        if self.rest:
            raise ValueError("bytes are left over")


# Section 2: kinds. Each says what a public key and a signature are; `public` is the key's bytes without SSH's frame.


def require(condition):
    if not condition:
        raise ValueError("not as the specification has it")


ED_P = 2**255 - 19
ED_L = 2**252 + 27742317777372353535851937790883648493
ED_D = -121665 * pow(121666, -1, ED_P) % ED_P


def ed_decode(data):
    """RFC 8032, 5.1.3: the point, from an encoding that is canonical."""
    n = int.from_bytes(data, "little")
    y, sign = n % 2**255, n >> 255
    require(y < ED_P)
    square = (y * y - 1) * pow(ED_D * y * y + 1, -1, ED_P) % ED_P
    x = pow(square, (ED_P + 3) // 8, ED_P)
    if (x * x - square) % ED_P:
        x = x * pow(2, (ED_P - 1) // 4, ED_P) % ED_P
    require((x * x - square) % ED_P == 0 and not (x == 0 and sign))
    return ((ED_P - x) if x % 2 != sign else x), y


def ed_add(s, t):
    product = ED_D * s[0] * t[0] * s[1] * t[1]
    x = (s[0] * t[1] + t[0] * s[1]) * pow(1 + product, -1, ED_P)
    y = (s[1] * t[1] + s[0] * t[0]) * pow(1 - product, -1, ED_P)
    return x % ED_P, y % ED_P


def ed_point_of_use(data):
    """Canonical, on the curve, and not of low order."""
    point = ed_decode(data)
    for _ in range(3):
        point = ed_add(point, point)
    require(point != (0, 1))


class Kind:
    """What the kinds have in common: one string for the key, one for the signature, and SHA-512 over the content."""

    hashes = ("sha512",)
    curve_name = None

    def publickey(self, public):
        curve = [string(self.curve_name)] if self.curve_name else []
        return b"".join([string(self.key_name), *curve, string(public)])

    def parse_publickey(self, blob):
        """The key's bytes; ValueError for another form. Whether they are a key is `check`'s."""
        wire = Wire(blob)
        require(wire.string() == self.key_name)
        require(not self.curve_name or wire.string() == self.curve_name)
        public = wire.string()
        wire.end()
        require(len(public) == self.public_length)
        return public

    def parse_signature(self, blob):
        wire = Wire(blob)
        require(wire.string() == self.key_name)
        value = wire.string()
        wire.end()
        return self.parse_value(value)

    def parse_value(self, value):
        require(len(value) == self.signature_length)
        return value

    def signature(self, value):
        return string(self.key_name) + string(value)

    def fingerprint(self, public):
        return "SHA256:" + hashlib.sha256(self.name.encode() + b"\0" + public).hexdigest()


class Ed25519(Kind):
    name, key_name, public_length, signature_length = "ed25519", b"ssh-ed25519", 32, 64
    hashes = ("sha512", "sha256")

    def check(self, public):
        ed_point_of_use(public)

    def public(self, secret):
        return ed25519.Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()

    def sign(self, secret, signed):
        return ed25519.Ed25519PrivateKey.from_private_bytes(secret).sign(signed)

    def verify(self, public, value, signed):
        ed_point_of_use(value[:32])
        require(int.from_bytes(value[32:], "little") < ED_L)
        ed25519.Ed25519PublicKey.from_public_bytes(public).verify(value, signed)


class P256(Kind):
    name, key_name, curve_name, public_length = "p256-sign", b"ecdsa-sha2-nistp256", b"nistp256", 65
    hashes = ("sha512", "sha256")
    n = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551

    def check(self, public):
        require(public[0] == 0x04)
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)

    def private_key(self, secret):
        d = int.from_bytes(secret, "big")
        require(len(secret) == 32 and 1 <= d < self.n)
        return ec.derive_private_key(d, ec.SECP256R1())

    def public(self, secret):
        return p256_point(self.private_key(secret).public_key())

    def sign(self, secret, signed):
        r, s = decode_dss_signature(self.private_key(secret).sign(signed, ec.ECDSA(hashes.SHA256())))
        return mpint(r) + mpint(min(s, self.n - s))

    def parse_value(self, value):
        wire = Wire(value)
        r, s = wire.mpint(), wire.mpint()
        wire.end()
        return r, s

    def verify(self, public, value, signed):
        require(all(1 <= number < self.n for number in value))
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
        key.verify(encode_dss_signature(*value), signed, ec.ECDSA(hashes.SHA256()))


class MlDsa65(Kind):
    name, key_name, public_length, signature_length = "ml-dsa-65", b"ssh-mldsa-65", 1952, 3309
    private, verifier = mldsa.MLDSA65PrivateKey, mldsa.MLDSA65PublicKey

    def check(self, public):
        self.verifier.from_public_bytes(public)

    def public(self, secret):
        return self.private.from_seed_bytes(secret).public_key().public_bytes_raw()

    def sign(self, secret, signed, context=b""):
        return self.private.from_seed_bytes(secret).sign(signed, context)

    def verify(self, public, value, signed, context=b""):
        self.verifier.from_public_bytes(public).verify(value, signed, context)


class MlDsa44(MlDsa65):
    """A half of `hybrid44-sign`; no kind by itself."""

    public_length, signature_length = 1312, 2420
    private, verifier = mldsa.MLDSA44PrivateKey, mldsa.MLDSA44PublicKey


class Hybrid(Kind):
    """Composite ML-DSA with Ed25519: section 2.4."""

    def __init__(self, name, key_name, half, label):
        self.name, self.key_name, self.half, self.label = name, key_name, half(), label
        self.public_length, self.signature_length = half.public_length + 32, half.signature_length + 64

    def message(self, signed):
        return b"CompositeAlgorithmSignatures2025" + self.label + b"\0" + hashlib.sha512(signed).digest()

    def check(self, public):
        self.half.check(public[:-32])
        ed_point_of_use(public[-32:])

    def public(self, secret):
        require(len(secret) == 64)
        return self.half.public(secret[:32]) + Ed25519().public(secret[32:])

    def sign(self, secret, signed):
        message = self.message(signed)
        return self.half.sign(secret[:32], message, self.label) + Ed25519().sign(secret[32:], message)

    def verify(self, public, value, signed):
        message, valid = self.message(signed), []
        for verify in (
            lambda: self.half.verify(public[:-32], value[:-64], message, self.label),
            lambda: Ed25519().verify(public[-32:], value[-64:], message),
        ):
            try:
                verify()
                valid.append(True)
            except (InvalidSignature, ValueError):
                valid.append(False)
        require(all(valid))


SM2_ID = b"1234567812345678"


class Sm2(Kind):
    """GB/T 32918.2, over SM3."""

    name, key_name, curve_name, public_length = "sm2-sign", b"sm2", b"sm2", 65
    hashes = ("sm3",)

    def check(self, public):
        sm2_decode(public)

    def public(self, secret):
        d = int.from_bytes(secret, "big")
        require(len(secret) == 32 and 1 <= d <= SM2_N - 2)
        return sm2_encode(sm2_multiply(d, SM2_G))

    def digest(self, public, signed):
        """Part 2, section 5.5 and A1, A2: Z, then e."""
        numbers = [SM2_P - 3, SM2_B, *SM2_G]
        z = (8 * len(SM2_ID)).to_bytes(2, "big") + SM2_ID + b"".join(n.to_bytes(32, "big") for n in numbers)
        return int.from_bytes(sm3(sm3(z + public[1:]) + signed), "big")

    def sign(self, secret, signed, k=None):
        d, e = int.from_bytes(secret, "big"), self.digest(self.public(secret), signed)
        while True:
            nonce = k or 1 + secrets.randbelow(SM2_N - 1)
            r = (e + sm2_multiply(nonce, SM2_G)[0]) % SM2_N
            s = pow(1 + d, -1, SM2_N) * (nonce - r * d) % SM2_N
            if r and s and (r + nonce) % SM2_N:
                return der_sequence(der_integer(r), der_integer(s))
            require(k is None)

    def parse_value(self, value):
        (tag, content), rest = der_take(value)
        require(tag == 0x30 and not rest)
        (r_tag, r), rest = der_take(content)
        (s_tag, s), rest = der_take(rest)
        require((r_tag, s_tag) == (0x02, 0x02) and not rest)
        return der_number(r), der_number(s)

    def verify(self, public, value, signed):
        """B1 to B7."""
        r, s = value
        t = (r + s) % SM2_N
        require(1 <= r < SM2_N and 1 <= s < SM2_N and t)
        point = sm2_add(sm2_multiply(s, SM2_G), sm2_multiply(t, sm2_decode(public)))
        require(point is not None and (self.digest(public, signed) + point[0]) % SM2_N == r)


# The little of DER that is needed, strictly.


def der_take(data):
    """The tag and the content of the first element, and what is behind it."""
    require(len(data) >= 2)
    tag, n, at = data[0], data[1], 2
    if n >= 0x80:
        at += n - 0x80
        require(n != 0x80 and at <= len(data))
        n = int.from_bytes(data[2:at], "big")
        require(n >= 0x80 and data[2])
    require(len(data) >= at + n)
    return (tag, data[at : at + n]), data[at + n :]


def der_elements(data):
    out = []
    while data:
        element, data = der_take(data)
        out.append(element)
    return out


def der_only(data, tag):
    """The content of an element that has this tag and fills the data."""
    (found, content), rest = der_take(data)
    require(found == tag and not rest)
    return content


def der_number(content):
    require(1 <= len(content) <= 33 and content[0] < 0x80)
    require(len(content) == 1 or content[0] or content[1] >= 0x80)
    return int.from_bytes(content, "big")


def der_integer(n):
    content = n.to_bytes(n.bit_length() // 8 + 1, "big")
    return bytes([0x02, len(content)]) + content


def der_sequence(*parts):
    content = b"".join(parts)
    return bytes([0x30, len(content)]) + content


ED25519, P256_SIGN, MLDSA65, SM2_SIGN = Ed25519(), P256(), MlDsa65(), Sm2()
HYBRID = Hybrid("hybrid-sign", b"ssh-mldsa65-ed25519@wolfssl.com", MlDsa65, b"COMPSIG-MLDSA65-Ed25519-SHA512")
HYBRID44 = Hybrid("hybrid44-sign", b"ssh-mldsa44-ed25519", MlDsa44, b"COMPSIG-MLDSA44-Ed25519-SHA512")
KINDS = [ED25519, P256_SIGN, MLDSA65, HYBRID, HYBRID44, SM2_SIGN]
BY_KEY_NAME = {kind.key_name: kind for kind in KINDS}
DIGEST = {
    "sha256": lambda data: hashlib.sha256(data).digest(),
    "sha512": lambda data: hashlib.sha512(data).digest(),
    "sm3": sm3,
}


# Section 3: namespace and comment.

BIDIRECTIONAL = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
CONTROL = {*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029} | BIDIRECTIONAL


def is_namespace(data):
    fits = 1 <= len(data) <= 255 and all(0x21 <= byte <= 0x7E and byte != 0x2C for byte in data)
    return fits and not data.startswith(b"sealstone-")


def is_comment(data):
    try:
        text = data.decode("utf-8", "strict")
    except UnicodeDecodeError:
        return False
    return 1 <= len(data) <= 1024 and not any(ord(c) in CONTROL for c in text)


# The blob, and what is signed: section 1; the order of checks: section 6.1.

MAGIC = b"SSHSIG"


@dataclass
class Parsed:
    kind: Kind
    publickey: bytes
    namespace: bytes
    reserved: bytes
    hash_name: str
    signature: object

    def signed(self, content):
        return signed_data(self.namespace, self.reserved, self.hash_name, content)


def signed_data(namespace, reserved, hash_name, content):
    strings = [namespace, reserved, hash_name.encode(), DIGEST[hash_name](content)]
    return MAGIC + b"".join(map(string, strings))


def make_blob(publickey, namespace, reserved, hash_name, signature, version=1):
    strings = [publickey, namespace, reserved, hash_name.encode(), signature]
    return MAGIC + version.to_bytes(4, "big") + b"".join(map(string, strings))


def parse_blob(blob):
    """Steps 2, from the magic, to 6."""
    wire = Wire(blob)
    try:
        require(wire.take(6) == MAGIC)
        version = wire.u32()
    except ValueError:
        raise SignatureError("malformed_signature") from None
    if version != 1:
        raise SignatureError("unsupported_signature")
    try:
        publickey, namespace, reserved, hash_name, signature = (wire.string() for _ in range(5))
        wire.end()
        require(namespace)
        key_name = Wire(publickey).string()
    except ValueError:
        raise SignatureError("malformed_signature") from None
    kind = BY_KEY_NAME.get(key_name)
    hash_name = hash_name.decode("latin-1")
    if kind is None or hash_name not in kind.hashes or (reserved and not is_comment(reserved)):
        raise SignatureError("unsupported_signature")
    try:
        kind.parse_publickey(publickey)
        return Parsed(kind, publickey, namespace, reserved, hash_name, kind.parse_signature(signature))
    except ValueError:
        raise SignatureError("malformed_signature") from None


# Section 4: armour.

BEGIN, END = b"-----BEGIN SSH SIGNATURE-----", b"-----END SSH SIGNATURE-----"
COLUMNS = 70
LARGEST = 16384


def armour(blob, columns=COLUMNS, line_end=b"\n"):
    text = base64.b64encode(blob)
    lines = [text[at : at + columns] for at in range(0, len(text), columns)]
    return b"".join(line + line_end for line in [BEGIN, *lines, END])


def unarmour(data):
    """Steps 1 and 2 of a detached signature."""
    if not is_armour(data[:LARGEST], BEGIN):
        raise SignatureError("not_a_signature")
    try:
        if len(data) <= LARGEST:
            return reference.unarmour(data, BEGIN, END)
    except FormatError:
        pass
    raise SignatureError("malformed_signature")


def unarmour_behind(data):
    """The same behind content, where every line ends with LF and nothing else stands between and behind them."""
    line = rb"[A-Za-z0-9+/=]{1,76}\n"
    if not re.fullmatch(BEGIN + rb"\n(" + line + rb")+" + END + rb"\n", data):
        raise SignatureError("malformed_signature")
    return unarmour(data)


def split_attached(file):
    """Section 4.2: the content and the armour."""
    start = max(len(file) - LARGEST, 0)
    at = file.rfind(BEGIN + b"\n", start)
    if at < 0:
        raise SignatureError("not_a_signature")
    return file[:at], file[at:]


# Sections 5 and 6: writing and reading.


def check_caller(signers, namespace):
    if not is_namespace(namespace):
        raise SignatureError("invalid_namespace")
    if not signers:
        raise SignatureError("invalid_signer")


def judge(blob, content, publickeys, namespace):
    """Steps 2 to 9 behind the armour. The publickeys are those that the caller trusts."""
    parsed = parse_blob(blob)
    if parsed.namespace != namespace:
        raise SignatureError("wrong_namespace")
    public = parsed.kind.parse_publickey(parsed.publickey)
    if parsed.publickey not in publickeys:
        raise SignatureError("unknown_signer", (parsed.kind, public))
    try:
        parsed.kind.verify(public, parsed.signature, parsed.signed(content))
    except (InvalidSignature, ValueError):
        raise SignatureError("invalid_signature") from None
    return parsed


def verify(signature, content, signers, namespace=b"file"):
    """A detached signature, by one of the signers, which are pairs of kind and public key."""
    return judge(unarmour(signature), content, [kind.publickey(public) for kind, public in signers], namespace)


def verify_attached(file, signers, namespace=b"file"):
    content, armoured = split_attached(file)
    publickeys = [kind.publickey(public) for kind, public in signers]
    return judge(unarmour_behind(armoured), content, publickeys, namespace), content


def sign(kind, secret, content, namespace=b"file", comment=None):
    """The armoured signature; attached, it stands behind the content."""
    if not is_namespace(namespace):
        raise SignatureError("invalid_namespace")
    if comment is not None and not is_comment(comment):
        raise SignatureError("invalid_comment")
    comment = comment or b""
    hash_name = kind.hashes[0]
    value = kind.sign(secret, signed_data(namespace, comment, hash_name, content))
    publickey = kind.publickey(kind.public(secret))
    return armour(make_blob(publickey, namespace, comment, hash_name, kind.signature(value)))


# Section 7: keys.

INVALID, UNSUPPORTED = SignatureError("invalid_signer"), SignatureError("unsupported_key")
OIDS = {
    bytes.fromhex("06032b6570"): ED25519,
    bytes.fromhex("0609608648016503040312"): MLDSA65,
    bytes.fromhex("06082b06010505070630"): HYBRID,
    bytes.fromhex("06082b06010505070627"): HYBRID44,
}
EC_PUBLIC_KEY = bytes.fromhex("06072a8648ce3d0201")
CURVES = {bytes.fromhex("06082a8648ce3d030107"): P256_SIGN, bytes.fromhex("06082a811ccf5501822d"): SM2_SIGN}


def algorithm(content):
    """The kind of an AlgorithmIdentifier."""
    (tag, name), rest = der_take(content)
    require(tag == 0x06)
    oid = content[: len(content) - len(rest)]
    # OpenSSL 3.0.0 to 3.0.12 named SM2's curve in both places.
    if oid == EC_PUBLIC_KEY or (oid == rest and CURVES.get(oid) is SM2_SIGN):
        (tag, _), behind = der_take(rest)
        require(not behind)
        kind = CURVES.get(rest)
    else:
        kind = OIDS.get(oid)
        require(kind is None or not rest)
    if kind is None:
        raise UNSUPPORTED
    return kind


def parse_spki(der):
    return parse_spki_elements(der_elements(der_only(der, 0x30)))


def parse_certificate(der):
    """The public key of an X.509 certificate. Nothing in it is verified."""
    (signed_tag, signed), (algorithm_tag, _), (bits_tag, _) = der_elements(der_only(der, 0x30))
    require((signed_tag, algorithm_tag, bits_tag) == (0x30, 0x30, 0x03))
    fields = der_elements(signed)
    fields = fields[1:] if fields[:1] and fields[0][0] == 0xA0 else fields
    require([tag for tag, _ in fields[:6]] == [0x02, 0x30, 0x30, 0x30, 0x30, 0x30])
    later = [tag for tag, _ in fields[6:]]
    require(later == sorted(set(later), key=lambda tag: tag & 0x1F) and set(later) <= {0x81, 0x82, 0xA3})
    return parse_spki_elements(der_elements(fields[5][1]))


def parse_public_der(der):
    """A SubjectPublicKeyInfo or a certificate, which the second element tells apart."""
    elements = der_elements(der_only(der, 0x30))
    return parse_certificate(der) if [tag for tag, _ in elements[:2]] == [0x30, 0x30] else parse_spki(der)


def parse_spki_elements(elements):
    (tag, identifier), (bits_tag, bits) = elements
    require((tag, bits_tag) == (0x30, 0x03))
    kind = algorithm(identifier)
    require(bits[:1] == b"\0")
    public = sm2_whole(bits[1:]) if kind is SM2_SIGN and bits[1:2] in (b"\x02", b"\x03") else bits[1:]
    require(len(public) == kind.public_length)
    kind.check(public)
    return kind, public


def sm2_whole(point):
    """The uncompressed form of a compressed point. p = 3 mod 4."""
    x = int.from_bytes(point[1:], "big")
    require(len(point) == 33 and x < SM2_P)
    square = (x**3 - 3 * x + SM2_B) % SM2_P
    y = pow(square, (SM2_P + 1) // 4, SM2_P)
    require(y * y % SM2_P == square)
    y = y if y % 2 == point[0] % 2 else SM2_P - y
    return b"\x04" + point[1:] + y.to_bytes(32, "big")


def parse_ssh_line(line):
    """`name base64 comment`; the fields are parted by spaces and tabs."""
    fields = re.split(r"[ \t]+", line.strip(" \t"), maxsplit=2)
    require(len(fields) >= 2)
    blob = decode_base64(fields[1].encode())
    require(blob is not None and Wire(blob).string() == fields[0].encode())
    kind = BY_KEY_NAME.get(fields[0].encode())
    if kind is None:
        raise UNSUPPORTED
    public = kind.parse_publickey(blob)
    kind.check(public)
    return kind, public


def pem_block(data):
    """Label and DER of the one block. RFC 7468's generous reading is section 12.3's, and not repeated here."""
    found = re.fullmatch(rb"-----BEGIN ([A-Z0-9 ]+)-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END \1-----\r?\n?", data)
    require(found)
    der = decode_base64(re.sub(rb"[\r\n]", b"", found[2]))
    require(der is not None)
    return found[1].decode(), der


def text_lines(data):
    """The lines that say something: number and text."""
    # What is not UTF-8 becomes surrogates, which stand in no field but a comment.
    text = data.decode(errors="surrogateescape").removeprefix("\ufeff")
    require("\0" not in text)
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r").strip(" \t")
        require("\r" not in line)
        if line and not line.startswith("#"):
            yield number, line


def parse_public(data):
    """A file with public keys: kind and public key of each."""
    try:
        if data.startswith(b"-----BEGIN "):
            label, der = pem_block(data)
            require(label not in ("PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY"))
            if label not in ("PUBLIC KEY", "CERTIFICATE"):
                raise UNSUPPORTED
            return [(parse_certificate if label == "CERTIFICATE" else parse_spki)(der)]
        if data.startswith(b"\x30"):
            return [parse_public_der(data)]
        found = [parse_ssh_line(line) for _, line in text_lines(data)]
        require(found)
        return found
    except ValueError:
        raise INVALID from None


def parse_ec_private(kind, der):
    """ECPrivateKey. A public key beside it has to agree; it may be compressed."""
    version, secret, *tail = der_elements(der_only(der, 0x30))
    require(version == (0x02, b"\x01") and secret[0] == 0x04)
    public, order = kind.public(secret[1]), [tag for tag, _ in tail]
    require(order == sorted(set(order)) and set(order) <= {0xA0, 0xA1})
    for tag, content in tail:
        if tag == 0xA0:
            require(CURVES.get(content) is kind)
        else:
            point = der_only(content, 0x03)
            require(point in (b"\0" + public, bytes([0, 2 + (public[-1] & 1)]) + public[1:33]))
    return secret[1]


def parse_named_ec_private(der):
    """ECPrivateKey by itself, which names its curve."""
    names = [content for tag, content in der_elements(der_only(der, 0x30)) if tag == 0xA0]
    require(len(names) == 1)
    if names[0] not in CURVES:
        raise UNSUPPORTED
    return CURVES[names[0]], parse_ec_private(CURVES[names[0]], der)


def parse_private_value(kind, private):
    """What is in PKCS#8's OCTET STRING."""
    if kind in (P256_SIGN, SM2_SIGN):
        return parse_ec_private(kind, private)
    if kind is ED25519:
        secret = der_only(private, 0x04)
    elif kind is MLDSA65:
        secret = parse_ml_dsa(private)
    else:
        secret = private
    require(len(secret) == (32 if kind in (ED25519, MLDSA65) else 64))
    return secret


def parse_ml_dsa(private):
    if len(private) == 32:
        raise UNSUPPORTED
    (tag, content), rest = der_take(private)
    require(not rest)
    if tag == 0x80:
        return content
    if tag == 0x04:
        require(len(content) == 4032)
        raise UNSUPPORTED
    require(tag == 0x30)
    (seed_tag, seed), (expanded_tag, expanded) = der_elements(content)
    require((seed_tag, expanded_tag) == (0x04, 0x04) and len(seed) == 32)
    require(expanded == ML_DSA_65.keys(seed)[1])
    return seed


def private_key_info(der):
    elements = der_elements(der_only(der, 0x30))
    require(len(elements) >= 3 and [tag for tag, _ in elements[:3]] == [0x02, 0x30, 0x04])
    version, identifier, private = (content for _, content in elements[:3])
    tags = [tag for tag, _ in elements[3:]]
    require(tags == sorted(set(tags)) and set(tags) <= {0xA0, 0x81})
    require(version == (b"\x01" if 0x81 in tags else b"\0"))
    return identifier, private, elements[3:]


def parse_pkcs8(der):
    return parse_private_key(*private_key_info(der))


def parse_private_key(identifier, private, tail):
    kind = algorithm(identifier)
    secret = parse_private_value(kind, private)
    public = kind.public(secret)
    for tag, content in tail:
        compressed = bytes([0, 2 + (public[-1] & 1)]) + public[1:33] if kind.curve_name else None
        require(tag != 0x81 or content in (b"\0" + public, compressed))
    return kind, secret


PBES2 = bytes.fromhex("06092a864886f70d01050d")
PBKDF2 = bytes.fromhex("06092a864886f70d01050c")
PRFS = {
    bytes.fromhex("06082a864886f70d02090500"): hashes.SHA256(),
    bytes.fromhex("06092a811ccf55018311020500"): hashes.SM3(),
    bytes.fromhex("06092a811ccf5501831102"): hashes.SM3(),
}
CIPHERS = {
    bytes.fromhex("060960864801650304012a"): (AES, 32),
    bytes.fromhex("06082a811ccf55016802"): (SM4, 16),
}


def decrypt_pkcs8(der, passphrase):
    """Only what section 12.3 of format.md has writers write; the rest of PBES2 is that section's."""
    (_, identifier), (_, ciphertext) = der_elements(der_only(der, 0x30))
    (_, _), (_, parameters) = der_elements(identifier)
    require(identifier.startswith(PBES2))
    (_, kdf), (_, scheme) = der_elements(parameters)
    require(kdf.startswith(PBKDF2))
    (_, salt), (_, iterations), *_, (_, prf) = der_elements(der_elements(kdf)[1][1])
    (cipher, length), (_, iv) = CIPHERS[scheme[: scheme.index(b"\x04\x10")]], der_elements(scheme)[1]
    if passphrase is None:
        raise SignatureError("passphrase_required")
    key = PBKDF2HMAC(PRFS[prf], length, salt, int.from_bytes(iterations, "big")).derive(passphrase)
    decryptor = Cipher(cipher(key), modes.CBC(iv)).decryptor()
    try:
        padded = decryptor.update(ciphertext) + decryptor.finalize()
        require(1 <= padded[-1] <= 16 and padded.endswith(bytes([padded[-1]]) * padded[-1]))
        info = private_key_info(padded[: -padded[-1]])
    except (ValueError, SignatureError):
        raise SignatureError("no_matching_identity") from None
    return parse_private_key(*info)


# Section 7.3: openssh-key-v1.

OPENSSH_KINDS = [ED25519, P256_SIGN, HYBRID44]
OPENSSH_CIPHERS = {b"aes256-ctr": modes.CTR, b"aes256-cbc": modes.CBC}


def parse_openssh(der, passphrase):
    wire = Wire(der)
    require(wire.take(15) == b"openssh-key-v1\0")
    cipher, kdf, options, count = wire.string(), wire.string(), wire.string(), wire.u32()
    plain = (cipher, kdf, options) == (b"none", b"none", b"")
    if not (plain or (cipher in OPENSSH_CIPHERS and kdf == b"bcrypt")) or count != 1:
        raise UNSUPPORTED
    publickey, private = wire.string(), wire.string()
    wire.end()
    kind = BY_KEY_NAME.get(Wire(publickey).string())
    if kind not in OPENSSH_KINDS:
        raise UNSUPPORTED
    public = kind.parse_publickey(publickey)
    kind.check(public)
    require(private and len(private) % (8 if plain else 16) == 0)
    if plain:
        return kind, open_openssh(kind, public, private, 8)
    wire = Wire(options)
    salt, rounds = wire.string(), wire.u32()
    wire.end()
    require(salt and rounds)
    if rounds > 1024:
        raise SignatureError("cost_too_high")
    if passphrase is None:
        raise SignatureError("passphrase_required")
    derived = bcrypt.kdf(passphrase, salt, 48, rounds, ignore_few_rounds=True)
    decryptor = Cipher(AES(derived[:32]), OPENSSH_CIPHERS[cipher](derived[32:])).decryptor()
    section = decryptor.update(private) + decryptor.finalize()
    if section[:4] != section[4:8]:
        raise SignatureError("no_matching_identity")
    return kind, open_openssh(kind, public, section, 16)


def open_openssh(kind, public, private, block):
    wire = Wire(private)
    require(wire.u32() == wire.u32() and wire.string() == kind.key_name)
    require(not kind.curve_name or wire.string() == kind.curve_name)
    require(wire.string() == public)
    if kind is P256_SIGN:
        secret = wire.mpint().to_bytes(33, "big")[1:]
    else:
        secret = wire.string()
        require(len(secret) == 64)
    if kind is ED25519:
        require(secret[32:] == public)
        secret = secret[:32]
    wire.string()
    require(len(wire.rest) < block and wire.rest == bytes(range(1, len(wire.rest) + 1)))
    require(kind.public(secret) == public)
    return secret


def parse_private(data, passphrase=None):
    """A file with one private key: kind and secret. The passphrase is normalized already."""
    try:
        label, der = pem_block(data) if data.startswith(b"-----BEGIN ") else ("", data)
        require(label != "PUBLIC KEY")
        if label == "OPENSSH PRIVATE KEY":
            return parse_openssh(der, passphrase)
        if label == "ENCRYPTED PRIVATE KEY":
            return decrypt_pkcs8(der, passphrase)
        if label not in ("", "PRIVATE KEY", "EC PRIVATE KEY", "SM2 PRIVATE KEY"):
            raise UNSUPPORTED
        tags = [tag for tag, _ in der_elements(der_only(der, 0x30))[:2]]
        if label == "PRIVATE KEY" and tags == [0x30, 0x04]:
            return decrypt_pkcs8(der, passphrase)
        is_ec = tags[1] == 0x04
        require(is_ec or label not in ("EC PRIVATE KEY", "SM2 PRIVATE KEY"))
        return parse_named_ec_private(der) if is_ec else parse_pkcs8(der)
    except (ValueError, OverflowError):
        raise INVALID from None


# Section 7.4: files of allowed signers, as ssh-keygen has them.


def matches(text, pattern):
    """Byte by byte, as ssh-keygen does."""
    text, pattern = (part.encode().decode("latin-1") for part in (text, pattern))
    wild = "".join({"*": ".*", "?": "."}.get(c, re.escape(c)) for c in pattern)
    return re.fullmatch(wild, text, re.DOTALL) is not None


def in_pattern_list(text, patterns):
    """Whether a pattern matches, and none that begins with `!`."""
    found = False
    if any(len(pattern.removeprefix("!").encode()) > 1022 for pattern in patterns.split(",")):
        return False
    for pattern in patterns.split(","):
        negated = pattern.startswith("!")
        if matches(text, pattern.removeprefix("!")):
            if negated:
                return False
            found = True
    return found


@dataclass
class Line:
    number: int
    principals: str
    kind: Kind
    public: bytes
    namespaces: str | None
    after: int | None
    before: int | None

    def counts(self, namespace, time, principal):
        return (
            (principal is None or in_pattern_list(principal, self.principals))
            and (self.namespaces is None or in_pattern_list(namespace, self.namespaces))
            and (self.after is None or time >= self.after)
            and (self.before is None or time <= self.before)
        )


VALUE = r'"((?:\\"|[^"\\]|\\(?!"))*)"'
OPTION = re.compile(rf"(cert-authority)|(namespaces|valid-after|valid-before)={VALUE}", re.IGNORECASE)


def parse_options(field):
    """The options by their names in lower case; None if the field is none of options."""
    options, at = {}, 0
    while found := OPTION.match(field, at):
        name = (found[1] or found[2]).lower()
        require(name == "cert-authority" or name not in options)
        options[name] = (found[3] or "").replace('\\"', '"')
        at = found.end()
        if at == len(field):
            return options
        require(field[at] == ",")
        at += 1
    require(at == 0)
    return None


def parse_time(text):
    """Seconds since 1970, and whether the text says that it is UTC."""
    found = re.fullmatch(r"(\d{8})(?:(\d{4})(\d\d)?)?(Z|UTC)?", text, re.ASCII | re.IGNORECASE)
    require(found)
    digits = (found[1] + (found[2] or "") + (found[3] or "")).ljust(14, "0")
    seconds = int(datetime.datetime.strptime(digits + "+0000", "%Y%m%d%H%M%S%z").timestamp())
    require(seconds > 0)
    return seconds, found[4] is not None


def split_field(text):
    """The first field, which ends at a space or tab outside of double quotes, and the rest."""
    quoted = False
    for at, c in enumerate(text):
        if c == '"' and text[at - 1 : at] != "\\":
            quoted = not quoted
        elif c in " \t" and not quoted:
            return text[:at], text[at:].lstrip(" \t")
    require(not quoted)
    return text, ""


def split_principals(text):
    if text.startswith('"'):
        principals, quote, rest = text[1:].partition('"')
        require(quote and rest[:1] in ("", " ", "\t"))
        return principals, rest.lstrip(" \t")
    principals, *rest = re.split(r"[ \t]+", text, maxsplit=1)
    require('"' not in principals)
    return principals, "".join(rest)


def parse_line(number, text):
    """A line's signer, or None for one that is skipped."""
    principals, rest = split_principals(text)
    require(principals and rest)
    field, behind = split_field(rest)
    options = parse_options(field)
    key = rest if options is None else behind
    text.removesuffix(key).encode()
    options = options or {}
    times = {name: parse_time(options[name]) for name in ("valid-after", "valid-before") if name in options}
    if len(times) == 2:
        require(times["valid-after"][0] < times["valid-before"][0])
    try:
        kind, public = parse_ssh_line(key)
    except SignatureError:  # a key of another kind
        return None
    if "cert-authority" in options:
        return None
    after, before = (times.get(name) for name in ("valid-after", "valid-before"))
    # Without a zone, only what is within the time in every zone.
    after = after and after[0] + (0 if after[1] else 12 * 3600)
    before = before and before[0] - (0 if before[1] else 14 * 3600)
    return Line(number, principals, kind, public, options.get("namespaces"), after, before)


def parse_allowed_signers(data):
    try:
        require(len(data) <= 2**20)
        lines = [parse_line(number, text) for number, text in text_lines(data)]
        found = [line for line in lines if line]
        require(found)
        return found
    except ValueError:
        raise INVALID from None


# Vectors.

CODES = (
    "success not_a_signature malformed_signature unsupported_signature wrong_namespace unknown_signer "
    "invalid_signature invalid_namespace invalid_signer unsupported_key passphrase_required cost_too_high "
    "no_matching_identity"
).split()
LINES = {
    "signature": "form content times namespace signer signed-by note released",
    "signing_keys": "read passphrase key secret",
    "allowed_signers": "namespace principal time signer",
}


def parse_vector(raw, folder):
    head, _, file = raw.partition(b"\n\n")
    keys = {}
    for line in head.decode().split("\n"):
        name, _, value = line.partition(": ")
        keys.setdefault(name, []).append(value)
    if unknown := keys.keys() - {"expect", "section", "comment", *LINES[folder].split()}:
        raise ValueError(f"unknown keys: {unknown}")
    if keys["expect"][0] not in CODES:
        raise ValueError(f"unknown code: {keys['expect'][0]}")
    return keys, file


def named(kind, public):
    return f"{kind.name} {kind.fingerprint(public)}"


def run_signature(keys, file):
    """The lines that a reader answers with."""
    namespace = keys["namespace"][0].encode()
    try:
        if not is_namespace(namespace):
            raise SignatureError("invalid_namespace")
        signers = [signer for line in keys.get("signer", []) for signer in parse_public(line.encode())]
        check_caller(signers, namespace)
        if keys["form"][0] == "attached":
            parsed, content = verify_attached(file, signers, namespace)
        else:
            content = bytes.fromhex(keys["content"][0]) * int(keys.get("times", ["1"])[0])
            parsed = verify(file, content, signers, namespace)
    except SignatureError as error:
        return {"expect": [error.code]} | ({"signed-by": [named(*error.claimed)]} if error.claimed else {})
    answer = {"expect": ["success"]}
    answer |= {"signed-by": [named(parsed.kind, parsed.kind.parse_publickey(parsed.publickey))]}
    answer |= {"note": [parsed.reserved.decode()]} if parsed.reserved else {}
    return answer | ({"released": [hashlib.sha256(content).hexdigest()]} if keys["form"][0] == "attached" else {})


def run_key(keys, file):
    passphrase = passphrase_bytes(keys["passphrase"][0]) if "passphrase" in keys else None
    try:
        if keys["read"][0] == "public":
            return {"expect": ["success"], "key": [named(kind, public) for kind, public in parse_public(file)]}
        kind, secret = parse_private(file, passphrase)
    except SignatureError as error:
        return {"expect": [error.code]}
    return {"expect": ["success"], "key": [named(kind, kind.public(secret))], "secret": [secret.hex()]}


def run_allowed_signers(keys, file):
    principal, time = keys.get("principal", [None])[0], parse_time(keys["time"][0])[0]
    try:
        lines = parse_allowed_signers(file)
    except SignatureError as error:
        return {"expect": [error.code]}
    counted = [line for line in lines if line.counts(keys["namespace"][0], time, principal)]
    signers = [f"{line.number} {named(line.kind, line.public)} {line.principals}" for line in counted]
    return {"expect": ["success"]} | ({"signer": signers} if signers else {})


RUN = {"signature": run_signature, "signing_keys": run_key, "allowed_signers": run_allowed_signers}
ANSWERS = {
    "signature": ["expect", "signed-by", "note", "released"],
    "signing_keys": ["expect", "key", "secret"],
    "allowed_signers": ["expect", "signer"],
}


def check_vector(raw, folder):
    """None, or what was found where something else was expected."""
    keys, file = parse_vector(raw, folder)
    found = RUN[folder](keys, file)
    return None if found == {name: keys[name] for name in ANSWERS[folder] if name in keys} else found


def self_test():
    # GB/T 32918.5, annex A: the signature over the curve that this part recommends.
    secret = bytes.fromhex("3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8")
    k = 0x59276E27D506861A16680F3AD9C02DCCEF3CC1FA3CDBE4CE6D54B80DEAC1BC21
    r = 0xF5A03B0648D2C4630EEAC513E1BB81A15944DA3827D5B74143AC7EACEEE720B3
    s = 0xB1B6AA29DF212FD8763182BC0D421CA1BB9038FD1F7F42D4840B69C485BBC1AA
    assert SM2_SIGN.parse_value(SM2_SIGN.sign(secret, b"message digest", k)) == (r, s)
    # RFC 9881's example of `both` with ML-DSA-65: the expanded key of the seed 00 ... 1f.
    expanded = ML_DSA_65.keys(bytes(range(32)))[1]
    assert hashlib.sha256(expanded).hexdigest() == "9f1e24f47795fe50040384e3d6183988047170fa2d866406b70fe0a3f8216063"
    for kind in KINDS:
        secret = bytes(range(64 if isinstance(kind, Hybrid) else 32))
        signer, content = (kind, kind.public(secret)), b"content\n"
        signature = sign(kind, secret, content, b"file", b"a comment")
        assert verify(signature, content, [signer]).reserved == b"a comment"
        assert verify(signature.replace(b"\n", b"\r\n"), content, [signer]).kind is kind
        assert verify_attached(content + signature, [signer])[1] == content
        assert parse_public(ssh_line(*signer).encode()) == [signer]


def ssh_line(kind, public):
    return f"{kind.key_name.decode()} {base64.b64encode(kind.publickey(public)).decode()}"


def check(folder):
    self_test()
    passed, failed = 0, 0
    for path in sorted(Path(folder).iterdir()):
        try:
            found = check_vector(path.read_bytes(), Path(folder).resolve().name)
        except Exception as error:
            found = repr(error)
        passed, failed = passed + (found is None), failed + (found is not None)
        if found is not None:
            print(f"{path.name}: found {found}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def main():
    parser = argparse.ArgumentParser(description="Signature files, by the book")
    commands = parser.add_subparsers(dest="command", required=True)
    signing, verifying, checking = (commands.add_parser(name) for name in ("sign", "verify", "check"))
    for command in (signing, verifying):
        command.add_argument("--namespace", default="file")
        command.add_argument("input")
    signing.add_argument("output")
    signing.add_argument("-k", dest="key", required=True)
    signing.add_argument("--passphrase-file")
    signing.add_argument("--comment")
    signing.add_argument("--attach", action="store_true")
    verifying.add_argument("signature", nargs="?")
    verifying.add_argument("-k", dest="signer", action="append", default=[])
    verifying.add_argument("--signers")
    checking.add_argument("folder")
    options = parser.parse_args()
    if options.command == "check":
        return check(options.folder)
    data, namespace = Path(options.input).read_bytes(), options.namespace.encode()
    try:
        if options.command == "sign":
            path = options.passphrase_file
            passphrase = passphrase_bytes(Path(path).read_text().removesuffix("\n")) if path else None
            kind, secret = parse_private(Path(options.key).read_bytes(), passphrase)
            comment = None if options.comment is None else options.comment.encode()
            signature = sign(kind, secret, data, namespace, comment)
            Path(options.output).write_bytes(data + signature if options.attach else signature)
            return 0
        signers = [signer for path in options.signer for signer in parse_public(Path(path).read_bytes())]
        if options.signers:
            now = int(datetime.datetime.now().timestamp())
            lines = parse_allowed_signers(Path(options.signers).read_bytes())
            signers += [(line.kind, line.public) for line in lines if line.counts(options.namespace, now, None)]
        elif not signers:
            check_caller(signers, namespace)
        if options.signature:
            parsed = verify(Path(options.signature).read_bytes(), data, signers, namespace)
        else:
            parsed, _ = verify_attached(data, signers, namespace)
    except SignatureError as error:
        print(error.code, *(named(*error.claimed) for _ in [1] if error.claimed), file=sys.stderr)
        return 3 if error.code == "unknown_signer" else 4
    print("signed by", named(parsed.kind, parsed.kind.parse_publickey(parsed.publickey)), parsed.reserved.decode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
