"""Makes the vectors in `file/` and `plugin/`, one scenario a file, each named after the rule it keeps or breaks.

    python generate.py

A scenario says what is special about its file and what a reader must answer; everything it does not mention is right.
What it expects is written down by hand and never computed by a reader. Where it can, a broken file is broken in one
rule only and right in all others, its MACs included, so that a reader that forgets the rule opens it.

All randomness comes from SHA-256 over a fixed seed, the scenario's name and a counter, so a scenario's bytes do not
depend on the others. ML-KEM and hybrid stanzas are the exception: the library's ML-KEM cannot be given its randomness,
so files with one differ from run to run; those that suite 3 refuses have an enc drawn like all else.
"""

import base64
import gzip
import hashlib
import hmac
import shutil
import unicodedata
from dataclasses import replace
from pathlib import Path

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, mlkem, x25519
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

import generate_archive
from reference import (
    BEGIN, BODY_LENGTH, CHUNK, CONTEXT_BOUND, END, HYBRID, KEY, MAGIC, MAX_AREA, MLKEM768, P256, PASSPHRASE,
    PASSPHRASE_SM3, PLUGIN, SM2, SM2_B, SM2_G, SM2_N, SM2_P, SM4GCM, SUITES, X25519, HybridIdentity, Key, MlKem768Identity,
    P256Identity, Passphrase, PassphraseSm3, Payload, Plugin, Sm2Identity, X25519Identity, age_stanza, armour, check, derive_payload_key,
    format_key, format_pkcs8, frame, header_mac, hkdf_expand, hpke_info, make_prefix, sm2_decode, sm2_encode,
    sm2_halves, sm3, wrap,
)  # fmt: skip

FOLDER = Path(__file__).parent / "file"
# For readers that have plugins.
PLUGIN_FOLDER = Path(__file__).parent / "plugin"
SEALED_CHUNK = CHUNK + 16


def seed(*parts):
    return hashlib.sha256("\0".join(["sealstone vectors 1", *map(str, parts)]).encode()).digest()


ALICE, BOB, CAROL, DAVE, ERIN = (X25519Identity(seed(name)) for name in ("alice", "bob", "carol", "dave", "erin"))
HYBRID_ALICE, HYBRID_BOB = HybridIdentity(seed("hybrid alice")), HybridIdentity(seed("hybrid bob"))
P256_ALICE, P256_BOB = P256Identity(seed("p256 alice")), P256Identity(seed("p256 bob"))
ML_KEM_ALICE, ML_KEM_BOB = (
    MlKem768Identity(seed("ml-kem-768", name, "d") + seed("ml-kem-768", name, "z")) for name in ("alice", "bob")
)
SM2_ALICE, SM2_BOB, SM2_CAROL = (Sm2Identity(seed(name)) for name in ("sm2 alice", "sm2 bob", "sm2 carol"))
# The kinds without a key string. Where a scenario is not made for every kind, they have one of their own beside it.
PEM_KINDS = {"p256": P256_ALICE, "ml_kem_768": ML_KEM_ALICE}
KEY_A, KEY_B = Key(seed("key a")), Key(seed("key b"))
# Plugins that know a secret, and stanzas of age by their types.
TOKEN, OTHER_TOKEN = Plugin("example", seed("plugin")[:16]), Plugin("other", seed("other plugin")[:16])
TEXT = b"the quick brown fox jumps over the lazy dog"


def cheap(text, m_kib=64, t=1, p=1):
    """A passphrase at a cost at which the tests stay quick."""
    return Passphrase(text, m_kib, t, p)


def long(length):
    """Plaintext whose every stretch is different."""
    return hashlib.shake_128(b"plaintext").digest(length)


def flip(data, at, bit=0x01):
    at %= len(data)
    return data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]


class File:
    """A file in the making. What is set before a stage goes into it; what a stage has made can still be changed."""

    def __init__(self, name):
        self.name, self.counter = name, 0
        self.version, self.suite_id, self.flags, self.context = 1, 1, None, None
        self.to, self.plaintext = [ALICE], TEXT
        self.file_key, self.salt = self.random(32), self.random(24)
        self.area_length = self.area = self.mac = self.commitment = self.chunks = self.payload_context = None
        # The reader, and what it must answer.
        self.identity, self.passphrase, self.given_context, self.range = [ALICE], [], None, None
        self.plugin = []
        self.expect, self.chunk, self.released = "success", None, None
        # Of version 2: the content, and what the vector says of an archive.
        self.content = self.archive = self.listed = self.extract = None
        self.lines = []

    def random(self, n):
        out = b""
        while len(out) < n:
            self.counter += 1
            out += seed(self.name, self.counter)
        return out[:n]

    def bind(self, context):
        self.context = self.given_context = context

    @property
    def suite(self):
        return SUITES.get(self.suite_id, SUITES[1])

    @property
    def prefix(self):
        flags = (CONTEXT_BOUND if self.context else 0) if self.flags is None else self.flags
        return MAGIC + bytes([self.version]) + make_prefix(self.suite_id, flags)[9:]

    def wrap(self):
        self.area = b"".join(frame(*self.stanza(to)) for to in self.to)

    def stanza(self, to):
        """The type and body for an identity; a pair is taken as it is, and a function is asked."""
        if isinstance(to, tuple):
            return to
        if isinstance(to, X25519Identity):
            return X25519, x25519_body(self, to)
        if isinstance(to, P256Identity):
            return P256, p256_body(self, to)
        if isinstance(to, MlKem768Identity):
            return MLKEM768, ml_kem_768_body(self, to)
        if isinstance(to, Sm2Identity):
            return SM2, sm2_body(self, to)
        if isinstance(to, HybridIdentity):
            return HYBRID, to.recipient().wrap(self.suite, self.prefix, self.file_key)
        return to.type, to.wrap(self.suite, self.prefix, self.file_key, salt=self.random(16))

    @property
    def header(self):
        length = len(self.area) if self.area_length is None else self.area_length
        return self.prefix + length.to_bytes(4, "big") + self.area

    def authenticate(self):
        self.mac = header_mac(self.suite, self.file_key, self.header)

    def payload(self):
        context = self.prefix + (self.context or b"") if self.payload_context is None else self.payload_context
        return Payload(self.suite, derive_payload_key(self.suite, self.file_key), self.salt, context)

    def encrypt(self):
        self.commitment, self.chunks = self.payload().commitment, self.payload().seal_all(self.plaintext)

    def seal(self):
        for made, stage in (("area", self.wrap), ("mac", self.authenticate), ("chunks", self.encrypt)):
            if getattr(self, made) is None:
                stage()
        return self

    def bytes(self):
        self.seal()
        return b"".join([self.header, self.mac, self.salt, self.commitment, *self.chunks])

    @property
    def payload_at(self):
        return len(self.seal().header) + len(self.mac)


def x25519_body(f, to, ephemeral=None, share=None, secret=None, suite=None, info=None):
    """An X25519 stanza's body. HPKE is spelled out here, so that a scenario can take any part of it wrong."""
    public = to.recipient().public
    ephemeral = x25519.X25519PrivateKey.from_private_bytes(ephemeral or f.random(32))
    share = share or ephemeral.public_key().public_bytes_raw()
    secret = secret or ephemeral.exchange(x25519.X25519PublicKey.from_public_bytes(public))
    return hpke_body(f, 0x0020, share, dhkem(0x0020, secret, share + public), suite, info)


def p256_body(f, to, ephemeral=None, share=None, secret=None, suite=None, info=None):
    """The same for P-256; `ephemeral` is the scalar."""
    public = to.recipient()
    ephemeral = P256Identity(ephemeral or f.random(32))
    share = share or ephemeral.recipient().public
    secret = secret or ephemeral.private_key().exchange(ec.ECDH(), public.public_key())
    return hpke_body(f, 0x0010, share, dhkem(0x0010, secret, share + public.public), suite, info)


def ml_kem_768_body(f, to, enc=None, secret=None, suite=None, info=None):
    """The same for ML-KEM-768, whose secret HPKE takes as it is."""
    if enc is None:
        secret, enc = to.recipient().public_key().encapsulate()
    return hpke_body(f, 0x0041, enc, secret, suite, info)


def hybrid_body_of_low_order(f, to):
    """A hybrid stanza whose X25519 half gives the all-zero secret, and which is right in all else."""
    ml_kem, x = (half.public_key().public_bytes_raw() for half in to.halves())
    secret, enc = mlkem.MLKEM768PublicKey.from_public_bytes(ml_kem).encapsulate()
    shared = hashlib.sha3_256(secret + bytes(32) + bytes(32) + x + b"\\.//^\\").digest()
    return hpke_body(f, 0x647A, enc + bytes(32), shared)


def hpke_body(f, kem_id, enc, shared, suite=None, info=None):
    info = hpke_info(f.prefix) if info is None else info
    return enc + hpke_seal(kem_id, suite or f.suite, shared, info, f.file_key)


def dhkem(kem_id, secret, context):
    """RFC 9180, 4.1: the shared secret."""
    kem = b"KEM" + kem_id.to_bytes(2, "big")
    return labeled_expand(kem, labeled_extract(kem, b"eae_prk", secret), b"shared_secret", context, 32)


def hpke_seal(kem_id, suite, shared, info, plaintext):
    """RFC 9180, base mode, one message; 5.1 and 5.2."""
    ids = b"HPKE" + kem_id.to_bytes(2, "big") + b"\x00\x01" + (b"\x00\x02" if suite.id == 1 else b"\x00\x03")
    context = b"\x00" + labeled_extract(ids, b"psk_id_hash", b"") + labeled_extract(ids, b"info_hash", info)
    secret = labeled_extract(ids, b"secret", b"", salt=shared)
    nonce = labeled_expand(ids, secret, b"base_nonce", context, 12)
    return suite.aead(labeled_expand(ids, secret, b"key", context, 32)).encrypt(nonce, plaintext, b"")


def labeled_extract(ids, label, key, salt=b""):
    return hmac.digest(salt, b"HPKE-v1" + ids + label + key, "sha256")


def labeled_expand(ids, prk, label, info, length):
    """One block is enough for every use here."""
    return hmac.digest(prk, length.to_bytes(2, "big") + b"HPKE-v1" + ids + label + info + b"\x01", "sha256")[:length]


SCENARIOS = {}


def vector(section, expect="success", chunk=None, each=None):
    """Registers a scenario under its function's name; with `each`, one for every value, whose name is appended. Its
    doc string is the vector's comment. A scenario may return the file's bytes; else they are the parts as it left
    them."""

    def register(scenario):
        for suffix, value in (each if isinstance(each, dict) else {v: v for v in each or [None]}).items():
            name = scenario.__name__ if each is None else f"{scenario.__name__}_{suffix}"
            assert name not in SCENARIOS, name
            SCENARIOS[name] = (section, expect, chunk, scenario, [] if each is None else [value])
        return scenario

    return register


def render(name):
    section, expect, chunk, scenario, value = SCENARIOS[name]
    f = File(name)
    f.expect, f.chunk = expect, chunk
    raw = scenario(f, *value)
    raw = f.bytes() if raw is None else raw
    if f.released is not None:
        released = f.released
    elif f.expect != "success":
        released = f.plaintext[: CHUNK * (f.chunk or 0)]
    else:
        content = f.plaintext if f.content is None else f.content
        released = content[slice(*f.range)] if f.range else content
    lines = [f"expect: {f.expect}", f"section: {section}", f"comment: {scenario.__doc__.format(*value)}"]
    lines += map(identity_line, f.identity)
    lines += [f"plugin: {plugin.kind} {plugin.secret.hex()}" for plugin in f.plugin]
    lines += [f"passphrase: {text}" for text in f.passphrase]
    lines += [f"context: {f.given_context.decode()}"] if f.given_context else []
    lines += ["range: {}..{}".format(*f.range)] if f.range else []
    lines += [f"chunk: {f.chunk}"] if f.chunk is not None else []
    codes = {"archive": f.archive, "list": f.listed, "extract": f.extract}
    lines += [f"{key}: {code}" for key, code in codes.items() if code is not None]
    lines += f.lines
    lines += [f"released: {hashlib.sha256(released).hexdigest()}"]
    return "\n".join(lines).encode() + b"\n\n" + raw


def identity_line(identity):
    if isinstance(identity, (P256Identity, MlKem768Identity, Sm2Identity)):
        return f"identity-pkcs8: {base64.b64encode(format_pkcs8(identity)).decode()}"
    return f"identity: {format_key(identity)}"


# Section 1: the header's fixed part.


@vector("1", "not_sealstone", each={"empty": b"", "one_byte": MAGIC[:1], "seven_bytes": MAGIC[:7]})
def magic_cut(f, start):
    "fewer bytes than the magic has, all of them right"
    return start


@vector("1", "not_sealstone", each={"first_byte": 0, "last_byte": 7})
def magic_flipped(f, at):
    "one bit of byte {0} of the magic is flipped"
    return flip(f.bytes(), at)


@vector("1", "not_sealstone")
def magic_without_high_bit(f):
    "a transport of 7 bits cleared the first byte's high bit"
    return flip(f.bytes(), 0, 0x80)


@vector("1", "not_sealstone")
def magic_crlf_to_lf(f):
    "a text-mode transfer turned CR LF into LF"
    return f.bytes().replace(b"\r\n", b"\n")


@vector("1", "not_sealstone")
def magic_lf_to_crlf(f):
    "a text-mode transfer turned LF into CR LF"
    return f.bytes().replace(b"\n", b"\r\n")


@vector("1", "not_sealstone")
def magic_after_byte_order_mark(f):
    "a UTF-8 byte order mark stands before the magic"
    return b"\xef\xbb\xbf" + f.bytes()


@vector("1", "not_sealstone")
def magic_gzip(f):
    "a valid file, compressed with gzip"
    return gzip.compress(f.bytes(), mtime=0)


@vector("1", "not_sealstone")
def magic_base64_without_armour(f):
    "a valid file in base64 with no armour around it"
    return base64.b64encode(f.bytes())


@vector("1", "not_sealstone")
def magic_text(f):
    "the input is plain text"
    return TEXT


@vector("1", "not_sealstone")
def magic_compact_message(f):
    "the input begins like a compact message, which is not a file"
    return b"\xa6\x01" + f.random(32 + 48)


@vector("1", "unsupported_version", each=[0, 3, 255])
def header_version(f, version):
    "version {0}, and all else consistent with it"
    f.version = version


@vector("2", "unsupported_suite", each=[0, 4, 255])
def header_suite(f, suite):
    "suite {0}, and all else made as for suite 1"
    f.suite_id = suite


@vector("1", "malformed_header", each={f"{1 << bit:04x}": 1 << bit for bit in range(1, 16)})
def header_reserved_flag(f, flags):
    "a reserved flag is set, and all else is consistent with it"
    f.flags = flags


@vector("1", "malformed_header")
def header_reserved_flag_beside_context(f):
    "a reserved flag is set beside the context flag"
    f.bind(b"context")
    f.flags = 0x8001


@vector("1", "malformed_header")
def header_area_length_0(f):
    "the stanza area is empty"
    f.to = []


@vector("1", "malformed_header", each={"2097153": MAX_AREA + 1, "ffffffff": 0xFFFFFFFF})
def header_area_length_over_maximum(f, length):
    "the stanza area's length is {0}, more than 2 MiB; a reader must not wait for that much"
    f.area_length = length


@vector("1", "truncated")
def header_area_length_2097152_past_the_end(f):
    "the stanza area's length is the greatest allowed and the file is much shorter"
    f.area_length = MAX_AREA


@vector("1", "truncated")
def header_area_length_one_past_the_end(f):
    "the header's end is one byte past the end of the file"
    f.seal()
    f.area_length = len(f.area) + 1
    return f.bytes()[: f.payload_at]


@vector("4", "malformed_header", each={"short": -1, "long": 1})
def header_area_length_one_too(f, by):
    "the stanza area's length is off by one, so the stanzas do not fill it exactly"
    f.wrap()
    f.area_length = len(f.area) + by


@vector("1", "truncated", each=[8, 9, 10, 11, 12, 15, 16, 17, 20, 60, 99, 100, 101, 131])
def header_cut_at(f, length):
    "only the first {0} bytes of a file whose header has 132"
    return f.bytes()[:length]


@vector("1", "unsupported_version")
def header_cut_after_wrong_version(f):
    "9 bytes; the version is there and is judged before the length"
    f.version = 3
    return f.bytes()[:9]


@vector("2", "unsupported_suite")
def header_cut_after_wrong_suite(f):
    "10 bytes; the suite is there and is judged before the length"
    f.suite_id = 4
    return f.bytes()[:10]


@vector("1", "malformed_header")
def header_cut_after_reserved_flag(f):
    "12 bytes; the flags are there and are judged before the length"
    f.flags = 0x0002
    return f.bytes()[:12]


@vector("1", "truncated")
def header_cut_within_reserved_flag(f):
    "11 bytes; one byte of the flags is not yet the flags"
    f.flags = 0x8000
    return f.bytes()[:11]


@vector("4", "no_matching_identity")
def header_suite_changed(f):
    "suite 1 became 2; stanzas are bound to the prefix"
    return flip(f.bytes(), 9, 0x03)


@vector("4", "no_matching_identity")
def header_suite_changed_key(f):
    "suite 1 became 2 in a file for a symmetric key"
    f.to, f.identity = [KEY_A], [KEY_A]
    return flip(f.bytes(), 9, 0x03)


@vector("4", "no_matching_identity", each=PEM_KINDS)
def header_suite_changed_for(f, identity):
    "suite 1 became 2 in a file for another kind of recipient"
    f.to, f.identity = [identity], [identity]
    return flip(f.bytes(), 9, 0x03)


@vector("4", "no_matching_identity")
def header_context_flag_set(f):
    "the context flag was set later; stanzas are bound to the prefix"
    f.given_context = b"context"
    return flip(f.bytes(), 11)


@vector("4", "no_matching_identity")
def header_context_flag_cleared(f):
    "the context flag was cleared later; stanzas are bound to the prefix"
    f.context = b"context"
    return flip(f.bytes(), 11)


# Section 3: keys and the header MAC.


@vector("3", "header_not_authentic", each={"first_byte": 0, "last_byte": 31})
def mac_flipped(f, at):
    "one bit of byte {0} of the header MAC is flipped"
    f.seal()
    f.mac = flip(f.mac, at)


@vector("3", "header_not_authentic", each={"hybrid": HYBRID_ALICE, "key": KEY_A, **PEM_KINDS})
def mac_flipped_beside(f, identity):
    "one bit of the header MAC is flipped, beside another kind of stanza"
    f.to, f.identity = [identity], [identity]
    f.seal()
    f.mac = flip(f.mac, 16)


@vector("3", "header_not_authentic")
def mac_zero(f):
    "the header MAC is all zero"
    f.mac = bytes(32)


@vector("3", "header_not_authentic")
def mac_last_half(f):
    "the header MAC is the last 32 bytes of the HMAC, not the first"
    f.wrap()
    mac_key = hmac.digest(f.file_key, b"sealstone/v1 header mac\x01", "sha512")[:32]
    assert hmac.digest(mac_key, f.header, "sha512")[:32] == header_mac(f.suite, f.file_key, f.header)
    f.mac = hmac.digest(mac_key, f.header, "sha512")[32:]


@vector("3", "header_not_authentic")
def mac_under_file_key(f):
    "the header MAC is made under the file key itself"
    f.wrap()
    f.mac = hmac.digest(f.file_key, f.header, "sha512")[:32]


@vector("3", "header_not_authentic")
def mac_without_area_length(f):
    "the header MAC leaves out the stanza area's length"
    f.wrap()
    f.mac = header_mac(f.suite, f.file_key, f.prefix + f.area)


@vector("3", "header_not_authentic")
def mac_without_prefix(f):
    "the header MAC covers the stanza area only"
    f.wrap()
    f.mac = header_mac(f.suite, f.file_key, f.area)


@vector("3", "header_not_authentic")
def mac_of_another_file(f):
    "the header MAC is another file's"
    f.mac = File("another").seal().mac


@vector("3", "header_not_authentic")
def mac_unknown_stanza_changed(f):
    "one bit of an unknown stanza is flipped after the header MAC was made"
    f.to = [ALICE, (0x7777, b"unknown")]
    f.seal()
    f.area = flip(f.area, -1)


@vector("3", "header_not_authentic")
def mac_other_stanza_changed(f):
    "one bit of another recipient's stanza is flipped after the header MAC was made"
    f.to = [ALICE, BOB]
    f.seal()
    f.area = flip(f.area, -1)


@vector("3", "header_not_authentic")
def mac_stanza_added(f):
    "a stanza was added after the header MAC was made"
    f.seal()
    f.area += frame(0x7777, b"")


@vector("3", "header_not_authentic")
def mac_stanza_removed(f):
    "a stanza was removed after the header MAC was made"
    f.to = [BOB, ALICE]
    f.seal()
    f.area = f.area[len(f.area) // 2 :]


@vector("3", "header_not_authentic")
def mac_stanzas_swapped(f):
    "two stanzas changed places after the header MAC was made"
    f.to = [BOB, ALICE]
    f.seal()
    half = len(f.area) // 2
    f.area = f.area[half:] + f.area[:half]


# Section 4: stanzas of every kind.

KINDS = {"x25519": ALICE, "hybrid": HYBRID_ALICE, "key": KEY_A, **PEM_KINDS}


@vector("4", each={f"{kind}_suite_{suite}": (KINDS[kind], suite) for kind in KINDS for suite in (1, 2)})
def stanza_opens(f, kind_and_suite):
    "one recipient, who reads the file"
    identity, f.suite_id = kind_and_suite
    f.to, f.identity = [identity], [identity]


@vector("4", each={"x25519": ALICE, "hybrid": HYBRID_ALICE, "key": KEY_A})
def stanza_several_kinds(f, identity):
    "three recipients of different kinds, read by one of them"
    f.to, f.identity = [HYBRID_ALICE, ALICE, KEY_A], [identity]


@vector("4", each=KINDS)
def stanza_every_kind(f, identity):
    "a recipient of every kind that may stand beside others, read by one of them"
    f.to, f.identity = [ML_KEM_ALICE, P256_ALICE, HYBRID_ALICE, ALICE, KEY_A], [identity]


@vector("4", each=PEM_KINDS)
def stanza_mixed(f, identity):
    "a post-quantum and a classical recipient, read by one of them; a writer makes such a file only when asked to"
    f.to, f.identity = [ML_KEM_ALICE, P256_ALICE], [identity]


@vector("4", each=KINDS)
def stanza_other_kinds_do_not_match(f, identity):
    "stanzas of all other kinds, for somebody else, stand before one that opens; the reader has an identity of each"
    others = [other for other in KINDS.values() if other is not identity]
    f.to = [(other.type, f.random(BODY_LENGTH[other.type])) for other in others] + [identity]
    f.identity = [*others, identity]


@vector("4")
def stanza_several_identity_for_the_last(f):
    "four recipients of one kind, read by the last"
    f.to, f.identity = [BOB, CAROL, DAVE, ALICE], [ALICE]


@vector("4")
def stanza_several_identities_the_last_matches(f):
    "a reader with several identities, of which the last one matches"
    f.identity = [HYBRID_ALICE, KEY_A, BOB, CAROL, ALICE]


PAIRS = {
    "x25519": (ALICE, BOB),
    "hybrid": (HYBRID_ALICE, HYBRID_BOB),
    "key": (KEY_A, KEY_B),
    "p256": (P256_ALICE, P256_BOB),
    "ml_kem_768": (ML_KEM_ALICE, ML_KEM_BOB),
}


@vector("4", each=PAIRS)
def stanza_duplicate(f, identities):
    "the same recipient twice, which is allowed, beside another"
    identity, other = identities
    f.to, f.identity = [other, identity, identity], [identity]


@vector("4", each={kind: PAIRS[kind] for kind in PEM_KINDS})
def stanza_several_identities_of_the_kind(f, identities):
    "a reader with several identities, two of the stanza's kind, of which the last one matches"
    identity, other = identities
    f.to, f.identity = [identity], [HYBRID_ALICE, KEY_A, ALICE, other, identity]


@vector("4")
def stanza_duplicate_bytes(f):
    "the same stanza twice, byte for byte"
    f.wrap()
    f.area += f.area


def of_another_file(identity):
    """A stanza that opens and gives a file key that is not this file's."""
    return File("a file key that is not this file's").stanza(identity)


@vector("8", "header_not_authentic")
def stanza_first_success_decides(f):
    "the first stanza opens and gives a wrong file key; the second, which would be right, is not tried"
    f.to = [of_another_file(ALICE), ALICE]


@vector("8", "header_not_authentic", each=PEM_KINDS)
def stanza_first_success_decides_for(f, identity):
    "the first stanza opens and gives a wrong file key; the second, which would be right, is not tried"
    f.to, f.identity = [of_another_file(identity), identity], [identity]


@vector("8")
def stanza_file_order_before_identity_order(f):
    "the right stanza comes first, for the caller's second identity; a wrong one for the first identity follows"
    f.to, f.identity = [ALICE, of_another_file(BOB)], [BOB, ALICE]


@vector("4", "no_matching_identity", each={**KINDS, "x25519": BOB})
def stanza_not_for(f, identity):
    "a file for one X25519 recipient, read by somebody else"
    f.identity = [identity]


@vector("4", "no_matching_identity")
def stanza_hybrid_not_for_another_hybrid(f):
    "ML-KEM rejects implicitly, so a wrong hybrid identity shows only at the AEAD"
    f.to, f.identity = [HYBRID_ALICE], [HYBRID_BOB]


@vector("4", "no_matching_identity")
def stanza_p256_not_for_another_p256(f):
    "a file for one P-256 recipient, read by another"
    f.to, f.identity = [P256_ALICE], [P256_BOB]


@vector("4", "no_matching_identity", each={kind: to for kind, to in KINDS.items() if kind != "p256"})
def stanza_p256_not_for(f, identity):
    "a file for one P-256 recipient, read with another kind of identity"
    f.to, f.identity = [P256_ALICE], [identity]


@vector("4", "no_matching_identity")
def stanza_ml_kem_768_not_for_another_ml_kem_768(f):
    "ML-KEM rejects implicitly, so a wrong ML-KEM-768 identity shows only at the AEAD"
    f.to, f.identity = [ML_KEM_ALICE], [ML_KEM_BOB]


@vector("4", "no_matching_identity", each={kind: to for kind, to in KINDS.items() if kind != "ml_kem_768"})
def stanza_ml_kem_768_not_for(f, identity):
    "a file for one ML-KEM-768 recipient, read with another kind of identity"
    f.to, f.identity = [ML_KEM_ALICE], [identity]


@vector("4", "no_matching_identity")
def stanza_key_not_for_another_key(f):
    "a file for one symmetric key, read with another"
    f.to, f.identity = [KEY_A], [KEY_B]


@vector("4", "no_matching_identity")
def stanza_reader_without_identities(f):
    "the reader has no identity at all"
    f.identity = []


# Section 4: types.


@vector("4", each={f"{number:04x}": number for number in (0x0000, 0x0007, 0x000F, 0x0021, 0x1000, 0xFFFF)})
def stanza_unknown_type_beside_known(f, number):
    "a stanza of an unknown type stands before one that opens"
    f.to = [(number, b"something new"), ALICE]


@vector("4")
def stanza_unknown_type_after_known(f):
    "stanzas of unknown types follow the one that opens, one with an empty body"
    f.to = [ALICE, (0x7777, b"something new"), (0x7778, b"")]


@vector("4", each=PEM_KINDS)
def stanza_unknown_types_beside(f, identity):
    "stanzas of unknown types stand before and after one of another kind that opens"
    f.to, f.identity = [(0x0007, b"something new"), identity, (0x7778, b"")], [identity]


@vector("4", "no_matching_identity")
def stanza_unknown_type_alone(f):
    "the only stanza has an unknown type"
    f.to = [(0x7777, b"something new")]


OTHER_KINDS = {"p256": (P256, 65 + 48), "ml_kem_768": (MLKEM768, 1088 + 48)}


@vector("4", each=OTHER_KINDS)
def stanza_kind_beside_x25519(f, kind):
    "a stanza of a kind for which the reader has no identity stands before one that opens"
    number, length = kind
    f.to = [(number, b"\x04" + f.random(length - 1)), ALICE]


@vector("4", "no_matching_identity", each=OTHER_KINDS)
def stanza_kind_alone(f, kind):
    "the only stanza is of a kind for which the reader has no identity"
    number, length = kind
    f.to = [(number, b"\x04" + f.random(length - 1))]


@vector("4")
def stanza_reserved_type_beside_x25519(f):
    "type 0x0005 is reserved and allowed in suite 1; it is skipped"
    f.to = [(0x0005, f.random(1088 + 65 + 48)), ALICE]


@vector("4", each=PEM_KINDS)
def stanza_reserved_type_beside(f, identity):
    "type 0x0005, which is reserved for both kinds as one, is skipped"
    f.to, f.identity = [(0x0005, f.random(1088 + 65 + 48)), identity], [identity]


SUITE_3_KINDS = {"sm2": (SM2, 177), "passphrase_sm3": (PASSPHRASE_SM3, 68)}


@vector("4", "malformed_header", each={f"{k}_suite_{s}": (*SUITE_3_KINDS[k], s) for k in SUITE_3_KINDS for s in (1, 2)})
def stanza_of_suite_3(f, kind):
    "a known type that belongs to suite 3"
    number, length, f.suite_id = kind
    f.to = [(number, f.random(length))]


@vector("4", "malformed_header")
def stanza_of_suite_3_beside_x25519(f):
    "a known type that belongs to suite 3, beside a stanza that would open"
    f.to = [ALICE, (SM2, f.random(177))]


@vector("4", "malformed_header", each=PEM_KINDS)
def stanza_of_suite_3_beside(f, identity):
    "a known type that belongs to suite 3, beside a stanza of another kind that would open"
    f.to, f.identity = [identity, (SM2, b"\x04" + f.random(176))], [identity]


# Section 4: lengths.

BODY_KINDS = {**KINDS, "passphrase": cheap("pass")}


@vector("4", "malformed_header", each={f"{kind}_too_{s}": (kind, s) for kind in BODY_KINDS for s in ("short", "long")})
def stanza_body(f, kind_and_size):
    "a body that is one byte off its type's length"
    kind, size = kind_and_size
    number, body = f.stanza(BODY_KINDS[kind])
    f.to = [(number, body[:-1] if size == "short" else body + b"\0")]
    f.identity, f.passphrase = [PEM_KINDS[kind]] if kind in PEM_KINDS else [ALICE, HYBRID_ALICE, KEY_A], ["pass"]


BODIES_OF_OTHERS = {
    "x25519_as_p256": (P256, ALICE),
    "p256_as_x25519": (X25519, P256_ALICE),
    "ml_kem_768_as_hybrid": (HYBRID, ML_KEM_ALICE),
    "hybrid_as_ml_kem_768": (MLKEM768, HYBRID_ALICE),
}


@vector("4", "malformed_header", each=BODIES_OF_OTHERS)
def stanza_body_of(f, number_and_identity):
    "a whole body of another kind, which has not the length of the stanza's type"
    number, identity = number_and_identity
    f.to, f.identity = [(number, f.stanza(identity)[1])], [ALICE, HYBRID_ALICE, P256_ALICE, ML_KEM_ALICE]


@vector("4", "malformed_header", each={"compressed": "compressed", "without_04": "without the 04 before x and y"})
def stanza_body_p256_share(f, form):
    "the share is {0} and so has too few bytes; the rest fits it"
    ephemeral = f.random(32)
    share = P256Identity(ephemeral).recipient().public
    share = bytes([2 + share[64] % 2]) + share[1:33] if form == "compressed" else share[1:]
    f.to, f.identity = [(P256, p256_body(f, P256_ALICE, ephemeral, share=share))], [P256_ALICE]


@vector("4", "malformed_header")
def stanza_body_wrong_beside_x25519(f):
    "a body of a wrong length, after a stanza that would open"
    f.to = [ALICE, (KEY, bytes(71))]


@vector("4", "malformed_header")
def stanza_body_empty(f):
    "an X25519 stanza with an empty body"
    f.to = [(X25519, b"")]


@vector("4", "malformed_header", each={"one": b"\x77\x77\x00\x01", "far": b"\x77\x77\xff\xff"})
def stanza_body_past_the_area(f, head):
    "an unknown stanza whose body would end past the area, after one that would open"
    f.wrap()
    f.area += head


@vector("4", "malformed_header")
def stanza_body_length_swallows_the_next(f):
    "the first body's length is ff ff, far past the second stanza"
    f.to = [(0x7777, b"x"), ALICE]
    f.wrap()
    f.area = f.area[:2] + b"\xff\xff" + f.area[4:]


@vector("4", "malformed_header", each=[1, 2, 3])
def stanza_area_trailing_bytes(f, count):
    "{0} bytes after the last stanza, too few for another"
    f.wrap()
    f.area += bytes(count)


@vector("4", "malformed_header", each=[1, 2, 3])
def stanza_area_of_bytes(f, count):
    "the whole area is {0} bytes"
    f.area = bytes(count)


@vector("4")
def stanza_count_1024(f):
    "1,024 stanzas, the last of which opens"
    f.to = [(0x7777, b"")] * 1023 + [ALICE]


@vector("4", "malformed_header")
def stanza_count_1025(f):
    "1,025 stanzas, one too many; the first would open"
    f.to = [ALICE] + [(0x7777, b"")] * 1024


# Section 4: X25519.

# The u-coordinates that give the all-zero secret: 0, 1, the two of order 8, and p - 1, p, p + 1.
P = 2**255 - 19
LOW_ORDER = {
    "0": bytes(32),
    "1": (1).to_bytes(32, "little"),
    "order_8_a": bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    "order_8_b": bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
    "p_minus_1": (P - 1).to_bytes(32, "little"),
    "p": P.to_bytes(32, "little"),
    "p_plus_1": (P + 1).to_bytes(32, "little"),
}


@vector("4", "no_matching_identity", each=LOW_ORDER)
def stanza_x25519_low_order_point(f, point):
    "the share has low order and the rest fits the all-zero secret"
    f.to = [(X25519, x25519_body(f, ALICE, share=point, secret=bytes(32)))]


@vector("4")
def stanza_x25519_low_order_point_beside_another(f):
    "a share of low order is only no match; the next stanza opens"
    f.to = [(X25519, x25519_body(f, ALICE, share=bytes(32), secret=bytes(32))), ALICE]


@vector("4")
def stanza_x25519_share_top_bit_set(f):
    "X25519 ignores the share's top bit (RFC 7748, section 5), HPKE takes the share as it stands"
    ephemeral = f.random(32)
    share = x25519.X25519PrivateKey.from_private_bytes(ephemeral).public_key().public_bytes_raw()
    f.to = [(X25519, x25519_body(f, ALICE, ephemeral, share=flip(share, 31, 0x80)))]


@vector("4", "no_matching_identity", each={"share": 0, "ciphertext": 32, "tag": 79})
def stanza_x25519_flipped(f, at):
    "one bit of byte {0} of the body is flipped"
    number, body = f.stanza(ALICE)
    f.to = [(number, flip(body, at))]


@vector("4", "no_matching_identity")
def stanza_x25519_aead_of_the_other_suite(f):
    "suite 1, and HPKE with suite 2's AEAD"
    f.to = [(X25519, x25519_body(f, ALICE, suite=SUITES[2]))]


WRONG_INFO = {"empty": b"", "without_prefix": b"sealstone/v1 file key", "message": b"sealstone/v1 message"}


@vector("4", "no_matching_identity", each=WRONG_INFO)
def stanza_x25519_info(f, info):
    "HPKE's info is not the file key's with the prefix"
    f.to = [(X25519, x25519_body(f, ALICE, info=info))]


@vector("4", "header_not_authentic", each=KINDS)
def stanza_moved_from_another_file(f, identity):
    "a stanza from another file with the same prefix opens, and its file key is not this file's"
    f.to, f.identity = [of_another_file(identity)], [identity]


@vector("4", "no_matching_identity", each=KINDS)
def stanza_moved_from_another_suite(f, identity):
    "a stanza for this very file key, made for suite 2"
    f.suite_id = 2
    made = f.stanza(identity)
    f.suite_id, f.to, f.identity = 1, [made], [identity]


@vector("4", "no_matching_identity", each=KINDS)
def stanza_moved_from_file_with_context(f, identity):
    "a stanza for this very file key, made for a file that is bound to a context"
    f.flags = CONTEXT_BOUND
    made = f.stanza(identity)
    f.flags, f.to, f.identity = None, [made], [identity]


# Section 4: P-256.


class Curve:
    """y^2 = x^3 - 3x + b."""

    def __init__(self, field, b, order):
        self.field, self.b, self.order = field, b, order

    def y_squared(self, x):
        return (x**3 - 3 * x + self.b) % self.field

    def root(self, square):
        y = pow(square, (self.field + 1) // 4, self.field)
        assert y * y % self.field == square
        return y

    def add(self, a, b, twist):
        if a is None or b is None:
            return a or b
        if a[0] == b[0] and (a[1] + b[1]) % self.field == 0:
            return None
        if a == b:
            slope = (3 * a[0] ** 2 - 3) * pow(2 * twist * a[1], -1, self.field)
        else:
            slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, self.field)
        x = (twist * slope**2 - a[0] - b[0]) % self.field
        return x, (slope * (a[0] - x) - a[1]) % self.field

    def multiply(self, scalar, point, twist=1):
        """A multiple of a point, None for infinity. The formulas never ask whether the point is on the curve, and
        reduce its coordinates. With `twist` -1 the curve is -y^2 = x^3 - 3x + b, whose points have the x that this has
        not."""
        total, point = None, tuple(coordinate % self.field for coordinate in point)
        while scalar:
            total = self.add(total, point, twist) if scalar & 1 else total
            point, scalar = self.add(point, point, twist), scalar >> 1
        return total


P_256 = Curve(
    2**256 - 2**224 + 2**192 + 2**96 - 1,
    0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
)


def encoded(x, y):
    return b"\x04" + x.to_bytes(32, "big") + y.to_bytes(32, "big")


def p256_body_of_point(f, to, point, twist=1):
    """A stanza with this point as its share. The rest fits the secret that a reader without any check comes to."""
    secret = P_256.multiply(int.from_bytes(to.secret, "big"), point, twist)
    secret = (secret or (0, 0))[0].to_bytes(32, "big")
    return p256_body(f, to, share=encoded(*point), secret=secret)


X_ZERO, X_5 = (0, P_256.root(P_256.b)), (5, P_256.root(P_256.y_squared(5)))
Y_5 = (0xD7325D7646CD60D80A92738CEB345F844CFFAF35841022CAB176F692DE8DE1D7, 5)
assert P_256.y_squared(Y_5[0]) == 25
# The point whose product with the secret has x = 0.
SECRET_ZERO = P_256.multiply(pow(int.from_bytes(P256_ALICE.secret, "big"), -1, P_256.order), X_ZERO)


@vector("4", "no_matching_identity", each={"first_byte": 0, "x": 32, "y": 64, "ciphertext": 65, "tag": 112})
def stanza_p256_flipped(f, at):
    "one bit of byte {0} of the body is flipped"
    number, body = f.stanza(P256_ALICE)
    f.to, f.identity = [(number, flip(body, at))], [P256_ALICE]


OFF_THE_CURVE = {
    "y_plus_1": ((X_5[0], X_5[1] + 1), 1),
    "swapped": (X_5[::-1], 1),
    "order_2": ((5, 0), 1),
    "twist": ((1, P_256.root(-P_256.y_squared(1) % P_256.field)), -1),
    "all_ff": ((2**256 - 1, 2**256 - 1), 1),
}


@vector("4", "no_matching_identity", each=OFF_THE_CURVE)
def stanza_p256_off_the_curve(f, point_and_twist):
    "the share is not on the curve; the rest fits what multiplication without that check gives"
    f.to, f.identity = [(P256, p256_body_of_point(f, P256_ALICE, *point_and_twist))], [P256_ALICE]


@vector("4")
def stanza_p256_off_the_curve_beside_another(f):
    "a share that is not on the curve is only no match; the next stanza opens"
    bad = P256, p256_body_of_point(f, P256_ALICE, *OFF_THE_CURVE["y_plus_1"])
    f.to, f.identity = [bad, P256_ALICE], [P256_ALICE]


REDUCIBLE = {
    "x_is_p": (P_256.field, X_ZERO[1]),
    "x_is_p_plus_5": (P_256.field + 5, X_5[1]),
    "y_is_p_plus_5": (Y_5[0], P_256.field + 5),
}


@vector("4", "no_matching_identity", each=REDUCIBLE)
def stanza_p256_coordinate(f, point):
    "a coordinate of the share is not below the field's prime; the rest fits the point that it reduces to"
    f.to, f.identity = [(P256, p256_body_of_point(f, P256_ALICE, point))], [P256_ALICE]


INFINITY = {
    "all_zero": bytes(65),
    "04_and_zeros": b"\x04" + bytes(64),
    "00_and_a_point": b"\x00" + encoded(*X_5)[1:],
}


@vector("4", "no_matching_identity", each=INFINITY)
def stanza_p256_infinity(f, share):
    "the share may be read as the point at infinity; the rest fits the all-zero secret"
    f.to, f.identity = [(P256, p256_body(f, P256_ALICE, share=share, secret=bytes(32)))], [P256_ALICE]


@vector("4", "no_matching_identity", each={f"{first:02x}": first for first in (0, 1, 2, 3, 5, 6, 7, 0x84, 0xFF)})
def stanza_p256_first_byte(f, first):
    "the share begins with {0:02x} instead of 04; x and y are right, y is as odd as that byte, and the rest fits"
    ephemeral = f.random(32)
    while (P256Identity(ephemeral).recipient().public[64] ^ first) & 1:
        ephemeral = f.random(32)
    share = bytes([first]) + P256Identity(ephemeral).recipient().public[1:]
    f.to, f.identity = [(P256, p256_body(f, P256_ALICE, ephemeral, share=share))], [P256_ALICE]


@vector("4", "no_matching_identity")
def stanza_p256_y_negated(f):
    "the share's y is negated: a point of the curve with the same secret, and HPKE takes the share as it stands"
    number, body = f.stanza(P256_ALICE)
    share = body[:33] + (P_256.field - int.from_bytes(body[33:65], "big")).to_bytes(32, "big")
    f.to, f.identity = [(number, share + body[65:])], [P256_ALICE]


@vector("4", "no_matching_identity")
def stanza_p256_share_of_another(f):
    "the share is from another stanza for the same recipient"
    number, body = f.stanza(P256_ALICE)
    _, other = f.stanza(P256_ALICE)
    f.to, f.identity = [(number, other[:65] + body[65:])], [P256_ALICE]


@vector("4", each={"x_is_0": X_ZERO, "y_is_5": Y_5, "secret_is_0": SECRET_ZERO})
def stanza_p256_share(f, point):
    "a share at the border of the curve's points; only X25519 refuses the all-zero secret"
    f.to, f.identity = [(P256, p256_body_of_point(f, P256_ALICE, point))], [P256_ALICE]


@vector("4", each={"x": 1, "y": 33})
def stanza_p256_share_with_leading_zero(f, at):
    "a coordinate of the share has fewer than 32 bytes of its own"
    ephemeral = f.random(32)
    while P256Identity(ephemeral).recipient().public[at]:
        ephemeral = f.random(32)
    f.to, f.identity = [(P256, p256_body(f, P256_ALICE, ephemeral))], [P256_ALICE]


@vector("4")
def stanza_p256_secret_with_leading_zero(f):
    "the secret, an x-coordinate, has fewer than 32 bytes of its own"
    public, ephemeral = P256_ALICE.recipient().public_key(), f.random(32)
    while P256Identity(ephemeral).private_key().exchange(ec.ECDH(), public)[0]:
        ephemeral = f.random(32)
    f.to, f.identity = [(P256, p256_body(f, P256_ALICE, ephemeral))], [P256_ALICE]


@vector("4", "no_matching_identity")
def stanza_p256_aead_of_the_other_suite(f):
    "suite 1, and HPKE with suite 2's AEAD"
    f.to, f.identity = [(P256, p256_body(f, P256_ALICE, suite=SUITES[2]))], [P256_ALICE]


@vector("4", "no_matching_identity", each=WRONG_INFO)
def stanza_p256_info(f, info):
    "HPKE's info is not the file key's with the prefix"
    f.to, f.identity = [(P256, p256_body(f, P256_ALICE, info=info))], [P256_ALICE]


# Section 4: ML-KEM-768.


@vector("4", "no_matching_identity", each={"enc": 0, "end_of_enc": 1087, "ciphertext": 1088, "tag": 1135})
def stanza_ml_kem_768_flipped(f, at):
    "one bit of byte {0} of the body is flipped; a damaged enc decapsulates to another secret"
    number, body = f.stanza(ML_KEM_ALICE)
    f.to, f.identity = [(number, flip(body, at))], [ML_KEM_ALICE]


@vector("4", "no_matching_identity", each={"stanza": ML_KEM_ALICE, "identity": ML_KEM_BOB})
def stanza_ml_kem_768_enc_of_another(f, other):
    "enc is from a stanza that is another's, of the same recipient or not"
    number, body = f.stanza(ML_KEM_ALICE)
    f.to, f.identity = [(number, f.stanza(other)[1][:1088] + body[1088:])], [ML_KEM_ALICE]


@vector("4", "no_matching_identity", each={"ff": b"\xff", "00": b"\x00"})
def stanza_ml_kem_768_enc_all(f, byte):
    "every ciphertext of the right length decapsulates, this one to a secret that nobody knows"
    f.to, f.identity = [(MLKEM768, byte * 1088 + f.random(48))], [ML_KEM_ALICE]


@vector("4")
def stanza_ml_kem_768_rejection_secret(f):
    "enc is random and the rest fits the secret of implicit rejection, SHAKE256(z || enc), so the stanza opens"
    enc = f.random(1088)
    secret = hashlib.shake_256(ML_KEM_ALICE.seed[32:] + enc).digest(32)
    f.to, f.identity = [(MLKEM768, ml_kem_768_body(f, ML_KEM_ALICE, enc, secret))], [ML_KEM_ALICE]


@vector("4", "no_matching_identity")
def stanza_ml_kem_768_half_of_hybrid(f):
    "an ML-KEM-768 stanza for the ML-KEM half of a hybrid key; halves never serve another stanza type"
    half = MlKem768Identity(hashlib.shake_256(HYBRID_ALICE.seed).digest(96)[:64])
    f.to, f.identity = [half], [HYBRID_ALICE]


@vector("4", "no_matching_identity")
def stanza_ml_kem_768_aead_of_the_other_suite(f):
    "suite 1, and HPKE with suite 2's AEAD"
    f.to, f.identity = [(MLKEM768, ml_kem_768_body(f, ML_KEM_ALICE, suite=SUITES[2]))], [ML_KEM_ALICE]


@vector("4", "no_matching_identity", each=WRONG_INFO)
def stanza_ml_kem_768_info(f, info):
    "HPKE's info is not the file key's with the prefix"
    f.to, f.identity = [(MLKEM768, ml_kem_768_body(f, ML_KEM_ALICE, info=info))], [ML_KEM_ALICE]


# Section 4: hybrid.


@vector("4", "no_matching_identity", each={"ml_kem": 0, "x25519": 1088, "ciphertext": 1120, "tag": 1167})
def stanza_hybrid_flipped(f, at):
    "one bit of byte {0} of the body is flipped"
    number, body = f.stanza(HYBRID_ALICE)
    f.to, f.identity = [(number, flip(body, at))], [HYBRID_ALICE]


@vector("4", "no_matching_identity")
def stanza_hybrid_low_order_point(f):
    "the X25519 half has low order and the rest fits its all-zero secret"
    f.to, f.identity = [(HYBRID, hybrid_body_of_low_order(f, HYBRID_ALICE))], [HYBRID_ALICE]


@vector("4", "no_matching_identity", each={"ml_kem": slice(0, 1088), "x25519": slice(1088, 1120)})
def stanza_hybrid_half_of_another(f, half):
    "one half is from another stanza for the same recipient"
    number, body = f.stanza(HYBRID_ALICE)
    _, other = f.stanza(HYBRID_ALICE)
    f.to, f.identity = [(number, body[: half.start] + other[half] + body[half.stop :])], [HYBRID_ALICE]


@vector("4", "no_matching_identity")
def stanza_hybrid_ciphertext_all_ff(f):
    "every ML-KEM ciphertext of the right length decapsulates, this one to a secret that nobody knows"
    f.to, f.identity = [(HYBRID, b"\xff" * 1088 + f.random(80))], [HYBRID_ALICE]


@vector("4", "no_matching_identity")
def stanza_hybrid_x25519_half_alone(f):
    "an X25519 stanza for the X25519 half of a hybrid key; halves never serve another stanza type"
    half = X25519Identity(hashlib.shake_256(HYBRID_ALICE.seed).digest(96)[64:])
    f.to, f.identity = [half], [HYBRID_ALICE]


# Section 4: symmetric keys.


@vector("4", "no_matching_identity", each={"id": 0, "salt": 8, "file_key": 24, "tag": 71})
def stanza_key_flipped(f, at):
    "one bit of byte {0} of the body is flipped"
    number, body = f.stanza(KEY_A)
    f.to, f.identity = [(number, flip(body, at))], [KEY_A]


@vector("4", "no_matching_identity")
def stanza_key_id_of_another(f):
    "the key id is another key's, and the wrap fits it and this key; a key whose id differs is not tried"
    head = KEY_B.id(f.suite) + f.random(16)
    f.to, f.identity = [(KEY, wrap(f.suite, KEY_A.key, f.prefix, KEY, head, f.file_key))], [KEY_A]


@vector("4", "no_matching_identity")
def stanza_key_wrap_without_head(f):
    "the wrap's info leaves out the key id and salt"
    head = KEY_A.id(f.suite) + f.random(16)
    body = head + wrap(f.suite, KEY_A.key, f.prefix, KEY, b"", f.file_key)
    f.to, f.identity = [(KEY, body)], [KEY_A]


@vector("4")
def stanza_key_and_its_namesake(f):
    "a stanza with the key's id that does not open stands before one that does"
    f.to, f.identity = [(KEY, KEY_A.id(f.suite) + f.random(64)), KEY_A], [KEY_A]


# Section 4: passphrases.


def for_passphrase(f, recipient, given=None):
    f.to, f.identity, f.passphrase = [recipient], [], [recipient.text] if given is None else given


@vector("4", each=[1, 2])
def passphrase_suite(f, suite):
    "a passphrase in suite {0}"
    f.suite_id = suite
    for_passphrase(f, cheap("correct horse battery staple"))


@vector("4")
def passphrase_writers_cost(f):
    "the costs every writer uses: 64 MiB, 3, 1"
    for_passphrase(f, Passphrase("correct horse battery staple"))


COSTS = {"m_8": (8, 1, 1), "p_16": (128, 1, 16), "t_16": (64, 16, 1), "m_1024_p_3": (1024, 1, 3)}


@vector("4", each=COSTS)
def passphrase_cost(f, cost):
    "m in KiB, t and p are {0}"
    for_passphrase(f, cheap("pass", *cost))


@vector("4", "no_matching_identity")
def passphrase_wrong(f):
    "another passphrase"
    for_passphrase(f, cheap("pass"), ["Pass"])


@vector("4")
def passphrase_second_of_two(f):
    "the reader has two passphrases and the second is right"
    for_passphrase(f, cheap("pass"), ["wrong", "pass"])


@vector("4", "no_matching_identity")
def passphrase_not_given(f):
    "the reader has an identity and no passphrase"
    for_passphrase(f, cheap("pass"), [])
    f.identity = [ALICE]


@vector("4")
def passphrase_beside_identities_of_the_reader(f):
    "the reader has identities too, which do not matter"
    for_passphrase(f, cheap("pass"))
    f.identity = [ALICE, HYBRID_ALICE, KEY_A]


@vector("4", "no_matching_identity")
def passphrase_for_a_file_without(f):
    "the reader has a passphrase, and the file is for an X25519 recipient"
    f.identity, f.passphrase = [], ["pass"]


@vector("4")
def passphrase_nfc(f):
    "the reader types the passphrase in NFD; the file is made with its NFC"
    for_passphrase(f, cheap("fenêtre Ångström 각"), [unicodedata.normalize("NFD", "fenêtre Ångström 각")])


@vector("4")
def passphrase_nfc_not_nfkc(f):
    "compatibility characters stay as they are: a ligature and full-width letters"
    for_passphrase(f, cheap("ﬁle ＡＢＣ"))


@vector("4", "no_matching_identity")
def passphrase_nfc_not_nfkc_given_plain(f):
    "the file's passphrase has a ligature, the reader's has its two letters"
    for_passphrase(f, cheap("ﬁle"), ["file"])


@vector("4", "no_matching_identity")
def passphrase_without_nfc(f):
    "the file is made with the passphrase in NFD, which no reader can use"
    text = unicodedata.normalize("NFD", "fenêtre")
    head = b"\x13" + (64).to_bytes(4, "big") + (1).to_bytes(4, "big") + b"\x01" + f.random(16)
    root = Argon2id(salt=head[10:], length=32, iterations=1, lanes=1, memory_cost=64).derive(text.encode())
    for_passphrase(f, cheap(text))
    f.to = [(PASSPHRASE, wrap(f.suite, root, f.prefix, PASSPHRASE, head, f.file_key))]


@vector("4")
def passphrase_1024_bytes(f):
    "a passphrase of the greatest length"
    for_passphrase(f, cheap("0123456789abcdef" * 64))


@vector("4", "no_matching_identity", each={"salt": 10, "file_key": 26, "tag": 73, "m_kib": 3})
def passphrase_flipped(f, at):
    "one bit of byte {0} of the body is flipped"
    for_passphrase(f, cheap("pass"))
    number, body = f.stanza(cheap("pass"))
    f.to = [(number, flip(body, at))]


@vector("4", "no_matching_identity", each={"mac_flipped": 0, "last_byte_of_mac_flipped": 31})
def passphrase(f, at):
    "one bit of the header MAC is flipped; after a passphrase stanza this is no match, so that guesses look alike"
    for_passphrase(f, cheap("pass"))
    f.seal()
    f.mac = flip(f.mac, at)


@vector("4", "no_matching_identity")
def passphrase_moved_from_another_file(f):
    "a passphrase stanza from another file opens, and its file key is not this file's"
    for_passphrase(f, cheap("pass"))
    f.to = [of_another_file(cheap("pass"))]


BESIDE = {
    "x25519": ALICE,
    "key": KEY_A,
    "unknown": (0x7777, b""),
    "another": cheap("other"),
    "unknown_0012": (0x0012, b""),
    **PEM_KINDS,
}


@vector("4", "malformed_header", each=BESIDE)
def passphrase_beside(f, other):
    "a passphrase stanza, which would open, is not the only one"
    for_passphrase(f, cheap("pass"))
    f.to += [other]


@vector("4", "malformed_header")
def passphrase_after_x25519(f):
    "a passphrase stanza follows an X25519 stanza that would open"
    f.to = [ALICE, cheap("pass")]


@vector("4", "malformed_header", each=PEM_KINDS)
def passphrase_after(f, identity):
    "a passphrase stanza follows a stanza of another kind that would open"
    f.to, f.identity = [identity, cheap("pass")], [identity]


@vector("4", "malformed_header", each={"0012": 0x0012, "001f": 0x001F})
def passphrase_kind_unknown_beside_x25519(f, number):
    "an unknown type of the passphrase range is not the only stanza"
    f.to = [ALICE, (number, b"something new")]


@vector("4", "no_matching_identity", each={"0012": 0x0012, "001f": 0x001F})
def passphrase_kind_unknown_alone(f, number):
    "an unknown type of the passphrase range alone is only unknown"
    for_passphrase(f, cheap("pass"))
    f.to = [(number, b"something new")]


def passphrase_of_costs(f, m_kib, t, p, version=0x13):
    """A stanza that no KDF was run for: its costs are refused first."""
    head = bytes([version]) + m_kib.to_bytes(4, "big") + t.to_bytes(4, "big") + bytes([p])
    for_passphrase(f, cheap("pass"))
    f.to = [(PASSPHRASE, head + f.random(16 + 48))]


COSTS_TOO_LOW = {"m_0": (0, 1, 1), "t_0": (64, 0, 1), "p_0": (64, 1, 0), "m_under_8p": (31, 1, 4), "m_7": (7, 1, 1)}
COSTS_TOO_HIGH = {
    "m_1048577": (2**20 + 1, 1, 1), "t_17": (64, 17, 1), "p_17": (136, 1, 17), "m_ffffffff": (2**32 - 1, 1, 1),
    "t_ffffffff": (64, 2**32 - 1, 1), "p_255": (2040, 1, 255),
}  # fmt: skip


@vector("4", "malformed_header", each=COSTS_TOO_LOW)
def passphrase_cost_too_low(f, costs):
    "m in KiB, t and p are {0}; t and p are at least 1 and m at least 8p"
    passphrase_of_costs(f, *costs)


@vector("4", "cost_too_high", each=COSTS_TOO_HIGH)
def passphrase_cost_too_high(f, costs):
    "m in KiB, t and p are {0}; at most 1 GiB, 16 and 16"
    passphrase_of_costs(f, *costs)


@vector("4", "malformed_header")
def passphrase_argon2_version(f):
    "the first byte is 0x10, an Argon2 version that is not ours"
    passphrase_of_costs(f, 64, 1, 1, version=0x10)


@vector("8", "no_matching_identity", each={"too_low": (0, 0, 0), "too_high": (2**32 - 1, 2**32 - 1, 255)})
def passphrase_cost_not_tried(f, costs):
    "costs are judged only if a passphrase is to be tried"
    passphrase_of_costs(f, *costs)
    f.passphrase, f.identity = [], [ALICE]


# Section 5: the payload.


@vector(
    "5",
    each={
        f"{n}_suite_{s}": (n, s)
        for s in (1, 2)
        for n in (0, 1, 16383, 16384, 16385, 32768, 40000)
        if s == 1 or n % 16384 == 0
    },
)
def payload_length(f, length_and_suite):
    "a plaintext length around the borders of chunks"
    length, f.suite_id = length_and_suite
    f.plaintext = long(length)


@vector("5", "not_authentic", each={"first_byte": 0, "last_byte": 23})
def payload_salt_flipped(f, at):
    "one bit of the salt is flipped, so the commitment is wrong"
    f.seal()
    f.salt = flip(f.salt, at)


@vector("5", "not_authentic", each={"first_byte": 0, "last_byte": 31})
def payload_commitment_flipped(f, at):
    "one bit of the commitment is flipped, and the chunks are right"
    f.seal()
    f.commitment = flip(f.commitment, at)


@vector("5", "not_authentic")
def payload_commitment_zero(f):
    "the commitment is all zero, and the chunks are right"
    f.seal()
    f.commitment = bytes(32)


@vector("5", "not_authentic", each={"empty": b"", "of_suite_2": make_prefix(2, 0)})
def payload_prefix(f, prefix):
    "the payload is derived with another prefix"
    f.payload_context = prefix


@vector("5", "not_authentic")
def payload_under_file_key(f):
    "the payload is under the file key itself"
    f.commitment = Payload(f.suite, f.file_key, f.salt, f.prefix).commitment
    f.chunks = Payload(f.suite, f.file_key, f.salt, f.prefix).seal_all(f.plaintext)


@vector("5", "not_authentic")
def payload_of_the_other_suite(f):
    "the payload is suite 2's under the right payload key"
    other = Payload(SUITES[2], derive_payload_key(f.suite, f.file_key), f.salt, f.prefix)
    f.commitment, f.chunks = other.commitment, other.seal_all(f.plaintext)


@vector("5", "not_authentic")
def payload_of_another_file(f):
    "the whole payload is from another file for the same recipient"
    other = File("another").seal()
    f.salt, f.commitment, f.chunks = other.salt, other.commitment, other.chunks


@vector("5", "not_authentic", chunk=0, each={"ciphertext": 0, "tag": -1})
def payload_only_chunk_flipped(f, at):
    "one bit of the only chunk is flipped"
    f.seal()
    f.chunks[0] = flip(f.chunks[0], at)


@vector("5", "not_authentic", chunk=0)
def payload_first_chunk_flipped(f):
    "one bit of the first of two chunks is flipped"
    f.plaintext = long(CHUNK + 100)
    f.seal()
    f.chunks[0] = flip(f.chunks[0], 8000, 0x10)


@vector("5", "not_authentic", chunk=1, each={"ciphertext": 0, "tag": -1})
def payload_last_chunk_flipped(f, at):
    "one bit of the second and last chunk is flipped; the first is released"
    f.plaintext = long(CHUNK + 100)
    f.seal()
    f.chunks[1] = flip(f.chunks[1], at)


@vector("5", "not_authentic", chunk=1)
def payload_last_chunk_flipped_suite_2(f):
    "one bit of the second and last chunk is flipped, in suite 2"
    f.suite_id, f.plaintext = 2, long(CHUNK + 100)
    f.seal()
    f.chunks[1] = flip(f.chunks[1], 50)


@vector("5", "not_authentic")
def payload_commitment_flipped_suite_2(f):
    "one bit of the commitment is flipped, and the chunks are right, in suite 2"
    f.suite_id = 2
    f.seal()
    f.commitment = flip(f.commitment, 16)


@vector("5", "not_authentic", chunk=1)
def payload_empty_last_chunk_flipped(f):
    "one bit of an empty last chunk's tag is flipped; the first chunk is released"
    f.plaintext = long(CHUNK)
    f.seal()
    f.chunks[1] = flip(f.chunks[1], 0)


@vector("5", "not_authentic", chunk=1)
def payload_two_chunks_flipped(f):
    "the second and the third chunk are damaged; the lowest is named"
    f.plaintext = long(40000)
    f.seal()
    f.chunks[1:] = [flip(chunk, 5) for chunk in f.chunks[1:]]


@vector("5", "not_authentic", chunk=0)
def payload_first_chunks_swapped(f):
    "the first two of three chunks changed places"
    f.plaintext = long(40000)
    f.seal()
    f.chunks[:2] = f.chunks[1::-1]


@vector("5", "not_authentic", chunk=1)
def payload_chunk_repeated(f):
    "the first chunk stands twice"
    f.plaintext = long(CHUNK + 100)
    f.seal()
    f.chunks.insert(0, f.chunks[0])


@vector("5", "not_authentic", chunk=0)
def payload_first_chunk_dropped(f):
    "the first chunk is missing"
    f.plaintext = long(CHUNK + 100)
    f.seal()
    del f.chunks[0]


@vector("5", "not_authentic", chunk=1)
def payload_middle_chunk_dropped(f):
    "the second of three chunks is missing"
    f.plaintext = long(40000)
    f.seal()
    del f.chunks[1]


@vector("5", "truncated")
def payload_last_chunk_dropped(f):
    "the last chunk is missing, so the payload ends with a full one"
    f.plaintext = long(CHUNK + 100)
    f.seal()
    del f.chunks[1]
    f.released = f.plaintext[:CHUNK]


@vector("5", "truncated")
def payload_last_chunk_empty_missing(f):
    "a plaintext of exactly one chunk, without the empty chunk that must follow"
    f.plaintext = f.released = long(CHUNK)
    f.seal()
    del f.chunks[1]


@vector("5", "not_authentic", chunk=1)
def payload_chunk_of_another_file(f):
    "the second chunk is from another file for the same recipient"
    f.plaintext, other = long(CHUNK + 100), File("another")
    other.plaintext = f.plaintext
    f.seal().chunks[1] = other.seal().chunks[1]


@vector("5", "not_authentic", chunk=1)
def payload_chunk_under_another_salt(f):
    "the second chunk was sealed under the same file key and another salt"
    f.plaintext = long(CHUNK + 100)
    f.seal().chunks[1] = Payload(f.suite, derive_payload_key(f.suite, f.file_key), f.random(24), f.prefix).seal(
        1, f.plaintext[CHUNK:]
    )


@vector("5", "not_authentic", chunk=0)
def payload_short_chunk_before_the_last(f):
    "the first chunk is one byte short and another follows"
    f.plaintext = long(CHUNK + 100)
    f.seal()
    f.chunks = [f.payload().seal(0, f.plaintext[: CHUNK - 1]), f.payload().seal(1, f.plaintext[CHUNK - 1 :])]


@vector(
    "5", "not_authentic", chunk=0, each={"one_byte": b"\n", "sixteen_bytes": bytes(16), "text": b"and some more text"}
)
def payload_trailing(f, trailing):
    "bytes follow a short last chunk, and so become part of it"
    f.seal().chunks.append(trailing)


@vector("5", "not_authentic", chunk=1)
def payload_trailing_byte_after_empty_chunk(f):
    "one byte follows an empty last chunk"
    f.plaintext = long(CHUNK)
    f.seal().chunks.append(b"\0")


@vector("5", "not_authentic", chunk=0)
def payload_trailing_empty_chunk(f):
    "a sealed empty chunk follows the last chunk, which is short"
    f.seal().chunks.append(f.payload().seal(1, b""))


@vector("5", "not_authentic", chunk=0)
def payload_trailing_file(f):
    "two whole files, one after the other"
    return f.bytes() + f.bytes()


@vector("5", "truncated", each=[0, 1, 23, 24, 25, 55, 56, 57, 71])
def payload_cut_at(f, length):
    "only the first {0} bytes of the payload, too few for a salt, a commitment and a tag"
    return f.bytes()[: f.payload_at + length]


@vector("5", "not_authentic", chunk=0, each=[72, 73, 98, 114])
def payload_cut_in_only_chunk_at(f, length):
    "only the first {0} bytes of a payload of 115"
    return f.bytes()[: f.payload_at + length]


@vector("5", "not_authentic", chunk=0, each={"16_bytes": 16, "its_last_byte": SEALED_CHUNK - 1})
def payload_cut_in_first_chunk(f, length):
    "the file ends {0} bytes into the first of two chunks"
    f.plaintext = long(CHUNK + 100)
    return f.bytes()[: f.payload_at + 56 + length]


@vector("5", "truncated", each=[1, 15])
def payload_cut_in_last_chunk_at(f, length):
    "the file ends {0} bytes into the second chunk, too few for a tag"
    f.plaintext = long(CHUNK + 100)
    f.released = f.plaintext[:CHUNK]
    return f.bytes()[: f.payload_at + 56 + SEALED_CHUNK + length]


@vector("5", "not_authentic", chunk=1, each=[16, 100, 115])
def payload_cut_in_last_chunk_of_116_at(f, length):
    "the file ends {0} bytes into the second chunk, which has 116"
    f.plaintext = long(CHUNK + 100)
    return f.bytes()[: f.payload_at + 56 + SEALED_CHUNK + length]


@vector("5")
def payload_nonce_is_xored(f):
    "the base nonce is odd, so adding the chunk's index would give another nonce"
    f.plaintext = long(CHUNK + 100)
    while not f.payload().base_nonce & 1:
        f.salt = f.random(24)


@vector("5", "not_authentic", chunk=1)
def payload_nonce_little_endian(f):
    "the second chunk's index was put into the nonce at the wrong end"
    f.plaintext = long(CHUNK + 100)
    f.seal().chunks[1] = f.payload().seal(1 << 88, f.plaintext[CHUNK:])


@vector("5", "not_authentic", chunk=1)
def payload_nonce_not_counted(f):
    "the second chunk was sealed under the first one's nonce"
    f.plaintext = long(CHUNK + 100)
    f.seal().chunks[1] = f.payload().seal(0, f.plaintext[CHUNK:])


# Section 5: range reads.

RANGES = {
    "first_byte": (0, 1),
    "last_byte": (39999, 40000),
    "last_of_first_chunk": (16383, 16384),
    "first_of_second_chunk": (16384, 16385),
    "one_chunk": (16384, 32768),
    "last_chunk": (32768, 40000),
    "across_a_border": (16383, 16385),
    "across_two_borders": (16000, 33000),
    "whole": (0, 40000),
    "past_the_end_is_short": (39990, 50000),
}


@vector("5", each=RANGES)
def range_read(f, bounds):
    "a range of a plaintext of 40,000 bytes, which is three chunks"
    f.plaintext, f.range = long(40000), bounds


@vector("5")
def range_read_suite_2(f):
    "a range across a border in suite 2"
    f.suite_id, f.plaintext, f.range = 2, long(CHUNK + 100), (CHUNK - 10, CHUNK + 10)


@vector("5")
def range_read_last_byte_before_an_empty_chunk(f):
    "the last byte of a plaintext of exactly one chunk"
    f.plaintext, f.range = long(CHUNK), (CHUNK - 1, CHUNK)


@vector("5")
def range_read_with_context(f):
    "a range of a file that is bound to a context"
    f.bind(b"context")
    f.range = (4, 9)


@vector("5", each={"before": (100, 200), "after": (32768, 32800)})
def range_read_beside_a_damaged_chunk(f, bounds):
    "the second of three chunks is damaged, and the range lies in another"
    f.plaintext, f.range = long(40000), bounds
    f.seal()
    f.chunks[1] = flip(f.chunks[1], 77)


@vector("5", "not_authentic", chunk=1)
def range_read_in_a_damaged_chunk(f):
    "the range lies in the second chunk, which is damaged somewhere else"
    f.plaintext, f.range, f.released = long(CHUNK + 100), (CHUNK + 1, CHUNK + 2), b""
    f.seal()
    f.chunks[1] = flip(f.chunks[1], 77)


@vector("5", "not_authentic", chunk=1)
def range_read_past_the_end_of_a_cut_file(f):
    "the file was cut in its second chunk; a short read would report a false end"
    f.plaintext, f.range, f.released = long(CHUNK + 100), (CHUNK, CHUNK + 100), b""
    return f.bytes()[:-50]


@vector("5", "not_authentic")
def range_read_commitment_flipped(f):
    "the commitment is checked before a range, too"
    f.range = (0, 4)
    f.seal()
    f.commitment = flip(f.commitment, 0)


@vector("3", "header_not_authentic")
def range_read_mac_flipped(f):
    "the header MAC is checked before a range, too"
    f.range = (0, 4)
    f.seal()
    f.mac = flip(f.mac, 0)


# Section 6: context.


@vector("6", each={"one_byte": "x", "1024_bytes": "0123456789abcdef" * 64, "text": "invoices/2031 Ångström: draft"})
def context_given(f, context):
    "the file is bound to a context and the reader gives it"
    f.bind(context.encode())


@vector("6", each=KINDS)
def context_suite_2(f, identity):
    "a context in suite 2"
    f.suite_id, f.to, f.identity = 2, [identity], [identity]
    f.bind(b"context")


@vector("6")
def context_with_passphrase(f):
    "a context beside a passphrase"
    for_passphrase(f, cheap("pass"))
    f.bind(b"context")


@vector("6")
def context_is_not_normalised(f):
    "a context is bytes: this one is NFD and stays so"
    f.bind(unicodedata.normalize("NFD", "fenêtre").encode())


@vector("6", "not_authentic")
def context_normalised_by_the_reader(f):
    "the file's context is NFC, the reader's is NFD"
    f.context, f.given_context = "fenêtre".encode(), unicodedata.normalize("NFD", "fenêtre").encode()


@vector("6", "context_required")
def context_required(f):
    "the file is bound to a context and the reader gives none"
    f.context = b"context"


@vector("6", "context_required")
def context_required_though_empty(f):
    "the flag is set and the payload is derived with an empty context; there is no empty context"
    f.flags = CONTEXT_BOUND


@vector("6", "context_not_bound")
def context_not_bound(f):
    "the reader gives a context and the file has none"
    f.given_context = b"context"


@vector("6", "context_not_bound")
def context_not_bound_though_derived(f):
    "the payload is derived with the context that the reader gives, and the flag is not set"
    f.flags, f.context, f.given_context = 0, b"context", b"context"


@vector("6", "not_authentic", each={"other": b"Context", "shorter": b"contex", "longer": b"contexts"})
def context_wrong(f, given):
    "the reader's context is not the file's; this shows at the commitment"
    f.context, f.given_context = b"context", given


# Section 8: the order of verdicts.


@vector("8", "not_sealstone")
def order_magic_before_version(f):
    "wrong magic and wrong version"
    f.version = 9
    return flip(f.bytes(), 1)


@vector("8", "unsupported_version")
def order_version_before_suite(f):
    "wrong version and wrong suite"
    f.version, f.suite_id = 3, 9


@vector("8", "unsupported_suite")
def order_suite_before_flags(f):
    "wrong suite and a reserved flag"
    f.suite_id, f.flags = 9, 0x0002


@vector("8", "malformed_header")
def order_flags_before_truncation(f):
    "a reserved flag, and the header is not wholly there"
    f.flags = 0x0002
    return f.bytes()[:50]


@vector("8", "malformed_header")
def order_area_length_before_truncation(f):
    "an area of length 0, and the file ends there"
    f.to = []
    return f.bytes()[:16]


@vector("8", "truncated")
def order_truncation_before_stanzas(f):
    "the stanzas are malformed, and the header MAC is not wholly there"
    f.to = [(X25519, b"")]
    return f.bytes()[: f.payload_at - 1]


@vector("8", "malformed_header")
def order_stanzas_before_context(f):
    "the stanzas are malformed, and a context is needed"
    f.to, f.context = [(X25519, b"")], b"context"


@vector("8", "malformed_header")
def order_stanzas_before_identities(f):
    "the first stanza would open, and a later one is malformed"
    f.to = [ALICE, (HYBRID, b"")]


@vector("8", "malformed_header")
def order_only_stanza_before_kdf(f):
    "a passphrase stanza beside another, with costs that must not be run"
    passphrase_of_costs(f, 2**20, 16, 1)
    f.to += [ALICE]
    f.identity = [ALICE]


@vector("8", "malformed_header")
def order_only_stanza_before_costs(f):
    "a passphrase stanza beside another, with costs too high"
    passphrase_of_costs(f, 2**32 - 1, 17, 17)
    f.to += [ALICE]


@vector("8", "context_required")
def order_context_required_before_costs(f):
    "a context is needed, and the costs are too high"
    passphrase_of_costs(f, 2**32 - 1, 17, 17)
    f.context = b"context"


@vector("8", "context_not_bound")
def order_context_not_bound_before_costs(f):
    "a context is not bound, and the costs are malformed"
    passphrase_of_costs(f, 0, 0, 0)
    f.given_context = b"context"


@vector("8", "context_required")
def order_context_required_before_identities(f):
    "a context is needed, and no identity matches"
    f.context, f.identity = b"context", [BOB]


@vector("8", "context_not_bound")
def order_context_not_bound_before_identities(f):
    "a context is not bound, and no identity matches"
    f.given_context, f.identity = b"context", [BOB]


@vector("8", "malformed_header")
def order_malformed_costs_before_high_costs(f):
    "t is 0, which is malformed, and m is over the maximum"
    passphrase_of_costs(f, 2**20 + 1, 0, 1)


@vector("8", "no_matching_identity")
def order_identities_before_mac(f):
    "no identity matches, and the header MAC is wrong"
    f.identity, f.mac = [BOB], bytes(32)


@vector("8", "no_matching_identity")
def order_identities_before_payload(f):
    "no identity matches, and there is no payload"
    f.identity = [BOB]
    return f.bytes()[: f.payload_at]


@vector("8", "header_not_authentic")
def order_mac_before_commitment(f):
    "the header MAC and the commitment are wrong"
    f.mac = bytes(32)
    f.seal().commitment = bytes(32)


@vector("8", "header_not_authentic")
def order_mac_before_payload_length(f):
    "the header MAC is wrong, and there is no payload"
    f.mac = bytes(32)
    return f.bytes()[: f.payload_at]


@vector("8", "header_not_authentic")
def order_mac_before_context(f):
    "the header MAC and the reader's context are wrong"
    f.context, f.given_context, f.mac = b"context", b"Context", bytes(32)


@vector("8", "not_authentic")
def order_commitment_before_payload_length(f):
    "the commitment is wrong, and no chunk follows"
    f.seal()
    f.commitment, f.chunks = bytes(32), []


@vector("8", "not_authentic")
def order_commitment_before_chunks(f):
    "the commitment and the first chunk are wrong, so no chunk is named"
    f.seal()
    f.commitment, f.chunks = bytes(32), [flip(f.chunks[0], 0)]


# Section 8: attempts. A stanza of random bytes is a well-formed one for somebody else.


def for_somebody_else(f):
    return X25519, f.random(80)


@vector("8", "no_matching_identity")
def attempts_4096(f):
    "1,024 stanzas and 4 identities, none of which match"
    f.to, f.identity = [for_somebody_else(f) for _ in range(1024)], [ALICE, BOB, CAROL, DAVE]


@vector("8")
def attempts_4096_and_the_last_matches(f):
    "820 stanzas and 5 identities; the first identity opens the last stanza, at attempt 4,096"
    f.to = [for_somebody_else(f) for _ in range(819)] + [ALICE]
    f.identity = [ALICE, BOB, CAROL, DAVE, ERIN]


@vector("8", "cost_too_high")
def attempts_4097_would_match(f):
    "820 stanzas and 5 identities; the second identity would open the last stanza, at attempt 4,097"
    f.to = [for_somebody_else(f) for _ in range(819)] + [BOB]
    f.identity = [ALICE, BOB, CAROL, DAVE, ERIN]


@vector("8", "cost_too_high")
def attempts_5120(f):
    "1,024 stanzas and 5 identities, none of which match"
    f.to, f.identity = [for_somebody_else(f) for _ in range(1024)], [ALICE, BOB, CAROL, DAVE, ERIN]


@vector("8")
def attempts_other_keys_not_counted(f):
    "1,023 stanzas for other keys are no attempts of 5 keys, because their ids differ"
    f.to = [(KEY, f.random(72)) for _ in range(1023)] + [ALICE]
    f.identity = [Key(seed("key", i)) for i in range(5)] + [ALICE]


@vector("8")
def attempts_other_kinds_not_counted(f):
    "1,023 stanzas for X25519 are no attempts of 5 hybrid identities"
    f.to = [for_somebody_else(f) for _ in range(1023)] + [ALICE]
    f.identity = [HybridIdentity(seed("hybrid", i)) for i in range(5)] + [ALICE]


@vector("8", each={"p256": P256Identity, "ml_kem_768": lambda half: MlKem768Identity(half + half)})
def attempts_kind_not_counted(f, kind):
    "1,023 stanzas for X25519 are no attempts of 5 identities of another kind"
    f.to = [for_somebody_else(f) for _ in range(1023)] + [ALICE]
    f.identity = [kind(seed("another kind", i)) for i in range(5)] + [ALICE]


def p256_off_the_curve(f):
    return P256, b"\x04" + f.random(112)


@vector("8")
def attempts_p256_not_counted(f):
    "1,023 stanzas for P-256 are no attempts of 5 X25519 identities"
    f.to = [p256_off_the_curve(f) for _ in range(1023)] + [P256_ALICE]
    f.identity = [ALICE, BOB, CAROL, DAVE, ERIN, P256_ALICE]


@vector("8")
def attempts_4096_p256(f):
    "820 stanzas and 5 identities; a share that is no point is an attempt, and attempt 4,096 opens the last stanza"
    f.to = [p256_off_the_curve(f) for _ in range(819)] + [P256_ALICE]
    f.identity = [P256_ALICE] + [P256Identity(seed("p256", i)) for i in range(4)]


@vector("8", "cost_too_high")
def attempts_4097_p256(f):
    "820 stanzas and 5 identities; a share that is no point is an attempt, and attempt 4,097 would open the last stanza"
    f.to = [p256_off_the_curve(f) for _ in range(819)] + [P256_ALICE]
    f.identity = [P256_BOB, P256_ALICE] + [P256Identity(seed("p256", i)) for i in range(3)]


# Section 11: armour. The faulty ones hold one short chunk, which no reader takes before it has seen a good END line.


def lines_of(f):
    """The armoured file's lines, without line ends; the body is lines 1 to -2."""
    return armour(f.bytes()).split(b"\n")[:-1]


def joined(lines, end=b"\n"):
    return b"".join(line + end for line in lines)


def sized(f, length):
    """Makes the whole file `length` bytes long."""
    f.plaintext = long(length - 132 - 56 - 16)
    assert len(f.bytes()) == length


@vector("11")
def armour_lf(f):
    "lines end with LF"
    return joined(lines_of(f))


@vector("11")
def armour_crlf(f):
    "lines end with CR LF"
    return joined(lines_of(f), b"\r\n")


@vector("11", each={"lf": b"\n", "crlf": b"\r\n"})
def armour_no_final_newline(f, end):
    "nothing follows the END line"
    return joined(lines_of(f), end).removesuffix(end)


@vector("11")
def armour_mixed_line_ends(f):
    "some lines end with LF and some with CR LF"
    return b"".join(line + (b"\n", b"\r\n")[i % 2] for i, line in enumerate(lines_of(f)))


@vector(
    "11",
    each={
        "4_columns": 240 + 3,
        "4_columns_two_paddings": 240 + 1,
        "64_columns": 240,
        "64_columns_one_padding": 240 - 1,
    },
)
def armour_last_line_of(f, length):
    "the last body line's length at its borders; the file has {0} bytes"
    sized(f, length)
    return joined(lines_of(f))


@vector("11", each={"hybrid": HYBRID_ALICE, "key": KEY_A, **PEM_KINDS})
def armour_of(f, identity):
    "an armoured file for another kind of recipient"
    f.to, f.identity = [identity], [identity]
    return joined(lines_of(f))


@vector("11")
def armour_of_three_chunks(f):
    "an armoured file of three chunks"
    f.plaintext = long(40000)
    return joined(lines_of(f))


@vector("11", "not_sealstone")
def armour_of_text(f):
    "a good armour around something else"
    return armour(TEXT)


@vector("11", "not_sealstone")
def armour_of_armour(f):
    "an armour around an armoured file"
    return armour(armour(f.bytes()))


@vector("1", "truncated")
def armour_of_cut_header(f):
    "a good armour around the beginning of a header"
    return armour(f.bytes()[:100])


@vector("5", "truncated")
def armour_of_cut_payload(f):
    "a good armour around a file that ends within its commitment"
    return armour(f.bytes()[:180])


@vector("5", "not_authentic", chunk=1)
def armour_of_damaged_chunk(f):
    "a good armour around a file whose second chunk is damaged"
    f.plaintext = long(CHUNK + 100)
    f.seal()
    f.chunks[1] = flip(f.chunks[1], 0)
    return armour(f.bytes())


@vector("11", "no_matching_identity")
def armour_no_matching_identity(f):
    "a good armour around a file for somebody else"
    f.identity = [BOB]
    return armour(f.bytes())


NOT_DETECTED = {
    "text_before_begin": lambda text: b"Here it is: " + text,
    "quoted": lambda text: b"> " + text.replace(b"\n", b"\n> "),
    "null_byte_before": lambda text: b"\0\n" + text,
    "magic_before": lambda text: b"\x89\n" + text,
    "begin_line_of_other_files_before": lambda text: b"-----BEGIN SEALSTONE FILES-----\n" + text,
    "begin_line_of_message_before": lambda text: BEGIN_MESSAGE + text,
    "begin_line_of_age_before": lambda text: b"-----BEGIN AGE ENCRYPTED FILE-----\n" + text,
    "magic_of_age_before": lambda text: b"age-encryption.org/v1\n" + text,
    "magic_of_nkct_before": lambda text: b"NKCT\n" + text,
    "magic_of_message_before": lambda text: b"\xa6\n" + text,
    "byte_order_mark_behind_newline": lambda text: b"\n\xef\xbb\xbf" + text,
    "begin_ends_at_65537": lambda text: b" " * (65537 - len(BEGIN)) + text,
    "begin_in_lower_case": lambda text: text.replace(b"BEGIN SEALSTONE FILE", b"begin sealstone file", 1),
    "begin_of_another_tool": lambda text: text.replace(b"SEALSTONE FILE", b"AGE ENCRYPTED FILE"),
    "begin_with_four_dashes": lambda text: text[1:],
    "begin_cut": lambda text: text[: len(BEGIN) - 1],
}


@vector("11", "not_sealstone", each=NOT_DETECTED)
def armour_not_detected(f, change):
    "no line begins with the BEGIN line's text, or one that begins other sealed data comes first, so it is no armour"
    return change(joined(lines_of(f)))


def with_lines(change):
    """A fault that is made in the list of lines."""

    def make(text):
        lines = text.split(b"\n")[:-1]
        return joined(change(lines) or lines)

    return make


def set_line(at, change):
    def make(lines):
        lines[at] = change(lines[at])

    return with_lines(make)


def wrapped_at(columns):
    def make(lines):
        body = b"".join(lines[1:-1])
        return [BEGIN, *(body[at : at + columns] for at in range(0, len(body), columns)), END]

    return with_lines(make)


BEGIN_MESSAGE = b"-----BEGIN SEALSTONE MESSAGE-----\n"
TAKEN = {
    "leading_space": lambda text: b" " + text,
    "leading_blank_line": lambda text: b"\n" + text,
    "leading_text": lambda text: b"Here it is:\n" + text,
    "mail_around": lambda text: b"From: Alice\r\n\r\n" + text.replace(b"\n", b"  \r\n") + b"\r\n-- \r\nAlice\r\n",
    "byte_order_mark": lambda text: b"\xef\xbb\xbf" + text,
    "byte_order_mark_and_text": lambda text: b"\xef\xbb\xbfHere it is:\n" + text,
    "begin_ends_at_65536": lambda text: b" " * (65536 - len(BEGIN)) + text,
    "trailing_long_line": lambda text: text + b"x" * 2000,
    "begin_trailing_space": set_line(0, lambda line: line + b" "),
    "blank_line_after_begin": with_lines(lambda lines: lines[:1] + [b""] + lines[1:]),
    "blank_line_in_body": with_lines(lambda lines: lines[:2] + [b""] + lines[2:]),
    "blank_line_before_end": with_lines(lambda lines: lines[:-1] + [b"", END]),
    "end_leading_space": set_line(-1, lambda line: b" " + line),
    "end_trailing_space": set_line(-1, lambda line: line + b" "),
    "trailing_blank_line": lambda text: text + b"\n",
    "trailing_text": lambda text: text + b"and so on\n",
    "trailing_space_after_last_newline": lambda text: text + b" ",
    "trailing_cr_without_lf": lambda text: text[:-1] + b"\r",
    "trailing_null_byte": lambda text: text + b"\0",
    "wrapped_at_60_columns": wrapped_at(60),
    "wrapped_at_68_columns": wrapped_at(68),
    "wrapped_at_76_columns": wrapped_at(76),
    "short_line_before_the_last": with_lines(lambda lines: [*lines[:-2], lines[-2][:4], lines[-2][4:], END]),
    "padding_line_alone": with_lines(lambda lines: [*lines[:-2], lines[-2].rstrip(b"="), b"==", END]),
    "space_before_body_line": set_line(2, lambda line: b" " + line),
    "space_after_body_line": set_line(2, lambda line: line + b" "),
    "tab_after_body_line": set_line(2, lambda line: line + b"\t"),
    "two_cr_before_lf": set_line(2, lambda line: line + b"\r\r"),
    "wrapped_at_1_column": wrapped_at(1),
    "wrapped_at_61_columns": wrapped_at(61),
}


@vector("11", each=TAKEN)
def armour_with(f, change):
    "what mail, editors and people do to the text"
    sized(f, 240 + 25)
    return change(joined(lines_of(f)))


FAULTS = {
    "begin_alone": lambda text: BEGIN,
    "begin_and_newline_alone": lambda text: BEGIN + b"\n",
    "begin_longer": set_line(0, lambda line: line + b"-"),
    "begin_ends_with_cr": lambda text: text.replace(b"\n", b"\r", 1),
    "header_line": with_lines(lambda lines: lines[:1] + [b"Version: 1", b""] + lines[1:]),
    "no_body": with_lines(lambda lines: [BEGIN, END]),
    "end_missing": with_lines(lambda lines: lines[:-1]),
    "end_missing_no_newline": lambda text: text[: text.index(END) - 1],
    "end_cut": lambda text: text[:-2],
    "end_in_lower_case": set_line(-1, lambda line: line.lower()),
    "end_of_another_tool": set_line(-1, lambda line: b"-----END AGE ENCRYPTED FILE-----"),
    "end_behind_body": lambda text: text.replace(b"\n" + END, END),
    "cut_in_body": lambda text: text[:120],
    "cut_between_lines": with_lines(lambda lines: lines[:2]),
    "twice": lambda text: text + text,
    "begin_line_behind_text": lambda text: text + b"and again:\n " + BEGIN,
    "begin_line_of_other_files_behind": lambda text: text + b"-----BEGIN SEALSTONE FILES-----\n",
    "begin_line_of_message_behind": lambda text: text + BEGIN_MESSAGE,
    "magic_of_age_behind": lambda text: text + b"age-encryption.org/v1\n",
    "wrapped_at_77_columns": wrapped_at(77),
    "quoted_printable": lambda text: text.replace(b"=", b"=3D"),
    "quoted_behind_begin": lambda text: text.replace(b"\n", b"\n> "),
    "utf16_with_mark": lambda text: text.decode().encode("utf-16"),
    "utf16_big_endian": lambda text: text.decode().encode("utf-16-be"),
    "one_long_line": with_lines(lambda lines: [BEGIN, b"".join(lines[1:-1]), END]),
    "last_line_too_long": with_lines(lambda lines: [*lines[:-3], lines[-3] + lines[-2], END]),
    "padding_missing": set_line(-2, lambda line: line.rstrip(b"=")),
    "padding_too_long": set_line(-2, lambda line: line + b"===="),
    "padding_in_the_middle": set_line(1, lambda line: line[:62] + b"=="),
    "bits_after_the_last_byte": set_line(-2, lambda line: line[:-3] + bytes([line[-3] + 1]) + b"=="),
    "url_alphabet": lambda text: text.replace(b"+", b"-").replace(b"/", b"_"),
    "character_outside": set_line(2, lambda line: line[:10] + b"*" + line[11:]),
    "character_not_ascii": set_line(2, lambda line: line[:10] + b"\xc3" + line[11:]),
    "null_byte_in_body": set_line(2, lambda line: line[:10] + b"\0" + line[11:]),
    "space_in_body": set_line(2, lambda line: line[:10] + b" " + line[10:]),
    "cr_in_body": set_line(2, lambda line: line[:10] + b"\r" + line[10:]),
    "line_ends_with_cr_alone": lambda text: text.replace(b"\n", b"\r").replace(b"\r", b"\n", 1),
}


@vector("11", "malformed_armour", each=FAULTS)
def armour_fault(f, change):
    "the name says what is wrong with the armour; the file in it is right"
    sized(f, 240 + 25)
    return change(joined(lines_of(f)))


# Suite 3: SM4-GCM, SM3, sm2 and passphrase-sm3. The sections are those of the rules above.

KINDS_3 = {"sm2": SM2_ALICE, "key": KEY_A}


def suite_3(f, *to, identity=None):
    """A file of suite 3, read by its last recipient unless another identity is named."""
    f.suite_id, f.to = 3, list(to) or [SM2_ALICE]
    f.identity = [f.to[-1]] if identity is None else identity


def passphrase_3(f, to, given=None):
    suite_3(f, to, identity=[])
    f.passphrase = [to.text] if given is None else given


def cheap_3(text, iterations=10):
    return PassphraseSm3(text, iterations)


def sm2_body(f, to, k=None, c1=None, secret=None, r=None, mask=None, c3=None, root=None, order=None, info=None):
    """An SM2 stanza's body. The encryption is spelled out here, so that a scenario can take any part of it wrong:
    `secret` is the point that both sides come to, and `order` puts the parts together."""
    k, r = k or int.from_bytes(f.random(32), "big"), r or f.random(32)
    assert 0 < k < SM2_CURVE.order
    c1 = c1 or sm2_encode(SM2_CURVE.multiply(k, SM2_G))
    x2, y2 = sm2_halves(secret or SM2_CURVE.multiply(k, sm2_decode(to.recipient().public)))
    mask = mask(x2, y2) if mask else sm3(x2 + y2 + b"\0\0\0\1")
    c2 = bytes(a ^ b for a, b in zip(r, mask))
    c3 = c3(x2, r, y2) if c3 else sm3(x2 + r + y2)
    head = order(c1, c3, c2) if order else c1 + c3 + c2
    root = root(x2, r, c2) if root else r
    return info(root, head) if info else wrap(f.suite, root, f.prefix, SM2, head, f.file_key)


def sm2_body_of_point(f, to, point):
    """A stanza with this point as C1. The rest fits the point that a reader without any check comes to."""
    secret = SM2_CURVE.multiply(to.scalar(), point) or (0, 0)
    return sm2_body(f, to, c1=encoded(*point), secret=secret)


SM2_CURVE = Curve(SM2_P, SM2_B, SM2_N)
SM2_X_ZERO, SM2_X_1 = (0, SM2_CURVE.root(SM2_B)), (1, SM2_CURVE.root(SM2_CURVE.y_squared(1)))
SM2_Y_1 = (0x9C17043EFFE1A805A74A9A5E70B9D659705D3242094A566DC016F49311178D1F, 1)
assert SM2_CURVE.y_squared(SM2_Y_1[0]) == 1
SM2_ALICE_SCALAR, SM2_ALICE_POINT = SM2_ALICE.scalar(), sm2_decode(SM2_ALICE.recipient().public)


def sm2_shared_before(point):
    """The C1 with which SM2_ALICE comes to this point."""
    return SM2_CURVE.multiply(pow(SM2_ALICE_SCALAR, -1, SM2_N), point)


# Suite 3, sections 1 to 3.


@vector("4", "no_matching_identity", each={"1": 2, "2": 1})
def header_suite_3_changed_key(f, bits):
    "suite 3 became another in a file for a symmetric key; prefix and key id are others'"
    suite_3(f, KEY_A)
    return flip(f.bytes(), 9, bits)


@vector("4", "malformed_header", each={"1": 2, "2": 1})
def header_suite_3_changed_sm2(f, bits):
    "suite 3 became another, which does not take sm2"
    suite_3(f)
    return flip(f.bytes(), 9, bits)


@vector("4", "no_matching_identity", each={"1": 1, "2": 2})
def header_suite_changed_to_3_key(f, suite):
    "the suite became 3 in a file for a symmetric key"
    f.suite_id, f.to, f.identity = suite, [KEY_A], [KEY_A]
    return flip(f.bytes(), 9, suite ^ 3)


@vector("4", "malformed_header", each={"x25519": ALICE, "p256": P256_ALICE})
def header_suite_changed_to_3(f, identity):
    "suite 1 became 3, which does not take the stanza"
    f.to, f.identity = [identity], [identity]
    return flip(f.bytes(), 9, 2)


@vector("4", "no_matching_identity", each=KINDS_3)
def header_suite_3_context_flag_set(f, identity):
    "the context flag was set later; stanzas are bound to the prefix"
    suite_3(f, identity)
    f.given_context = b"context"
    return flip(f.bytes(), 11)


@vector("4", "no_matching_identity", each=KINDS_3)
def header_suite_3_context_flag_cleared(f, identity):
    "the context flag was cleared later; stanzas are bound to the prefix"
    suite_3(f, identity)
    f.context = b"context"
    return flip(f.bytes(), 11)


@vector("1", "truncated", each=[10, 16, 100, 196, 197, 228])
def header_suite_3_cut_at(f, length):
    "only the first {0} bytes of a file of suite 3 whose header has 229"
    suite_3(f)
    assert f.payload_at == 229
    return f.bytes()[:length]


@vector("3", "header_not_authentic", each=KINDS_3)
def mac_suite_3_flipped_beside(f, identity):
    "one bit of the header MAC is flipped"
    suite_3(f, identity)
    f.seal()
    f.mac = flip(f.mac, 16)


@vector("3", "header_not_authentic", each={"first_byte": 0, "last_byte": 31})
def mac_suite_3_flipped(f, at):
    "one bit of byte {0} of the header MAC is flipped"
    suite_3(f)
    f.seal()
    f.mac = flip(f.mac, at)


@vector("3", "header_not_authentic")
def mac_suite_3_zero(f):
    "the header MAC is all zero"
    suite_3(f)
    f.mac = bytes(32)


@vector("3", "header_not_authentic")
def mac_suite_3_of_sha_512(f):
    "the header MAC and its key are made with the hash of suites 1 and 2"
    suite_3(f)
    f.wrap()
    f.mac = header_mac(SUITES[1], f.file_key, f.header)


@vector("3", "header_not_authentic")
def mac_suite_3_under_file_key(f):
    "the header MAC is made under the file key itself"
    suite_3(f)
    f.wrap()
    f.mac = f.suite.hmac(f.file_key, f.header)


@vector("3", "header_not_authentic")
def mac_suite_3_other_stanza_changed(f):
    "one bit of another recipient's stanza is flipped after the header MAC was made"
    suite_3(f, SM2_BOB, SM2_ALICE)
    f.seal()
    f.area = flip(f.area, 4 + 176)


@vector("3", "header_not_authentic")
def mac_suite_3_stanza_added(f):
    "a stanza was added after the header MAC was made"
    suite_3(f)
    f.seal()
    f.area += frame(0x7777, b"")


# Suite 3, section 4: stanzas of every kind.


@vector("4", each=KINDS_3)
def stanza_suite_3_opens(f, identity):
    "one recipient, who reads the file"
    suite_3(f, identity)


@vector("4", each=KINDS_3)
def stanza_suite_3_every_kind(f, identity):
    "a recipient of every kind that may stand beside others in suite 3, read by one of them"
    suite_3(f, KEY_A, SM2_ALICE, identity=[identity])


@vector("4")
def stanza_sm2_several_identity_for_the_last(f):
    "three recipients of one kind, read by the last"
    suite_3(f, SM2_BOB, SM2_CAROL, SM2_ALICE)


@vector("4")
def stanza_sm2_several_identity_for_the_first(f):
    "three recipients of one kind, read by the first"
    suite_3(f, SM2_ALICE, SM2_BOB, SM2_CAROL, identity=[SM2_ALICE])


@vector("4")
def stanza_sm2_several_identities_the_second_matches(f):
    "a reader with two identities of the kind, of which the second matches"
    suite_3(f, SM2_ALICE, identity=[SM2_BOB, SM2_ALICE])


@vector("4")
def stanza_sm2_several_identities_of_every_kind(f):
    "a reader with identities of every kind, of which the last matches"
    mixed = [ALICE, HYBRID_ALICE, P256_ALICE, ML_KEM_ALICE, KEY_A, SM2_BOB, SM2_ALICE]
    suite_3(f, SM2_ALICE, identity=mixed)


@vector("4")
def stanza_sm2_duplicate(f):
    "the same recipient twice, which is allowed, beside another"
    suite_3(f, SM2_BOB, SM2_ALICE, SM2_ALICE)


@vector("4")
def stanza_sm2_duplicate_bytes(f):
    "the same stanza twice, byte for byte"
    suite_3(f)
    f.wrap()
    f.area += f.area


@vector("4")
def stanza_suite_3_key_and_its_namesake(f):
    "a stanza with the key's id that does not open stands before one that does"
    suite_3(f, (KEY, KEY_A.id(SUITES[3]) + f.random(64)), KEY_A)


@vector("1")
def stanza_sm2_rewrapped_kept(f):
    "rewrapped: the old stanza as it was, a fresh one for the reader behind it, a new header MAC and the old payload"
    suite_3(f, SM2_BOB, identity=[SM2_ALICE])
    f.seal()
    f.area += frame(*f.stanza(SM2_ALICE))
    f.authenticate()


@vector("1")
def stanza_sm2_rewrapped_new(f):
    "rewrapped: wholly new stanzas, a new header MAC and the old payload"
    suite_3(f, SM2_BOB, identity=[SM2_ALICE])
    f.seal()
    f.to = [KEY_B, SM2_ALICE]
    f.wrap()
    f.authenticate()


@vector("1", "no_matching_identity")
def stanza_sm2_rewrapped_without(f):
    "rewrapped: wholly new stanzas, none of which is for the reader of the old ones"
    suite_3(f, SM2_ALICE)
    f.seal()
    f.to = [KEY_B, SM2_BOB]
    f.wrap()
    f.authenticate()


def of_another_file_3(identity):
    other = File("a file key that is not this file's")
    other.suite_id = 3
    return other.stanza(identity)


@vector("8", "header_not_authentic", each=KINDS_3)
def stanza_suite_3_first_success_decides(f, identity):
    "the first stanza opens and gives a wrong file key; the second, which would be right, is not tried"
    suite_3(f, of_another_file_3(identity), identity)


@vector("8")
def stanza_sm2_file_order_before_identity_order(f):
    "the right stanza comes first, for the caller's second identity; a wrong one for the first identity follows"
    suite_3(f, SM2_ALICE, of_another_file_3(SM2_BOB), identity=[SM2_BOB, SM2_ALICE])


NOT_FOR_SM2 = {
    "another_sm2": SM2_BOB,
    "key": KEY_A,
    "x25519": ALICE,
    "p256_of_the_same_number": P256Identity(SM2_ALICE.secret),
}


@vector("4", "no_matching_identity", each=NOT_FOR_SM2)
def stanza_sm2_not_for(f, identity):
    "a file for one SM2 recipient, read by somebody else"
    suite_3(f, SM2_ALICE, identity=[identity])


NOT_FOR_KEY = {"another_key": KEY_B, "sm2": SM2_ALICE, "sm2_of_the_same_number": Sm2Identity(KEY_A.key)}


@vector("4", "no_matching_identity", each=NOT_FOR_KEY)
def stanza_suite_3_key_not_for(f, identity):
    "a file of suite 3 for one symmetric key, read by somebody else"
    suite_3(f, KEY_A, identity=[identity])


@vector("4", "no_matching_identity")
def stanza_suite_3_reader_without_identities(f):
    "the reader has no identity at all"
    suite_3(f, SM2_ALICE, identity=[])


@vector("4")
def stanza_sm2_unknown_types_beside(f):
    "stanzas of unknown types stand before and after one that opens"
    suite_3(f, (0x0007, b"something new"), SM2_ALICE, (0x7778, b""), identity=[SM2_ALICE])


@vector("4")
def stanza_suite_3_reserved_type_beside(f):
    "type 0x0005 is reserved; it is unknown in every suite, and skipped"
    suite_3(f, (0x0005, f.random(1088 + 65 + 48)), SM2_ALICE)


@vector("4", "no_matching_identity", each={"0005": 0x0005, "7777": 0x7777})
def stanza_suite_3_unknown_type_alone(f, number):
    "the only stanza has an unknown type"
    suite_3(f, (number, b"something new"), identity=[SM2_ALICE])


@vector("4")
def stanza_suite_3_count_1024(f):
    "1,024 stanzas, the last of which opens"
    suite_3(f, *[(0x7777, b"")] * 1023, SM2_ALICE)


@vector("4", "malformed_header")
def stanza_suite_3_count_1025(f):
    "1,025 stanzas, one too many; the first would open"
    suite_3(f, SM2_ALICE, *[(0x7777, b"")] * 1024, identity=[SM2_ALICE])


# Suite 3, section 4: types and lengths. HPKE has no SM4-GCM, so that the stanzas of other suites are wrapped as suite 1
# does; the random enc of ML-KEM fits the secret of implicit rejection.


def ml_kem_768_in_suite_3(f):
    enc = f.random(1088)
    secret = hashlib.shake_256(ML_KEM_ALICE.seed[32:] + enc).digest(32)
    return MLKEM768, ml_kem_768_body(f, ML_KEM_ALICE, enc, secret, suite=SUITES[1])


def hybrid_in_suite_3(f):
    expanded = hashlib.shake_256(HYBRID_ALICE.seed).digest(96)
    enc, share = f.random(1088), x25519.X25519PrivateKey.from_private_bytes(f.random(32))
    x = HYBRID_ALICE.halves()[1]
    halves = hashlib.shake_256(expanded[32:64] + enc).digest(32) + x.exchange(share.public_key())
    shares = share.public_key().public_bytes_raw(), x.public_key().public_bytes_raw()
    shared = hashlib.sha3_256(halves + b"".join(shares) + b"\\.//^\\").digest()
    return HYBRID, hpke_body(f, 0x647A, enc + shares[0], shared, suite=SUITES[1])


OF_SUITE_1 = {
    "x25519": (ALICE, lambda f: (X25519, x25519_body(f, ALICE, suite=SUITES[1]))),
    "p256": (P256_ALICE, lambda f: (P256, p256_body(f, P256_ALICE, suite=SUITES[1]))),
    "ml_kem_768": (ML_KEM_ALICE, ml_kem_768_in_suite_3),
    "hybrid": (HYBRID_ALICE, hybrid_in_suite_3),
}


@vector("4", "malformed_header", each=OF_SUITE_1)
def stanza_suite_3_with(f, identity_and_body):
    "a known type that suite 3 does not take; it would open"
    identity, body = identity_and_body
    f.suite_id = 3
    suite_3(f, body(f), identity=[identity])


@vector("4", "malformed_header", each=OF_SUITE_1)
def stanza_suite_3_beside_sm2(f, identity_and_body):
    "a known type that suite 3 does not take, after a stanza that would open"
    f.suite_id = 3
    suite_3(f, SM2_ALICE, identity_and_body[1](f), identity=[SM2_ALICE])


@vector("4", "malformed_header")
def stanza_suite_3_beside_sm2_passphrase(f):
    "a stanza of the type passphrase after one that would open; suite 3 does not take it, nor may it stand there"
    suite_3(f, SM2_ALICE, cheap("pass"), identity=[SM2_ALICE])


@vector("4", "malformed_header", each=[1, 2])
def stanza_sm2_in_suite(f, suite):
    "suite {0} does not take sm2; the stanza is right in all else, and would open"
    suite_3(f)
    f.suite_id = suite


@vector("4", "malformed_header", each=[1, 2])
def stanza_sm2_beside_key_in_suite(f, suite):
    "suite {0} does not take sm2, after a stanza that would open"
    suite_3(f, KEY_A, SM2_ALICE, identity=[KEY_A])
    f.suite_id = suite


def der_integer(number):
    octets = number if number[0] < 0x80 else b"\0" + number
    return bytes([0x02, len(octets)]) + octets


def sm2_der(c1, c3, c2):
    """GB/T 35276's SM2Cipher. Leading zeros would have to go; there are none here."""
    assert c1[1] and c1[33]
    body = der_integer(c1[1:33]) + der_integer(c1[33:]) + b"\x04\x20" + c3 + b"\x04\x20" + c2
    return b"\x30\x81" + bytes([len(body)]) + body


SM2_LENGTHS = {
    "short": lambda f: sm2_body(f, SM2_ALICE)[:-1],
    "long": lambda f: sm2_body(f, SM2_ALICE) + b"\0",
    "empty": lambda f: b"",
    "compressed": lambda f: sm2_body(
        f, SM2_ALICE, order=lambda c1, c3, c2: bytes([2 + c1[64] % 2]) + c1[1:33] + c3 + c2
    ),
    "without_04": lambda f: sm2_body(f, SM2_ALICE, order=lambda c1, c3, c2: c1[1:] + c3 + c2),
    "infinity": lambda f: sm2_body(f, SM2_ALICE, order=lambda c1, c3, c2: b"\0" + c3 + c2),
    "r_16": lambda f: sm2_body(f, SM2_ALICE, r=f.random(16)),
    "without_c3": lambda f: sm2_body(f, SM2_ALICE, order=lambda c1, c3, c2: c1 + c2),
    "without_wrap": lambda f: sm2_body(f, SM2_ALICE)[:-48],
    "asn1": lambda f: sm2_body(f, SM2_ALICE, order=sm2_der),
}


@vector("4", "malformed_header", each=SM2_LENGTHS)
def stanza_body_sm2(f, make):
    "a body that has not the length of its type, and the rest fits it where it can"
    f.suite_id = 3
    suite_3(f, (SM2, make(f)), identity=[SM2_ALICE])


@vector("4", "malformed_header", each={"short": -1, "long": 1})
def stanza_body_sm2_beside_key(f, by):
    "an SM2 body that is one byte too short or long, after a stanza that would open"
    suite_3(f, KEY_A, (SM2, f.random(177 + by)), identity=[KEY_A])


@vector("4", "malformed_header", each={"short": lambda body: body[:-1], "long": lambda body: body + b"\0"})
def stanza_body_suite_3_key_too(f, change):
    "a body of a symmetric key that is one byte too short or long"
    f.suite_id = 3
    suite_3(f, (KEY, change(f.stanza(KEY_A)[1])), identity=[KEY_A])


# Suite 3, section 4: SM2.


SM2_PARTS = {
    "first_byte": 0, "x": 32, "y": 64, "c3": 65, "end_of_c3": 96, "c2": 97, "end_of_c2": 128, "wrap": 129, "tag": 176,
}  # fmt: skip


@vector("4", "no_matching_identity", each=SM2_PARTS)
def stanza_sm2_flipped(f, at):
    "one bit of byte {0} of the body is flipped"
    f.suite_id = 3
    suite_3(f, (SM2, flip(sm2_body(f, SM2_ALICE), at)), identity=[SM2_ALICE])


def sm2_stanza(f, **parts):
    f.suite_id = 3
    suite_3(f, (SM2, sm2_body(f, SM2_ALICE, **parts)), identity=[SM2_ALICE])


SM2_OFF_THE_CURVE = {
    "y_plus_1": (SM2_X_1[0], SM2_X_1[1] + 1),
    "swapped": SM2_X_1[::-1],
    "order_2": (2, 0),
    "twist": (2, SM2_CURVE.root(-SM2_CURVE.y_squared(2) % SM2_P)),
    "all_ff": (2**256 - 1, 2**256 - 1),
    "point_of_p256": X_5,
}


@vector("4", "no_matching_identity", each=SM2_OFF_THE_CURVE)
def stanza_sm2_off_the_curve(f, point):
    "C1 is not on the curve; the rest fits what multiplication without that check gives"
    f.suite_id = 3
    suite_3(f, (SM2, sm2_body_of_point(f, SM2_ALICE, point)), identity=[SM2_ALICE])


@vector("4", "no_matching_identity")
def stanza_sm2_swapped(f):
    "C1's x and y changed places; the rest fits the point that they were"
    k = int.from_bytes(f.random(32), "big")
    x, y = SM2_CURVE.multiply(k, SM2_G)
    sm2_stanza(f, k=k, c1=encoded(y, x))


@vector("4")
def stanza_sm2_off_the_curve_beside_another(f):
    "a C1 that is not on the curve is only no match; the next stanza opens"
    f.suite_id = 3
    bad = SM2, sm2_body_of_point(f, SM2_ALICE, SM2_OFF_THE_CURVE["y_plus_1"])
    suite_3(f, bad, SM2_ALICE)


SM2_REDUCIBLE = {
    "x_is_p": (SM2_P, SM2_X_ZERO[1]),
    "x_is_p_plus_1": (SM2_P + 1, SM2_X_1[1]),
    "y_is_p_plus_1": (SM2_Y_1[0], SM2_P + 1),
}


@vector("4", "no_matching_identity", each=SM2_REDUCIBLE)
def stanza_sm2_coordinate(f, point):
    "a coordinate of C1 is not below the field's prime; the rest fits the point that it reduces to"
    f.suite_id = 3
    suite_3(f, (SM2, sm2_body_of_point(f, SM2_ALICE, point)), identity=[SM2_ALICE])


SM2_INFINITY = {
    "all_zero": bytes(65),
    "04_and_zeros": b"\x04" + bytes(64),
    "00_and_a_point": b"\x00" + encoded(*SM2_X_1)[1:],
}


@vector("4", "no_matching_identity", each=SM2_INFINITY)
def stanza_sm2_infinity(f, c1):
    "C1 may be read as the point at infinity; the rest fits zero for both coordinates"
    sm2_stanza(f, c1=c1, secret=(0, 0))


@vector("4", "no_matching_identity", each={f"{first:02x}": first for first in (0, 1, 2, 3, 5, 6, 7, 0x84, 0xFF)})
def stanza_sm2_first_byte(f, first):
    "C1 begins with {0:02x} instead of 04; x and y are right, y is as odd as that byte, and the rest fits"
    k = int.from_bytes(f.random(32), "big")
    while (SM2_CURVE.multiply(k, SM2_G)[1] ^ first) & 1:
        k = int.from_bytes(f.random(32), "big")
    sm2_stanza(f, k=k, c1=bytes([first]) + sm2_encode(SM2_CURVE.multiply(k, SM2_G))[1:])


@vector("4", "no_matching_identity")
def stanza_sm2_y_negated(f):
    "C1's y is negated: a point of the curve whose multiple has the same x and another y, which is in KDF and C3"
    k = int.from_bytes(f.random(32), "big")
    x, y = SM2_CURVE.multiply(k, SM2_G)
    sm2_stanza(f, k=k, c1=encoded(x, SM2_P - y))


@vector("4", "no_matching_identity")
def stanza_sm2_c1_of_another(f):
    "C1 is from another stanza for the same recipient"
    sm2_stanza(f, c1=sm2_encode(SM2_CURVE.multiply(int.from_bytes(f.random(32), "big"), SM2_G)))


SM2_C3 = {
    "zero": lambda x2, r, y2: bytes(32),
    "without_y": lambda x2, r, y2: sm3(x2 + r),
    "without_x": lambda x2, r, y2: sm3(r + y2),
    "y_before_x": lambda x2, r, y2: sm3(y2 + r + x2),
    "r_last": lambda x2, r, y2: sm3(x2 + y2 + r),
    "of_sha_256": lambda x2, r, y2: hashlib.sha256(x2 + r + y2).digest(),
    "of_another_r": lambda x2, r, y2: sm3(x2 + flip(r, 0) + y2),
}


@vector("4", "no_matching_identity", each=SM2_C3)
def stanza_sm2_c3(f, c3):
    "C3 is not what it must be; the wrap fits the stanza as it is, and opens for a reader that does not compare C3"
    sm2_stanza(f, c3=c3)


SM2_ORDERS = {"last": lambda c1, c3, c2: c1 + c2 + c3, "first": lambda c1, c3, c2: c3 + c1 + c2}


@vector("4", "no_matching_identity", each=SM2_ORDERS)
def stanza_sm2_c3_stands(f, order):
    "the parts stand in another order, such as C1 C2 C3, which older drafts have; the wrap fits the stanza as it is"
    sm2_stanza(f, order=order)


SM2_MASKS = {
    "counted_from_0": lambda x2, y2: sm3(x2 + y2 + b"\0\0\0\0"),
    "without_counter": lambda x2, y2: sm3(x2 + y2),
    "little_endian": lambda x2, y2: sm3(x2 + y2 + b"\1\0\0\0"),
    "of_x_alone": lambda x2, y2: sm3(x2 + b"\0\0\0\1"),
    "of_sha_256": lambda x2, y2: hashlib.sha256(x2 + y2 + b"\0\0\0\1").digest(),
    "none": lambda x2, y2: bytes(32),
}


@vector("4", "no_matching_identity", each=SM2_MASKS)
def stanza_sm2_kdf(f, mask):
    "C2 is r under another KDF; C3 is right for r"
    sm2_stanza(f, mask=mask)


SM2_ROOTS = {
    "sm3_of_r": lambda x2, r, c2: sm3(r),
    "c2": lambda x2, r, c2: c2,
    "x": lambda x2, r, c2: x2,
    "r_reversed": lambda x2, r, c2: r[::-1],
}


@vector("4", "no_matching_identity", each=SM2_ROOTS)
def stanza_sm2_root(f, root):
    "the wrap's root is not r, and the SM2 encryption of r is right"
    sm2_stanza(f, root=root)


@vector("4", "no_matching_identity")
def stanza_sm2_wrap_without_head(f):
    "the wrap's info leaves out C1, C3 and C2"
    sm2_stanza(f, info=lambda root, head: head + wrap(f.suite, root, f.prefix, SM2, b"", f.file_key))


@vector("4", "no_matching_identity")
def stanza_sm2_wrap_without_prefix(f):
    "the wrap's info leaves out the prefix"
    sm2_stanza(f, info=lambda root, head: wrap(f.suite, root, b"", SM2, head, f.file_key))


@vector("4", "no_matching_identity")
def stanza_sm2_wrap_of_another_type(f):
    "the wrap's info has the type of a symmetric key"
    sm2_stanza(f, info=lambda root, head: wrap(f.suite, root, f.prefix, KEY, head, f.file_key))


@vector("4", "no_matching_identity", each=[1, 2])
def stanza_sm2_wrap_of_suite(f, suite):
    "suite 3's prefix, and the wrap has hash and AEAD of suite {0}"
    sm2_stanza(f, info=lambda root, head: wrap(SUITES[suite], root, f.prefix, SM2, head, f.file_key))


@vector("4", "no_matching_identity")
def stanza_sm2_file_key_encrypted(f):
    "SM2 encrypts the file key itself and the wrap is random; a reader that takes r for the file key opens it"
    sm2_stanza(f, r=f.file_key, info=lambda root, head: head + f.random(48))


SM2_SHARES = {
    "x_is_0": SM2_X_ZERO,
    "x_is_1": SM2_X_1,
    "y_is_1": SM2_Y_1,
    "secret_x_is_0": sm2_shared_before(SM2_X_ZERO),
    "secret_y_is_1": sm2_shared_before(SM2_Y_1),
    "secret_is_g": sm2_shared_before(SM2_G),
    "is_the_recipient": SM2_ALICE_POINT,
    "is_the_recipient_negated": (SM2_ALICE_POINT[0], SM2_P - SM2_ALICE_POINT[1]),
}


@vector("4", each=SM2_SHARES)
def stanza_sm2_c1(f, point):
    "a C1 at the border of the curve's points, or one that nobody draws; no rule refuses it"
    f.suite_id = 3
    suite_3(f, (SM2, sm2_body_of_point(f, SM2_ALICE, point)), identity=[SM2_ALICE])


@vector("4", each={"1": 1, "2": 2, "n_minus_1": SM2_N - 1, "n_minus_2": SM2_N - 2})
def stanza_sm2_k(f, k):
    "k is at the end of its range, so that C1 is G, a small multiple of it or one negated"
    sm2_stanza(f, k=k)


@vector("4", each={"zero": bytes(32), "all_ff": b"\xff" * 32})
def stanza_sm2_r(f, r):
    "r is one that nobody draws; no rule refuses it"
    sm2_stanza(f, r=r)


@vector("4")
def stanza_sm2_c2_zero(f):
    "r is the KDF's output, so that C2 is all zero; only that output may not be"
    k = int.from_bytes(f.random(32), "big")
    x2, y2 = sm2_halves(SM2_CURVE.multiply(k, SM2_ALICE_POINT))
    sm2_stanza(f, k=k, r=sm3(x2 + y2 + b"\0\0\0\1"))


@vector("4", each={"x": 1, "y": 33})
def stanza_sm2_c1_with_leading_zero(f, at):
    "a coordinate of C1 has fewer than 32 bytes of its own"
    k = int.from_bytes(f.random(32), "big")
    while sm2_encode(SM2_CURVE.multiply(k, SM2_G))[at]:
        k = int.from_bytes(f.random(32), "big")
    sm2_stanza(f, k=k)


@vector("4", each={"x": 0, "y": 1})
def stanza_sm2_secret_with_leading_zero(f, half):
    "a coordinate of the common point has fewer than 32 bytes of its own"
    k = int.from_bytes(f.random(32), "big")
    while sm2_halves(SM2_CURVE.multiply(k, SM2_ALICE_POINT))[half][0]:
        k = int.from_bytes(f.random(32), "big")
    sm2_stanza(f, k=k)


@vector("4", each={"1": 1, "n_minus_2": SM2_N - 2})
def stanza_sm2_identity(f, scalar):
    "the private key is at the end of its range; the recipient is G or a point beside its negation"
    suite_3(f, Sm2Identity(scalar.to_bytes(32, "big")))


@vector("4", "header_not_authentic", each=KINDS_3)
def stanza_suite_3_moved_from_another_file(f, identity):
    "a stanza from another file with the same prefix opens, and its file key is not this file's"
    suite_3(f, of_another_file_3(identity), identity=[identity])


@vector("4", "no_matching_identity", each=KINDS_3)
def stanza_suite_3_moved_from_file_with_context(f, identity):
    "a stanza for this very file key, made for a file that is bound to a context"
    f.suite_id, f.flags = 3, CONTEXT_BOUND
    made = f.stanza(identity)
    f.flags = None
    suite_3(f, made, identity=[identity])


@vector("4", "no_matching_identity", each=KINDS_3)
def stanza_suite_3_moved_to_file_with_context(f, identity):
    "a stanza for this very file key, made for a file that is bound to none"
    f.suite_id = 3
    suite_3(f, f.stanza(identity), identity=[identity])
    f.bind(b"context")


@vector("4", "no_matching_identity", each=[1, 2])
def stanza_suite_3_key_moved_from_suite(f, suite):
    "a stanza of the same symmetric key for this very file key, made for suite {0}; its key id is another"
    f.suite_id = suite
    suite_3(f, f.stanza(KEY_A), identity=[KEY_A])


@vector("4", "no_matching_identity")
def stanza_suite_3_key_id_of_suite_1(f):
    "the key id is the one that the key has in suite 1, and the wrap fits it"
    f.suite_id = 3
    head = KEY_A.id(SUITES[1]) + f.random(16)
    suite_3(f, (KEY, wrap(f.suite, KEY_A.key, f.prefix, KEY, head, f.file_key)), identity=[KEY_A])


@vector("4", "no_matching_identity", each={"id": 0, "salt": 8, "file_key": 24, "tag": 71})
def stanza_suite_3_key_flipped(f, at):
    "one bit of byte {0} of the body is flipped"
    f.suite_id = 3
    suite_3(f, (KEY, flip(f.stanza(KEY_A)[1], at)), identity=[KEY_A])


# Suite 3, section 4: passphrases.


@vector("4")
def passphrase_sm3_opens(f):
    "a passphrase in suite 3"
    passphrase_3(f, cheap_3("correct horse battery staple"))


@vector("4")
def passphrase_sm3_writers_cost(f):
    "the cost every writer uses: 1,000,000 iterations"
    passphrase_3(f, PassphraseSm3("correct horse battery staple"))


@vector("4", each=[1, 2, 256, 65536])
def passphrase_sm3_iterations(f, iterations):
    "an iteration count of {0}"
    passphrase_3(f, cheap_3("pass", iterations))


@vector("4", "no_matching_identity")
def passphrase_sm3_wrong(f):
    "another passphrase"
    passphrase_3(f, cheap_3("pass"), ["Pass"])


@vector("4")
def passphrase_sm3_second_of_two(f):
    "the reader has two passphrases and the second is right"
    passphrase_3(f, cheap_3("pass"), ["wrong", "pass"])


@vector("4", "no_matching_identity")
def passphrase_sm3_not_given(f):
    "the reader has an identity and no passphrase"
    passphrase_3(f, cheap_3("pass"), [])
    f.identity = [SM2_ALICE]


@vector("4")
def passphrase_sm3_beside_identities_of_the_reader(f):
    "the reader has identities too, which do not matter"
    passphrase_3(f, cheap_3("pass"))
    f.identity = [SM2_ALICE, KEY_A, ALICE]


@vector("4", "no_matching_identity")
def passphrase_sm3_for_a_file_without(f):
    "the reader has a passphrase, and the file is for an SM2 recipient"
    suite_3(f, SM2_ALICE, identity=[])
    f.passphrase = ["pass"]


@vector("4")
def passphrase_sm3_nfc(f):
    "the reader types the passphrase in NFD; the file is made with its NFC"
    passphrase_3(f, cheap_3("fenêtre Ångström 각"), [unicodedata.normalize("NFD", "fenêtre Ångström 각")])


@vector("4")
def passphrase_sm3_nfc_not_nfkc(f):
    "compatibility characters stay as they are: a ligature and full-width letters"
    passphrase_3(f, cheap_3("ﬁle ＡＢＣ"))


@vector("4", "no_matching_identity")
def passphrase_sm3_nfc_not_nfkc_given_plain(f):
    "the file's passphrase has a ligature, the reader's has its two letters"
    passphrase_3(f, cheap_3("ﬁle"), ["file"])


def passphrase_sm3_body(f, text, iterations=10, algorithm=None, head=None):
    """A body under another derivation than PassphraseSm3's."""
    salt = f.random(16)
    root = PBKDF2HMAC(algorithm or hashes.SM3(), 32, salt, iterations).derive(text.encode())
    head = iterations.to_bytes(4, "big") + salt if head is None else head
    return iterations.to_bytes(4, "big") + salt, wrap(f.suite, root, f.prefix, PASSPHRASE_SM3, head, f.file_key)[-48:]


@vector("4", "no_matching_identity")
def passphrase_sm3_without_nfc(f):
    "the file is made with the passphrase in NFD, which no reader can use"
    f.suite_id, text = 3, unicodedata.normalize("NFD", "fenêtre")
    passphrase_3(f, (PASSPHRASE_SM3, b"".join(passphrase_sm3_body(f, text))), [text])


@vector("4", "no_matching_identity")
def passphrase_sm3_of_sha_256(f):
    "the root is that of PBKDF2 with HMAC-SHA-256"
    f.suite_id = 3
    passphrase_3(f, (PASSPHRASE_SM3, b"".join(passphrase_sm3_body(f, "pass", algorithm=hashes.SHA256()))), ["pass"])


@vector("4", "no_matching_identity")
def passphrase_sm3_wrap_without_head(f):
    "the wrap's info leaves out the iterations and the salt"
    f.suite_id = 3
    passphrase_3(f, (PASSPHRASE_SM3, b"".join(passphrase_sm3_body(f, "pass", head=b""))), ["pass"])


@vector("4", each=[1, 63, 64, 65, 1024])
def passphrase_sm3_of_bytes(f, length):
    "a passphrase of {0} bytes; HMAC-SM3 takes keys of up to 64 as they are"
    passphrase_3(f, cheap_3(("0123456789abcdef" * 64)[:length]))


@vector("4", "no_matching_identity", each={"iterations": 3, "salt": 4, "file_key": 20, "tag": 67})
def passphrase_sm3_flipped(f, at):
    "one bit of byte {0} of the body is flipped"
    f.suite_id = 3
    passphrase_3(f, (PASSPHRASE_SM3, flip(f.stanza(cheap_3("pass"))[1], at)), ["pass"])


@vector("4", "no_matching_identity", each={"flipped": 0, "last_byte_flipped": 31})
def passphrase_sm3_mac(f, at):
    "one bit of the header MAC is flipped; after a passphrase stanza this is no match, so that guesses look alike"
    passphrase_3(f, cheap_3("pass"))
    f.seal()
    f.mac = flip(f.mac, at)


@vector("4", "no_matching_identity")
def passphrase_sm3_moved_from_another_file(f):
    "a passphrase stanza from another file opens, and its file key is not this file's"
    passphrase_3(f, of_another_file_3(cheap_3("pass")), ["pass"])


@vector("4", "no_matching_identity")
def passphrase_sm3_moved_from_file_with_context(f):
    "a stanza for this very file key, made for a file that is bound to a context"
    f.suite_id, f.flags = 3, CONTEXT_BOUND
    made = f.stanza(cheap_3("pass"))
    f.flags = None
    passphrase_3(f, made, ["pass"])


BESIDE_3 = {
    "sm2": SM2_ALICE,
    "key": KEY_A,
    "unknown": (0x7777, b""),
    "another": cheap_3("other"),
    "unknown_0012": (0x0012, b""),
}


@vector("4", "malformed_header", each=BESIDE_3)
def passphrase_sm3_beside(f, other):
    "a passphrase stanza, which would open, is not the only one"
    passphrase_3(f, cheap_3("pass"))
    f.to += [other]


@vector("4", "malformed_header", each={"sm2": SM2_ALICE, "key": KEY_A, "unknown": (0x7777, b"")})
def passphrase_sm3_after(f, other):
    "a passphrase stanza, which would open, follows another"
    passphrase_3(f, cheap_3("pass"))
    f.to = [other, *f.to]


@vector("4", "malformed_header")
def passphrase_sm3_twice(f):
    "the same passphrase stanza twice, byte for byte"
    passphrase_3(f, cheap_3("pass"))
    f.wrap()
    f.area += f.area


@vector("4", "malformed_header", each={"0012": 0x0012, "001f": 0x001F})
def passphrase_kind_unknown_beside_sm2(f, number):
    "an unknown type of the passphrase range is not the only stanza"
    suite_3(f, SM2_ALICE, (number, b"something new"), identity=[SM2_ALICE])


@vector("4", "no_matching_identity", each={"0012": 0x0012, "001f": 0x001F})
def passphrase_kind_unknown_alone_suite_3(f, number):
    "an unknown type of the passphrase range alone is only unknown"
    passphrase_3(f, (number, b"something new"), ["pass"])


@vector("4", "malformed_header")
def passphrase_in_suite_3(f):
    "suite 3 does not take the type passphrase; the stanza is right in all else, and would open"
    passphrase_3(f, cheap("pass"))


@vector("4", "malformed_header", each=[1, 2])
def passphrase_sm3_in_suite(f, suite):
    "suite {0} does not take the type passphrase-sm3; the stanza is right in all else, and would open"
    passphrase_3(f, cheap_3("pass"))
    f.suite_id = suite


@vector("4", "malformed_header", each={"short": lambda body: body[:-1], "long": lambda body: body + b"\0"})
def passphrase_sm3_body_too(f, change):
    "a body that is one byte too short or long"
    f.suite_id = 3
    passphrase_3(f, (PASSPHRASE_SM3, change(f.stanza(cheap_3("pass"))[1])), ["pass"])


@vector("4", "malformed_header")
def passphrase_sm3_body_of_passphrase(f):
    "a body with the costs of Argon2id, which has not the length of the stanza's type"
    f.suite_id = 3
    passphrase_3(f, (PASSPHRASE_SM3, f.stanza(cheap("pass"))[1]), ["pass"])


def passphrase_of_iterations(f, iterations):
    """A stanza that no KDF was run for: its cost is refused first."""
    passphrase_3(f, (PASSPHRASE_SM3, iterations.to_bytes(4, "big") + f.random(16 + 48)), ["pass"])


@vector("4", "malformed_header")
def passphrase_sm3_cost_too_low(f):
    "an iteration count of 0; it is at least 1"
    passphrase_of_iterations(f, 0)


COSTS_TOO_HIGH_3 = {"10000001": 10_000_001, "80000000": 2**31, "ffffffff": 2**32 - 1}


@vector("4", "cost_too_high", each=COSTS_TOO_HIGH_3)
def passphrase_sm3_cost_too_high(f, iterations):
    "an iteration count of {0}; it is at most 10,000,000"
    passphrase_of_iterations(f, iterations)


@vector("8", "no_matching_identity", each={"too_low": 0, "too_high": 2**32 - 1})
def passphrase_sm3_cost_not_tried(f, iterations):
    "costs are judged only if a passphrase is to be tried"
    passphrase_of_iterations(f, iterations)
    f.passphrase, f.identity = [], [SM2_ALICE]


# Suite 3, section 5.


@vector("5", each=[0, 1, 16383, 16384, 16385, 32768, 40000])
def payload_suite_3_length(f, length):
    "a plaintext length around the borders of chunks"
    suite_3(f)
    f.plaintext = long(length)


@vector("5", each={"key": KEY_A, "passphrase_sm3": cheap_3("pass")})
def payload_suite_3_empty_for(f, to):
    "an empty plaintext for another kind of recipient"
    suite_3(f, to)
    f.plaintext = b""
    if isinstance(to, PassphraseSm3):
        f.identity, f.passphrase = [], [to.text]


@vector("5", "not_authentic", each={"first_byte": 0, "last_byte": 23})
def payload_suite_3_salt_flipped(f, at):
    "one bit of the salt is flipped, so the commitment is wrong"
    suite_3(f)
    f.seal()
    f.salt = flip(f.salt, at)


@vector("5", "not_authentic", each={"first_byte": 0, "last_byte": 31})
def payload_suite_3_commitment_flipped(f, at):
    "one bit of the commitment is flipped, and the chunks are right"
    suite_3(f)
    f.seal()
    f.commitment = flip(f.commitment, at)


OTHER_PAYLOADS = {
    "of_suite_1": (SUITES[1], 32),
    "with_payload_key_of_32_bytes": (SUITES[3], 32),
    "with_chunk_key_of_32_bytes": (replace(SUITES[3], key_length=32, aead=lambda key: SM4GCM(key[:16])), 16),
    "of_another_aead_name": (replace(SUITES[3], aead_name="AEAD_AES_128_GCM"), 16),
    "with_sha_256": (replace(SUITES[3], hash=hashes.SHA256()), 16),
}


@vector("5", "not_authentic", each=OTHER_PAYLOADS)
def payload_suite_3(f, suite_and_length):
    "the payload is derived otherwise than suite 3 does, which shows at the commitment"
    suite_3(f)
    suite, length = suite_and_length
    key = hkdf_expand(SUITES[suite.id], f.file_key, b"sealstone/v1 payload", length)
    other = Payload(suite, key, f.salt, f.prefix)
    f.commitment, f.chunks = other.commitment, other.seal_all(f.plaintext)


@vector("5", "not_authentic", chunk=0)
def payload_suite_3_aes_128(f):
    "the chunks are sealed with AES-128-GCM under the right key, and the commitment is right"
    suite_3(f)
    f.seal()
    aes = replace(SUITES[3], aead=AESGCM)
    f.chunks = Payload(aes, derive_payload_key(f.suite, f.file_key), f.salt, f.prefix).seal_all(f.plaintext)


@vector("5", "not_authentic", chunk=0, each={"ciphertext": 0, "tag": -1})
def payload_suite_3_only_chunk_flipped(f, at):
    "one bit of the only chunk is flipped"
    suite_3(f)
    f.seal()
    f.chunks[0] = flip(f.chunks[0], at)


@vector("5", "not_authentic", chunk=0)
def payload_suite_3_first_chunk_flipped(f):
    "one bit of the first of two chunks is flipped"
    suite_3(f)
    f.plaintext = long(CHUNK + 100)
    f.seal()
    f.chunks[0] = flip(f.chunks[0], 8000, 0x10)


@vector("5", "not_authentic", chunk=1, each={"ciphertext": 0, "tag": -1})
def payload_suite_3_last_chunk_flipped(f, at):
    "one bit of the second and last chunk is flipped; the first is released"
    suite_3(f)
    f.plaintext = long(CHUNK + 100)
    f.seal()
    f.chunks[1] = flip(f.chunks[1], at)


@vector("5", "not_authentic", chunk=1)
def payload_suite_3_empty_last_chunk_flipped(f):
    "one bit of an empty last chunk's tag is flipped; the first chunk is released"
    suite_3(f)
    f.plaintext = long(CHUNK)
    f.seal()
    f.chunks[1] = flip(f.chunks[1], 0)


@vector("5", "not_authentic", chunk=0)
def payload_suite_3_first_chunks_swapped(f):
    "the first two of three chunks changed places"
    suite_3(f)
    f.plaintext = long(40000)
    f.seal()
    f.chunks[:2] = f.chunks[1::-1]


@vector("5", "not_authentic", chunk=1)
def payload_suite_3_chunk_repeated(f):
    "the first chunk stands twice"
    suite_3(f)
    f.plaintext = long(CHUNK + 100)
    f.seal()
    f.chunks.insert(0, f.chunks[0])


@vector("5", "truncated")
def payload_suite_3_last_chunk_dropped(f):
    "the last chunk is missing, so the payload ends with a full one"
    suite_3(f)
    f.plaintext = long(CHUNK + 100)
    f.seal()
    del f.chunks[1]
    f.released = f.plaintext[:CHUNK]


@vector("5", "truncated", each=[0, 24, 55, 56, 71])
def payload_suite_3_cut_at(f, length):
    "only the first {0} bytes of the payload, too few for a salt, a commitment and a tag"
    suite_3(f)
    return f.bytes()[: f.payload_at + length]


@vector("5", "not_authentic", chunk=0, each=[72, 114])
def payload_suite_3_cut_in_only_chunk_at(f, length):
    "only the first {0} bytes of a payload of 115"
    suite_3(f)
    return f.bytes()[: f.payload_at + length]


@vector("5", "not_authentic", chunk=0, each={"one_byte": b"\n", "sixteen_bytes": bytes(16)})
def payload_suite_3_trailing(f, trailing):
    "bytes follow a short last chunk, and so become part of it"
    suite_3(f)
    f.seal().chunks.append(trailing)


@vector("5")
def payload_suite_3_nonce_is_xored(f):
    "the base nonce is odd, so adding the chunk's index would give another nonce"
    suite_3(f)
    f.plaintext = long(CHUNK + 100)
    while not f.payload().base_nonce & 1:
        f.salt = f.random(24)


RANGES_3 = {name: RANGES[name] for name in ("first_byte", "last_byte", "across_two_borders", "past_the_end_is_short")}


@vector("5", each=RANGES_3)
def range_read_suite_3(f, bounds):
    "a range of a plaintext of 40,000 bytes, which is three chunks"
    suite_3(f)
    f.plaintext, f.range = long(40000), bounds


@vector("5")
def range_read_suite_3_before_a_damaged_chunk(f):
    "the second of three chunks is damaged, and the range lies in the first"
    suite_3(f)
    f.plaintext, f.range = long(40000), (100, 200)
    f.seal()
    f.chunks[1] = flip(f.chunks[1], 77)


@vector("5", "not_authentic", chunk=1)
def range_read_suite_3_in_a_damaged_chunk(f):
    "the range lies in the second chunk, which is damaged somewhere else"
    suite_3(f)
    f.plaintext, f.range, f.released = long(CHUNK + 100), (CHUNK + 1, CHUNK + 2), b""
    f.seal()
    f.chunks[1] = flip(f.chunks[1], 77)


@vector("3", "header_not_authentic")
def range_read_suite_3_mac_flipped(f):
    "the header MAC is checked before a range, too"
    suite_3(f)
    f.range = (0, 4)
    f.seal()
    f.mac = flip(f.mac, 0)


# Suite 3, section 6.


@vector("6", each=KINDS_3)
def context_suite_3(f, identity):
    "a context in suite 3"
    suite_3(f, identity)
    f.bind(b"context")


@vector("6")
def context_suite_3_with_passphrase(f):
    "a context beside a passphrase"
    passphrase_3(f, cheap_3("pass"))
    f.bind(b"context")


@vector("6", "context_required")
def context_suite_3_required(f):
    "the file is bound to a context and the reader gives none"
    suite_3(f)
    f.context = b"context"


@vector("6", "context_not_bound")
def context_suite_3_not_bound(f):
    "the reader gives a context and the file has none"
    suite_3(f)
    f.given_context = b"context"


@vector("6", "not_authentic")
def context_suite_3_wrong(f):
    "the reader's context is not the file's; this shows at the commitment"
    suite_3(f)
    f.context, f.given_context = b"context", b"Context"


# Suite 3, section 8.


@vector("8", "unsupported_version")
def order_suite_3_version_before_stanzas(f):
    "another version, and a stanza that suite 3 does not take"
    suite_3(f, (X25519, f.random(80)), identity=[SM2_ALICE])
    f.version = 3


@vector("8", "malformed_header")
def order_suite_3_flags_before_truncation(f):
    "a reserved flag, and the header is not wholly there"
    suite_3(f)
    f.flags = 0x0002
    return f.bytes()[:50]


@vector("8", "truncated")
def order_suite_3_truncation_before_stanzas(f):
    "a stanza that suite 3 does not take, and the header MAC is not wholly there"
    suite_3(f, (X25519, f.random(80)), identity=[SM2_ALICE])
    return f.bytes()[: f.payload_at - 1]


@vector("8", "malformed_header")
def order_suite_3_stanzas_before_context(f):
    "a stanza that suite 3 does not take, and a context is needed"
    suite_3(f, (X25519, f.random(80)), identity=[SM2_ALICE])
    f.context = b"context"


@vector("8", "malformed_header")
def order_suite_3_stanzas_before_identities(f):
    "the first stanza would open, and a later one is malformed"
    suite_3(f, SM2_ALICE, (KEY, b""), identity=[SM2_ALICE])


@vector("8", "malformed_header")
def order_suite_3_stanzas_before_costs(f):
    "a body that is one byte too long, with a cost too high"
    passphrase_of_iterations(f, 2**32 - 1)
    f.to = [(PASSPHRASE_SM3, f.to[0][1] + b"\0")]


@vector("8", "malformed_header")
def order_suite_3_only_stanza_before_kdf(f):
    "a passphrase stanza beside another, with a cost that must not be run"
    passphrase_of_iterations(f, 10_000_000)
    f.to += [SM2_ALICE]
    f.identity = [SM2_ALICE]


@vector("8", "malformed_header")
def order_suite_3_only_stanza_before_costs(f):
    "a passphrase stanza beside another, with a cost too high"
    passphrase_of_iterations(f, 2**32 - 1)
    f.to += [SM2_ALICE]


@vector("8", "malformed_header")
def order_suite_3_suite_before_costs(f):
    "a passphrase stanza of the other suites, with costs too high"
    passphrase_of_costs(f, 2**32 - 1, 17, 17)
    f.suite_id = 3


@vector("8", "malformed_header", each=[1, 2])
def order_suite_of_sm3_before_costs_in_suite(f, suite):
    "a passphrase stanza of suite 3 in suite {0}, with a cost too high"
    passphrase_of_iterations(f, 2**32 - 1)
    f.suite_id = suite


@vector("8", "context_required")
def order_suite_3_context_required_before_costs(f):
    "a context is needed, and the cost is too high"
    passphrase_of_iterations(f, 2**32 - 1)
    f.context = b"context"


@vector("8", "context_not_bound")
def order_suite_3_context_not_bound_before_costs(f):
    "a context is not bound, and the cost is malformed"
    passphrase_of_iterations(f, 0)
    f.given_context = b"context"


@vector("8", "context_required")
def order_suite_3_context_required_before_identities(f):
    "a context is needed, and no identity matches"
    suite_3(f, SM2_ALICE, identity=[SM2_BOB])
    f.context = b"context"


@vector("8", "context_not_bound")
def order_suite_3_context_not_bound_before_identities(f):
    "a context is not bound, and no identity matches"
    suite_3(f, SM2_ALICE, identity=[SM2_BOB])
    f.given_context = b"context"


@vector("8", "cost_too_high")
def order_suite_3_costs_before_mac(f):
    "the cost is too high, and the header MAC is wrong"
    passphrase_of_iterations(f, 10_000_001)
    f.mac = bytes(32)


@vector("8", "no_matching_identity")
def order_suite_3_identities_before_mac(f):
    "no identity matches, and the header MAC is wrong"
    suite_3(f, SM2_ALICE, identity=[SM2_BOB])
    f.mac = bytes(32)


@vector("8", "header_not_authentic")
def order_suite_3_mac_before_commitment(f):
    "the header MAC and the commitment are wrong"
    suite_3(f)
    f.mac = bytes(32)
    f.seal().commitment = bytes(32)


@vector("8", "header_not_authentic")
def order_suite_3_mac_before_context(f):
    "the header MAC and the reader's context are wrong"
    suite_3(f)
    f.context, f.given_context, f.mac = b"context", b"Context", bytes(32)


@vector("8", "no_matching_identity")
def order_suite_3_passphrase_mac_before_payload(f):
    "after a passphrase stanza the header MAC is wrong, which is no match, and there is no payload"
    passphrase_3(f, cheap_3("pass"))
    f.mac = bytes(32)
    return f.bytes()[: f.payload_at]


@vector("8", "not_authentic")
def order_suite_3_commitment_before_chunks(f):
    "the commitment and the first chunk are wrong, so no chunk is named"
    suite_3(f)
    f.seal()
    f.commitment, f.chunks = bytes(32), [flip(f.chunks[0], 0)]


def sm2_off_the_curve(f):
    return SM2, b"\x04" + f.random(176)


@vector("8")
def attempts_4096_sm2(f):
    "820 stanzas and 5 identities; a C1 that is no point is an attempt, and attempt 4,096 opens the last stanza"
    suite_3(f, *[sm2_off_the_curve(f) for _ in range(819)], SM2_ALICE)
    f.identity = [SM2_ALICE] + [Sm2Identity(seed("sm2", i)) for i in range(4)]


@vector("8", "cost_too_high")
def attempts_4097_sm2(f):
    "820 stanzas and 5 identities; a C1 that is no point is an attempt, and attempt 4,097 would open the last stanza"
    suite_3(f, *[sm2_off_the_curve(f) for _ in range(819)], SM2_ALICE)
    f.identity = [SM2_BOB, SM2_ALICE] + [Sm2Identity(seed("sm2", i)) for i in range(3)]


@vector("8")
def attempts_sm2_not_counted(f):
    "1,023 stanzas for SM2 are no attempts of 5 other identities"
    suite_3(f, *[sm2_off_the_curve(f) for _ in range(1023)], KEY_A)
    f.identity = [ALICE, BOB, CAROL, DAVE, ERIN, KEY_A]


@vector("8")
def attempts_suite_3_other_keys_not_counted(f):
    "1,023 stanzas for other keys are no attempts of 5 keys, because their ids differ"
    suite_3(f, *[(KEY, f.random(72)) for _ in range(1023)], SM2_ALICE)
    f.identity = [Key(seed("key", i)) for i in range(5)] + [SM2_ALICE]


# Suite 3, section 11.


@vector("11", each=KINDS_3)
def armour_suite_3_of(f, identity):
    "an armoured file of suite 3"
    suite_3(f, identity)
    return joined(lines_of(f))


@vector("11")
def armour_suite_3_of_passphrase(f):
    "an armoured file of suite 3 for a passphrase, in lines that end with CR LF"
    passphrase_3(f, cheap_3("pass"))
    return joined(lines_of(f), b"\r\n")


@vector("11")
def armour_suite_3_of_three_chunks(f):
    "an armoured file of three chunks"
    suite_3(f)
    f.plaintext = long(40000)
    return joined(lines_of(f))


@vector("11", "no_matching_identity")
def armour_suite_3_no_matching_identity(f):
    "a good armour around a file for somebody else"
    suite_3(f, SM2_ALICE, identity=[SM2_BOB])
    return armour(f.bytes())


@vector("11")
def armour_suite_3_trailing_text(f):
    "text after the END line"
    suite_3(f)
    return armour(f.bytes()) + b"and so on\n"


# Section 4.12. Readers of the vectors in plugin/ have the plugins that a line says.


def with_plugin(f, *to, plugin=(TOKEN,)):
    f.to, f.identity, f.plugin = list(to), [], list(plugin)


def plugin_stanza(f, text=None, flags=0, plugin=TOKEN):
    """A stanza with this text in the place of what the plugin made."""
    return PLUGIN, plugin.wrap(f.suite, f.prefix, f.file_key, f.random(16), flags, text)


@vector("4.12", each=[1, 2])
def plugin_opens_suite(f, suite):
    "a plugin's stanza, suite {0}"
    with_plugin(f, TOKEN)
    f.suite_id = suite


@vector("4.12")
def plugin_opens_with_context(f):
    "a plugin's stanza in a file with a context"
    with_plugin(f, TOKEN)
    f.bind(b"context")


@vector("4.12", each={"post_quantum": 1, "only": 2, "both": 3})
def plugin_flags(f, flags):
    "flags {0}, which a reader does not judge"
    with_plugin(f, plugin_stanza(f, flags=flags))


@vector("4.12")
def plugin_flag_only_beside_another(f):
    "flag 2 in a stanza beside another, which a reader does not judge"
    with_plugin(f, BOB, plugin_stanza(f, flags=2))


@vector("4.12", "no_matching_identity", each={f"{1 << bit:02x}": 1 << bit for bit in range(2, 8)})
def plugin_flag_unknown(f, flags):
    "a flag that is not known, {0}"
    with_plugin(f, plugin_stanza(f, flags=flags))


@vector("4.12", each={"1": 1, "47": 47, "48": 48, "49": 49, "96": 96, "1000": 1000})
def plugin_stanza_of_age_with_body(f, length):
    "a stanza of age with a body of {0} bytes"
    with_plugin(f, plugin_stanza(f, age_stanza("example", ["one", "two"], f.random(length))))


@vector("4.12")
def plugin_stanza_of_age_among_others(f):
    "three stanzas of age, of which the plugin knows the second"
    text = b"".join(age_stanza(kind, ["x"], f.random(20)) for kind in ("X25519", "example", "third"))
    with_plugin(f, plugin_stanza(f, text))


@vector("4.12", each={"1024": 1024})
def plugin_stanzas_of_age(f, count):
    "{0} stanzas of age"
    with_plugin(f, plugin_stanza(f, b"-> y\n\n" * (count - 1) + b"-> example\n\n"))


@vector("4.12", "no_matching_identity")
def plugin_stanzas_of_age_1025(f):
    "1,025 stanzas of age"
    with_plugin(f, plugin_stanza(f, b"-> y\n\n" * 1024 + b"-> example\n\n"))


NO_STANZAS = {
    "no_stanza": b"example\n\n",
    "lower_arrow": b"->example\n\n",
    "two_spaces": b"->  example\n\n",
    "trailing_space": b"-> example \n\n",
    "tab": b"-> exam\tple\n\n",
    "umlaut": "-> example ü\n\n".encode(),
    "crlf": b"-> example\r\n\r\n",
    "no_body": b"-> example x\n",
    "no_end": b"-> example x\n\nAA",
    "line_behind": b"-> example\n\n\n",
    "text_before": b"text\n-> example\n\n",
    "padding": b"-> example\nAQ==\n",
    "not_canonical": b"-> example\nAR\n",
    "base64url": b"-> example\n-_-_\n",
    "long_line": b"-> example\n" + b"A" * 68 + b"\n",
    "full_line_last": b"-> example\n" + b"A" * 64 + b"\n",
    "short_line_within": b"-> example\nAAAA\nAAAA\n",
    "damaged_second": b"-> example\n\n-> y\n=\n",
    "mac_line": b"-> example\n\n--- AAAA\n",
}


@vector("4.12", "no_matching_identity", each=NO_STANZAS)
def plugin_text(f, text):
    "a text that is no sequence of stanzas of age, though one that reads less strictly finds the plugin's"
    with_plugin(f, plugin_stanza(f, text))


@vector("4.12", "no_matching_identity")
def plugin_none_of_its_stanzas(f):
    "the plugin knows none of the stanzas of age"
    with_plugin(f, OTHER_TOKEN)


@vector("4.12", "no_matching_identity")
def plugin_other_secret(f):
    "the plugin gives another secret than the wrap's"
    with_plugin(f, Plugin("example", seed("another")[:16]))


@vector("4.12", "no_matching_identity", each={"flags": 0, "salt": 1, "argument": 28, "wrap": -48, "tag": -1})
def plugin_flipped(f, at):
    "one bit of the body is flipped, which the wrap shows"
    # flags 1, salt 16, "-> example x"
    with_plugin(f, (PLUGIN, flip(plugin_stanza(f)[1], at)))


@vector("4.12", "header_not_authentic")
def plugin_moved_from_another_file(f):
    "a stanza from another file opens, and its file key is not this file's"
    other = File("plugin_opens_suite_1")
    with_plugin(f, (PLUGIN, TOKEN.wrap(other.suite, other.prefix, other.file_key, other.random(16))))


@vector("4.12", "header_not_authentic")
def plugin_mac(f):
    "the stanza opens, and the header MAC is wrong"
    with_plugin(f, TOKEN)
    f.mac = bytes(32)


@vector("8.2")
def plugin_second_of_two(f):
    "the second of two plugins' stanzas opens, and the second of two identities"
    with_plugin(f, Plugin("third", seed("third")[:16]), TOKEN, plugin=(OTHER_TOKEN, TOKEN))


@vector("8.2", "header_not_authentic")
def plugin_after_all_others(f):
    "a plugin's stanza opens and has the file key; one behind it opens without a plugin, has another, and comes first"
    with_plugin(f, TOKEN)
    f.wrap()
    f.area += frame(X25519, x25519_body(File("plugin_other_file_key"), ALICE))
    f.identity = [ALICE]


@vector("8.2")
def plugin_attempts_64(f):
    "64 stanzas of plugins, of which the last opens"
    with_plugin(f, *[plugin_stanza(f, plugin=OTHER_TOKEN) for _ in range(63)], TOKEN)


@vector("8.2", "cost_too_high")
def plugin_attempts_65(f):
    "65 stanzas of plugins, of which the last would open"
    with_plugin(f, *[plugin_stanza(f, plugin=OTHER_TOKEN) for _ in range(64)], TOKEN)


@vector("8.2")
def plugin_attempts_not_counted(f):
    "65 stanzas of plugins are no attempts of a reader that has none for them"
    with_plugin(f, *[plugin_stanza(f, plugin=OTHER_TOKEN) for _ in range(65)], ALICE, plugin=())
    f.identity = [ALICE]


@vector("4", "malformed_header", each={"70": 70, "0": 0})
def stanza_body_plugin_of(f, length):
    "a body of a plugin's stanza of {0} bytes"
    f.to = [ALICE, (PLUGIN, bytes(length))]


@vector("4", each={"71": 71, "65535": 65_535})
def stanza_body_plugin_taken_of(f, length):
    "a body of a plugin's stanza of {0} bytes, beside a stanza that opens"
    f.to = [(PLUGIN, bytes(length)), ALICE]


@vector("4", "malformed_header")
def stanza_plugin_in_suite_3(f):
    "a plugin's stanza, which suite 3 does not take, beside one that would open"
    suite_3(f, SM2_ALICE)
    f.to.append((PLUGIN, bytes(100)))


@vector("4.12", "no_matching_identity")
def stanza_plugin_without_plugin(f):
    "a plugin's stanza and a reader that has no plugin"
    f.to = [TOKEN]


assert not SCENARIOS.keys() & generate_archive.SCENARIOS.keys()
SCENARIOS |= generate_archive.SCENARIOS


def main():
    for folder in (FOLDER, PLUGIN_FOLDER):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    for name in SCENARIOS:
        (PLUGIN_FOLDER if name.startswith("plugin_") else FOLDER).joinpath(name).write_bytes(render(name))
    return check(FOLDER) or check(PLUGIN_FOLDER) or generate_archive.check(FOLDER)


if __name__ == "__main__":
    raise SystemExit(main())
