"""Makes the vectors of spec/signature.md, one scenario a file: `signature/`, `signing_keys/` and `allowed_signers/`.

    python generate_signature.py
    python generate_signature.py check

A scenario returns a file and says what a reader must answer; the answer is written down by hand and never computed by a
reader. Where it can, a broken file is broken in one rule only and right in all others, so that a reader that forgets
the rule takes it. `check` makes nothing: it has ssh-keygen and OpenSSL verify what is there, and tries the examples of
the specification.

All randomness comes from SHA-256 over a fixed seed, the scenario's name and a counter: a second run changes nothing,
and a scenario's bytes do not depend on the others. The nonces of ECDSA, SM2 and ML-DSA are among it, so ECDSA's
arithmetic and ML-DSA (fips204.py) are written out. What ssh-keygen made is in compat/ssh_keygen.json.
"""

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import bcrypt
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES

import generate_keys as der
import reference_signature as book
from fips204 import ML_DSA_44, ML_DSA_65
from generate_keys import PASSPHRASE, flip, integer, octets, oid, pem, seq, tlv
from reference import SM2_B, SM2_G, SM2_N, SM2_P, sm2_multiply
from reference_signature import BEGIN, DIGEST, ED_L, ED_P, END, KINDS, Hybrid, armour, ed_add, mpint, ssh_line, string

HERE = Path(__file__).parent
MADE_BY_SSH_KEYGEN = json.loads((HERE / "compat" / "ssh_keygen.json").read_text())
CONTENT = b"Hello, Sealstone\n"
NAMED = {kind.name.replace("-", "_"): kind for kind in KINDS}
CLASSICAL = {name: NAMED[name] for name in ("ed25519", "p256_sign")}
HYBRIDS = {name: NAMED[name] for name in ("hybrid_sign", "hybrid44_sign")}
LATTICE = {name: NAMED[name] for name in ("ml_dsa_65", "hybrid_sign", "hybrid44_sign")}
ED25519, P256, MLDSA65, HYBRID, HYBRID44, SM2 = KINDS


def seed(*parts):
    return hashlib.sha256("\0".join(["sealstone signature vectors 1", *map(str, parts)]).encode()).digest()


class Draw:
    """The randomness of one scenario."""

    def __init__(self, name):
        self.name, self.counter = name, 0

    def random(self, n):
        out = b""
        while len(out) < n:
            self.counter += 1
            out += seed(self.name, self.counter)
        return out[:n]

    def scalar(self, n):
        return 1 + int.from_bytes(self.random(40), "big") % (n - 1)

    def secret(self, kind):
        if kind.curve_name:
            return self.scalar(P256.n - 2 if kind is P256 else SM2_N - 2).to_bytes(32, "big")
        return self.random(64 if isinstance(kind, Hybrid) else 32)


class Key:
    def __init__(self, kind, secret, public=None):
        self.kind, self.secret = kind, secret
        self.public = public or kind.public(secret)

    @property
    def publickey(self):
        return self.kind.publickey(self.public)

    @property
    def line(self):
        return ssh_line(self.kind, self.public)

    @property
    def fingerprint(self):
        return f"{self.kind.name} {self.kind.fingerprint(self.public)}"


# Signatures whose randomness is given.

P256_P, P256_B = der.P256.p, der.P256.b
P256_G = tuple(int.from_bytes(der.P256.g[at : at + 32], "big") for at in (1, 33))


def p256_multiply(k, point):
    total = None
    for bit in f"{k:b}":
        total = p256_add(total, total)
        total = p256_add(total, point) if bit == "1" else total
    return total


def p256_add(s, t):
    if s is None or t is None:
        return s or t
    slope = (3 * s[0] ** 2 - 3, 2 * s[1]) if s == t else (t[1] - s[1], t[0] - s[0])
    slope = slope[0] * pow(slope[1], -1, P256_P)
    x = (slope**2 - s[0] - t[0]) % P256_P
    return x, (slope * (s[0] - x) - s[1]) % P256_P


def ecdsa(draw, secret, signed):
    """r and s, which is low."""
    n, k, e = P256.n, draw.scalar(P256.n), int.from_bytes(hashlib.sha256(signed).digest(), "big")
    r = p256_multiply(k, P256_G)[0] % n
    s = pow(k, -1, n) * (e + r * int.from_bytes(secret, "big")) % n
    return r, min(s, n - s)


def sm2_numbers(draw, secret, signed):
    return SM2.parse_value(SM2.sign(secret, signed, draw.scalar(SM2_N)))


def ed25519_sign(secret, signed):
    return ed25519.Ed25519PrivateKey.from_private_bytes(secret).sign(signed)


def half(kind):
    return ML_DSA_65 if kind in (MLDSA65, HYBRID) else ML_DSA_44


def value_of(draw, kind, secret, signed):
    if kind is ED25519:
        return ed25519_sign(secret, signed)
    if kind is P256:
        return b"".join(map(mpint, ecdsa(draw, secret, signed)))
    if kind is SM2:
        return seq(*map(integer, sm2_numbers(draw, secret, signed)))
    if kind is MLDSA65:
        return ML_DSA_65.sign(secret, signed, b"", draw.random(32))
    message = kind.message(signed)
    lattice = half(kind).sign(secret[:32], message, kind.label, draw.random(32))
    return lattice + ed25519_sign(secret[32:], message)


# Ed25519 where the library does not go: points as pairs, numbers little-endian.


def ed_multiply(k, point):
    total = (0, 1)
    for bit in f"{k:b}":
        total = ed_add(total, total)
        total = ed_add(total, point) if bit == "1" else total
    return total


def ed_encode(point):
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


ED_BASE = book.ed_decode((4 * pow(5, -1, ED_P) % ED_P).to_bytes(32, "little"))
ED_ORDER_2 = (0, ED_P - 1)
ED_ORDER_8 = book.ed_decode(bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"))


def ed_scalar(secret):
    n = int.from_bytes(hashlib.sha512(secret).digest()[:32], "little")
    return n & (2**254 - 8) | 2**254


def ed_challenge(r, public, signed):
    return int.from_bytes(hashlib.sha512(r + public + signed).digest(), "little") % ED_L


# Scenarios of signature files.


class Case(Draw):
    """A signature file in the making, with what its reader is given and must answer."""

    def __init__(self, name, form):
        super().__init__(name)
        self.form, self.signers, self.namespace, self.content, self.times = form, [], "file", CONTENT, 1
        self.signed_by = self.note = None

    def key(self, kind=ED25519, trusted=True):
        made = Key(kind, self.secret(kind))
        if trusted:
            self.trust(made)
        return made

    def trust(self, key):
        self.signers.append(key.line)
        self.signed_by = self.signed_by or key.fingerprint

    def whole(self):
        return self.content * self.times

    def blob(self, key, namespace=b"file", reserved=b"", hash_name=None, value=None, **parts):
        """A blob that is right but for the parts that are given. `value` makes the signature from what is signed."""
        hash_name = hash_name or key.kind.hashes[0]
        digest = parts.pop("digest", None) or DIGEST[hash_name]
        signed = parts.pop("signed", None) or b"SSHSIG" + b"".join(
            map(string, [namespace, reserved, hash_name.encode(), digest(self.whole())])
        )
        made = value(signed) if value else value_of(self, key.kind, key.secret, signed)
        parts = {"magic": b"SSHSIG", "version": 1, "publickey": key.publickey} | parts
        signature = parts.get("signature", string(parts.get("name", key.kind.key_name)) + string(made))
        strings = [parts["publickey"], namespace, reserved, hash_name.encode(), signature]
        return parts["magic"] + parts["version"].to_bytes(4, "big") + b"".join(map(string, strings))

    def file(self, key, **parts):
        return self.wrap(armour(self.blob(key, **parts)))

    def wrap(self, armoured):
        return self.whole() + armoured if self.form == "attached" else armoured


SIGNATURES, SIGNING_KEYS, ALLOWED_SIGNERS = {}, {}, {}


def register(into, scenario, each, *rest):
    for suffix, value in (each if isinstance(each, dict) else {v: v for v in each or [None]}).items():
        name = scenario.__name__ if each is None else f"{scenario.__name__}_{suffix}"
        assert name not in into, name
        comment = scenario.__doc__.format(value, name=str(suffix).replace("_", " "))
        into[name] = (*rest, comment, scenario, [] if each is None else [value])
    return scenario


def vector(expect="success", section="6.1", each=None, form="detached"):
    """Registers a scenario under its function's name; with `each`, one for every value, whose name is appended. Its doc
    string is the vector's comment."""
    return lambda scenario: register(SIGNATURES, scenario, each, expect, section, form)


def render_signature(name):
    expect, section, form, comment, scenario, value = SIGNATURES[name]
    case = Case(name, form)
    file = scenario(case, *value)
    lines = [f"expect: {expect}", f"section: {section}", f"comment: {comment}", f"form: {form}"]
    if form == "detached":
        lines += [f"content: {case.content.hex()}"] + ([f"times: {case.times}"] if case.times != 1 else [])
    lines += [f"namespace: {case.namespace}"] + [f"signer: {line}" for line in case.signers]
    lines += [f"signed-by: {case.signed_by}"] if expect in ("success", "unknown_signer") else []
    lines += [f"note: {case.note}"] if expect == "success" and case.note else []
    if expect == "success" and form == "attached":
        lines += [f"released: {hashlib.sha256(case.whole()).hexdigest()}"]
    return "\n".join(lines).encode() + b"\n\n" + file


# What verifies.


@vector(section="1", each=NAMED)
def short_content(case, kind):
    "a few bytes, signed by a key of the kind {0.name}"
    return case.file(case.key(kind))


@vector(section="1", each=NAMED)
def empty_content(case, kind):
    "the content is empty; the key is of the kind {0.name}"
    case.content = b""
    return case.file(case.key(kind))


@vector(section="1", each=NAMED)
def large_content(case, kind):
    "1 MiB and a byte, signed by a key of the kind {0.name}"
    case.content, case.times = b"a", 2**20 + 1
    return case.file(case.key(kind))


@vector(section="2", each=CLASSICAL)
def hash_sha256(case, kind):
    "the content is hashed with SHA-256, which readers take of the kind {0.name}"
    return case.file(case.key(kind), hash_name="sha256")


@vector(section="1", each=["ed25519", "p256", "ed25519_git_sha256", "p256_empty_sha256"])
def ssh_keygen(case, name):
    "a signature that ssh-keygen 9.2 made: {name}"
    made = MADE_BY_SSH_KEYGEN["signatures"][name]
    [(kind, public)] = book.parse_public(MADE_BY_SSH_KEYGEN["keys"][made["key"]]["public"].encode())
    case.trust(Key(kind, None, public))
    case.namespace, case.content = made["namespace"], made["content"].encode()
    return made["signature"].encode()


@vector(section="6.1")
def second_of_three_signers(case):
    "the caller trusts three keys of three kinds; the second has signed"
    first, key, third = case.key(P256, False), case.key(trusted=False), case.key(HYBRID44, False)
    case.signers, case.signed_by = [first.line, key.line, third.line], key.fingerprint
    return case.file(key)


@vector(section="2.2")
def p256_high_s(case):
    "s is above n / 2; writers write the other, readers take both"
    key = case.key(P256)

    def value(signed):
        r, s = ecdsa(case, key.secret, signed)
        return mpint(r) + mpint(P256.n - s)

    return case.file(key, value=value)


@vector(section="2.2", each={"r": 0, "s": 1})
def p256_short(case, which):
    "{name} has a leading zero byte, which its mpint does not"
    key = case.key(P256)

    def value(signed):
        while True:
            numbers = ecdsa(case, key.secret, signed)
            if numbers[which] < 2**247:
                return b"".join(map(mpint, numbers))

    return case.file(key, value=value)


@vector(section="2.1")
def ed25519_key_with_a_part_of_low_order(case):
    "A is a sum with a point of order 8, and the cofactorless equation holds: neither is A of low order, nor forbidden"
    secret = case.random(32)
    scalar = ed_scalar(secret)
    public = ed_encode(ed_add(ed_multiply(scalar, ED_BASE), ED_ORDER_8))
    case.trust(Key(ED25519, secret, public))

    def value(signed):
        while True:
            nonce = case.scalar(ED_L)
            r = ed_encode(ed_multiply(nonce, ED_BASE))
            h = ed_challenge(r, public, signed)
            if h % 8 == 0:
                return r + ((nonce + h * scalar) % ED_L).to_bytes(32, "little")

    return case.file(Key(ED25519, secret, public), value=value)


# The namespace and the comment.


NAMESPACES = {
    "git": "git",
    "with_at_sign": "release@example.com",
    "of_one_byte": "!",
    "of_255_bytes": "n" * 255,
    "first_and_last_character": "!~",
    "sealstone_without_dash": "sealstone",
    "with_quotes": "a\"b'c\\d",
}


@vector(section="3", each=NAMESPACES)
def namespace(case, namespace):
    "a namespace: {name}"
    case.namespace = namespace
    return case.file(case.key(), namespace=namespace.encode())


WRONG_NAMESPACES = {
    "other": b"git",
    "in_upper_case": b"FILE",
    "with_null_byte_behind": b"file\0",
    "longer": b"files",
    "shorter": b"fil",
    "with_newline_behind": b"file\n",
    "not_utf8": b"\xff",
    "of_256_bytes": b"n" * 256,
    "reserved": b"sealstone-encrypted",
}


@vector("wrong_namespace", "3", WRONG_NAMESPACES)
def wrong_namespace(case, namespace):
    "the file has another namespace than the reader expects: {name}"
    return case.file(case.key(), namespace=namespace)


INVALID_NAMESPACES = {
    "empty": "",
    "of_256_bytes": "n" * 256,
    "with_space": "a b",
    "with_comma": "file,git",
    "with_tab": "a\tb",
    "not_ascii": "datei-ä",
    "delete": "a\x7f",
    "reserved": "sealstone-encrypted",
    "reserved_prefix_alone": "sealstone-",
}


@vector("invalid_namespace", "3", INVALID_NAMESPACES)
def invalid_namespace(case, namespace):
    "the reader expects what is no namespace, and the file has it: {name}"
    case.namespace = namespace
    return case.file(case.key(), namespace=namespace.encode() or b"file")


COMMENTS = {
    "ascii": "release 1.2.3, built on a clean machine",
    "utf8": "发布 1.2.3 — Größe geprüft ✓",
    "of_one_byte": "x",
    "of_1024_bytes": "ä" * 512,
    "right_to_left_script": "גרסה 1",
    "zero_width_joiner": "👩\u200d🔬",
    "byte_order_mark": "\ufeffx",
    "not_normalized": "e\u0301",
    "first_and_last_blank": " x ",
    "highest_character": "\U0010ffff",
}


@vector(section="3", each=COMMENTS)
def comment(case, text):
    "a signed comment: {name}"
    case.note = text
    return case.file(case.key(), reserved=text.encode())


@vector(section="3", each=NAMED)
def comment_by(case, kind):
    "a signed comment by a key of the kind {0.name}"
    case.note = "a comment"
    return case.file(case.key(kind), reserved=b"a comment")


BAD_COMMENTS = {
    "of_1025_bytes": b"x" * 1025,
    "with_newline": b"a\nb",
    "with_null_byte": b"a\0b",
    "with_tab": b"a\tb",
    "with_escape": b"\x1b[31mred",
    "with_delete": b"a\x7f",
    "with_next_line": "a\u0085".encode(),
    "with_last_of_c1": "a\u009f".encode(),
    "with_line_separator": "a\u2028b".encode(),
    "with_paragraph_separator": "a\u2029b".encode(),
    "with_arabic_letter_mark": "a\u061cb".encode(),
    "with_left_to_right_mark": "a\u200eb".encode(),
    "with_right_to_left_mark": "a\u200fb".encode(),
    "with_left_to_right_embedding": "a\u202ab".encode(),
    "with_right_to_left_override": "a\u202eb".encode(),
    "with_left_to_right_isolate": "a\u2066b".encode(),
    "with_pop_directional_isolate": "a\u2069b".encode(),
    "not_utf8": b"a\xff",
    "overlong": b"a\xc0\xaf",
    "surrogate": b"a\xed\xa0\x80",
    "above_10ffff": b"a\xf4\x90\x80\x80",
    "cut_in_a_character": b"a\xe2\x82",
}


@vector("unsupported_signature", "3", BAD_COMMENTS)
def reserved(case, data):
    "reserved is neither empty nor a comment: {name}"
    return case.file(case.key(), reserved=data)


@vector("invalid_signature", "3", ["changed", "removed", "added"])
def comment_not_signed(case, what):
    "the comment was {name}"
    signed, shown = {"changed": (b"good", b"evil"), "removed": (b"good", b""), "added": (b"", b"evil")}[what]
    key = case.key()
    value = value_of(case, ED25519, key.secret, book.signed_data(b"file", signed, "sha512", CONTENT))
    return case.file(key, reserved=shown, value=lambda _: value)


# Steps 1 and 2: armour.


NO_SIGNATURES = {
    "empty": b"",
    "text": b"Hello, Sealstone\n",
    "begin_cut": BEGIN[:-1],
    "begin_of_file_armour": b"-----BEGIN SEALSTONE FILE-----\n",
    "begin_in_lower_case": armour(b"SSHSIG").replace(b"BEGIN SSH", b"begin ssh"),
    "begin_with_four_dashes": armour(b"SSHSIG")[1:],
    "pgp": b"-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----\n",
    "minisign": b"untrusted comment: signature from minisign secret key\n",
}


@vector("not_a_signature", "4.1", NO_SIGNATURES)
def not_a_signature(case, file):
    "no line of the input begins as a signature: {name}"
    case.key()
    return file


BEFORE = {"blob": b"SSHSIG", "quote": b"> ", "null_byte": b"\0\n", "spaces": b" " * 16384}


@vector("not_a_signature", "4.1", BEFORE)
def not_a_signature_behind(case, before):
    "a good signature behind something: {name}"
    return before + case.file(case.key())


def columns(n, line_end=b"\n"):
    return lambda blob: armour(blob, n, line_end)


def widths(blob):
    """Lines of 1, 2 ... 76 columns, and again."""
    text, lines, width = base64.b64encode(blob), [], 0
    while text:
        width = width % 76 + 1
        lines.append(text[:width])
        text = text[width:]
    return b"\n".join([BEGIN, *lines, END, b""])


def mixed_line_ends(blob):
    lines = armour(blob).split(b"\n")[:-1]
    return b"".join(line + (b"\r\n" if at % 2 else b"\n") for at, line in enumerate(lines))


ARMOURS = {
    "crlf": columns(70, b"\r\n"),
    "mixed_line_ends": mixed_line_ends,
    "no_newline_behind_end": lambda blob: armour(blob)[:-1],
    "crlf_but_behind_end": lambda blob: armour(blob, 70, b"\r\n")[:-2],
    "columns_1": columns(1),
    "columns_64": columns(64),
    "columns_76": columns(76),
    "columns_of_all_widths": widths,
}


@vector(section="4.1", each=ARMOURS)
def armour_of(case, form):
    "armour in another form than writers write: {name}"
    return form(case.blob(case.key()))


def blob_with_rest(case, rest):
    """A blob whose length leaves this rest when it is divided by three, by a namespace that is as long as it takes."""
    key = case.key()
    for length in range(4, 7):
        blob = case.blob(key, namespace=b"n" * length)
        if len(blob) % 3 == rest:
            case.namespace = "n" * length
            return blob
    raise AssertionError


@vector(section="4.1", each=[0, 1, 2])
def armour_padding(case, n):
    "armour whose base64 ends with {0} of ="
    return armour(blob_with_rest(case, -n % 3))


def edit(old, new, count=1):
    return lambda text: text.replace(old, new, count)


def in_line(at, change):
    def edited(text):
        lines = text.split(b"\n")
        lines[at] = change(lines[at])
        return b"\n".join(lines)

    return edited


def set_bits_behind(text):
    """The last character before the padding holds bits that are not zero."""
    alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    at = text.index(b"=") - 1
    return text[:at] + alphabet[alphabet.index(text[at]) + 1 :][:1] + text[at + 1 :]


TAKEN = {
    "newline_before": lambda text: b"\n" + text,
    "space_before": lambda text: b" " + text,
    "byte_order_mark": lambda text: b"\xef\xbb\xbf" + text,
    "text_before": lambda text: b"text\n" + text,
    "mail_around": lambda text: b"From: Alice\r\n\r\n" + text.replace(b"\n", b"  \r\n") + b"-- \r\nAlice\r\n",
    "begin_trailing_space": edit(BEGIN, BEGIN + b" "),
    "blank_line_behind_begin": edit(BEGIN + b"\n", BEGIN + b"\n\n"),
    "blank_line_before_end": edit(b"\n" + END, b"\n\n" + END),
    "blank_line_in_body": in_line(2, lambda line: line[:30] + b"\n\n" + line[30:]),
    "end_leading_space": edit(END, b" " + END),
    "end_trailing_space": edit(END, END + b" "),
    "trailing_blank_line": lambda text: text + b"\n",
    "trailing_text": lambda text: text + b"text\n",
    "trailing_null_byte": lambda text: text + b"\0",
    "trailing_cr_without_lf": lambda text: text[:-1] + b"\r",
    "space_behind_line": in_line(2, lambda line: line + b" "),
    "tab_before_line": in_line(2, lambda line: b"\t" + line),
    "two_cr_before_lf": in_line(2, lambda line: line + b"\r\r"),
}


@vector(section="4.1", each=TAKEN)
def armour_with(case, change):
    "what mail, editors and people do to the text: {name}"
    return change(armour(blob_with_rest(case, 2)))


ARMOUR_FAULTS = {
    "begin_longer": edit(BEGIN, BEGIN + b"-"),
    "begin_alone": lambda text: BEGIN,
    "begin_and_newline_alone": lambda text: BEGIN + b"\n",
    "begin_ends_with_cr": edit(BEGIN + b"\n", BEGIN + b"\r"),
    "no_body": lambda text: BEGIN + b"\n" + END + b"\n",
    "no_end": edit(END + b"\n", b""),
    "end_cut": edit(END, END[:-1]),
    "end_longer": edit(END, END + b"-"),
    "end_in_lower_case": edit(END, END.lower()),
    "end_of_another_tool": edit(END, b"-----END PGP SIGNATURE-----"),
    "end_behind_body": edit(b"\n" + END, END),
    "twice": lambda text: text + text,
    "begin_line_behind_text": lambda text: text + b"and again:\n " + BEGIN,
    "quoted_printable": lambda text: text.replace(b"=", b"=3D"),
    "utf16_with_mark": lambda text: text.decode().encode("utf-16"),
    "utf16_big_endian": lambda text: text.decode().encode("utf-16-be"),
    "header_line": edit(BEGIN + b"\n", BEGIN + b"\nVersion: 1\n\n"),
    "space_in_body": in_line(2, lambda line: line[:30] + b" " + line[30:]),
    "cr_in_body": in_line(2, lambda line: line[:30] + b"\r" + line[30:]),
    "cr_for_line_end": in_line(2, lambda line: line[:30] + b"\r" + line[30:] + b"\r"),
    "null_byte_in_body": in_line(2, lambda line: line[:30] + b"\0" + line[31:]),
    "character_not_ascii": in_line(2, lambda line: line[:30] + b"\xc3\xa9" + line[32:]),
    "url_alphabet": in_line(2, lambda line: line[:30] + b"-_" + line[32:]),
    "character_missing": in_line(2, lambda line: line[:-1]),
    "character_added": in_line(2, lambda line: line + b"A"),
    "padding_in_the_middle": in_line(2, lambda line: line[:30] + b"==" + line[32:]),
    "padding_missing": edit(b"=", b""),
    "padding_too_long": edit(b"=\n", b"==\n"),
    "padding_three": edit(b"=\n", b"====\n"),
    "bits_behind_the_last_byte": set_bits_behind,
}


@vector("malformed_signature", "4.1", ARMOUR_FAULTS)
def armour_fault(case, change):
    "a fault of the armour: {name}"
    good = armour(blob_with_rest(case, 2))
    assert change(good) != good
    return change(good)


@vector("malformed_signature", "4.1", [77, 10000])
def armour_fault_columns(case, n):
    "body lines of {0} columns"
    return armour(case.blob(case.key(P256)), n)


def armour_of_length(blob, length):
    """Armour of so many bytes: lines of one column first, and one of what is missing to 70."""
    text, last = base64.b64encode(blob), []
    lines = length - len(BEGIN) - len(END) - 2 - len(text)
    while text:
        width = next(w for w in range(min(76, len(text)), 0, -1) if len(text) - w >= lines - len(last) - 1)
        last.append(text[:width])
        text = text[width:]
    made = b"\n".join([BEGIN, *last, END, b""])
    assert len(made) == length, (len(made), length)
    return made


@vector(section="4.1")
def armour_of_16384_bytes(case):
    "the longest armour, of 16,384 bytes"
    case.note = "c" * 1024
    return armour_of_length(case.blob(case.key(HYBRID), reserved=b"c" * 1024), 16384)


@vector("malformed_signature", "4.1")
def armour_fault_16385_bytes(case):
    "armour of 16,385 bytes"
    return armour_of_length(case.blob(case.key(HYBRID), reserved=b"c" * 1024), 16385)


@vector("malformed_signature", "4.1", ["long", "long_with_good_beginning"])
def armour_fault_too(case, what):
    "a signature and so much behind it that it has over 16,384 bytes: {name}"
    return case.file(case.key()) + b"\n" * (20000 if what == "long" else 16384)


@vector("malformed_signature", "1", {"empty": b"", "lower_case": b"sshsig", "other": b"SSHKRL", "cut": b"SSHSI"})
def magic(case, magic):
    "the blob has another magic: {name}"
    blob = case.blob(case.key(), magic=magic)
    return armour(magic if len(magic) == 5 else blob)


# Step 3: the version.


@vector("unsupported_signature", "1", [0, 2, 0x01000000, 2**32 - 1])
def version(case, n):
    "version {0}"
    return case.file(case.key(), version=n)


@vector("malformed_signature", "1", [0, 1, 3])
def version_cut(case, n):
    "the blob ends {0} bytes behind the magic"
    case.key()
    return armour(b"SSHSIG\0\0\0\1"[: 6 + n])


@vector("unsupported_signature", "6.1")
def order_version_before_strings(case):
    "another version, and no strings"
    case.key()
    return armour(b"SSHSIG\0\0\0\2")


# Step 4: five strings.


def cut(n):
    return lambda blob: blob[:n]


STRING_FAULTS = {
    "none": cut(10),
    "length_cut": cut(13),
    "publickey_cut": cut(40),
    "no_namespace": cut(10 + 4 + 51),
    "no_signature": cut(10 + 4 + 51 + 8 + 4 + 10),
    "signature_cut_by_a_byte": cut(-1),
    "byte_behind": lambda blob: blob + b"\0",
    "string_behind": lambda blob: blob + string(b""),
    "publickey_too_long": lambda blob: blob[:10] + b"\xff\xff\xff\xff" + blob[14:],
    "publickey_swallows_all": lambda blob: blob[:10] + (len(blob) - 14).to_bytes(4, "big") + blob[14:],
    "publickey_empty": lambda blob: blob[:10] + string(b"") + blob[14 + 51 :],
    "publickey_of_three_bytes": lambda blob: blob[:10] + string(b"\0\0\0") + blob[14 + 51 :],
    "publickey_name_too_long": lambda blob: blob[:14] + b"\0\0\0\x34" + blob[18:],
    "namespace_empty": lambda blob: blob[: 14 + 51] + string(b"") + blob[14 + 51 + 8 :],
}


@vector("malformed_signature", "1", STRING_FAULTS)
def strings(case, change):
    "the five strings: {name}"
    return armour(change(case.blob(case.key())))


@vector("malformed_signature", "1")
def namespace_empty_and_signed(case):
    "the namespace is empty, and signed so"
    key = case.key()
    signed = b"SSHSIG" + b"".join(map(string, [b"", b"", b"sha512", DIGEST["sha512"](CONTENT)]))
    return case.file(key, namespace=b"", signed=signed)


# Step 5: what is not supported.


@vector("unsupported_signature", "2", ["rsa", "p384", "ed25519_cert"])
def unsupported_ssh_keygen(case, name):
    "a good signature by ssh-keygen 9.2 that is of no kind here: {name}"
    made = MADE_BY_SSH_KEYGEN["signatures"][name]
    case.signers = [MADE_BY_SSH_KEYGEN["keys"]["ed25519"]["public"]]
    case.content = made["content"].encode()
    return made["signature"].encode()


KEY_NAMES = {
    "rsa": b"ssh-rsa",
    "rsa_sha2_512": b"rsa-sha2-512",
    "dss": b"ssh-dss",
    "ed448": b"ssh-ed448",
    "p384": b"ecdsa-sha2-nistp384",
    "p521": b"ecdsa-sha2-nistp521",
    "sk_ed25519": b"sk-ssh-ed25519@openssh.com",
    "sk_p256": b"sk-ecdsa-sha2-nistp256@openssh.com",
    "webauthn_p256": b"webauthn-sk-ecdsa-sha2-nistp256@openssh.com",
    "certificate_ed25519": b"ssh-ed25519-cert-v01@openssh.com",
    "certificate_p256": b"ecdsa-sha2-nistp256-cert-v01@openssh.com",
    "certificate_sm2": b"sm2-cert",
    "ml_dsa_44": b"ssh-mldsa-44",
    "ml_dsa_87": b"ssh-mldsa-87",
    "hybrid_unqualified": b"ssh-mldsa65-ed25519",
    "hybrid44_of_openssh_10_5": b"ssh-mldsa44-ed25519@openssh.com",
    "hybrid44_of_wolfssl": b"ssh-mldsa44-es256@wolfssl.com",
    "upper_case": b"SSH-ED25519",
    "null_byte_behind": b"ssh-ed25519\0",
    "empty": b"",
    "not_ascii": b"ssh-ed25519\xff",
}


@vector("unsupported_signature", "2", KEY_NAMES)
def key_name(case, name):
    "a key and a signature of ed25519 under the name of another: {name}"
    key = case.key()
    return case.file(key, publickey=string(name) + string(key.public), name=name)


@vector("unsupported_signature", "2", HYBRIDS)
def key_name_hybrid(case, kind):
    "a good signature of the kind {0.name} under the unsupported name of the same construction"
    key, name = case.key(kind), {HYBRID: b"ssh-mldsa65-ed25519", HYBRID44: b"ssh-mldsa44-ed25519@openssh.com"}[kind]
    return case.file(key, publickey=string(name) + string(key.public), name=name)


def other_hash(name, digest):
    return {"hash_name": name, "digest": digest}


SHA256, SHA512 = DIGEST["sha256"], DIGEST["sha512"]
HASHES = {
    "ed25519_sha384": (ED25519, "sha384", lambda data: hashlib.sha384(data).digest()),
    "ed25519_sha1": (ED25519, "sha1", lambda data: hashlib.sha1(data).digest()),
    "ed25519_sm3": (ED25519, "sm3", DIGEST["sm3"]),
    "ed25519_upper_case": (ED25519, "SHA512", SHA512),
    "ed25519_with_dash": (ED25519, "sha-512", SHA512),
    "ed25519_null_byte_behind": (ED25519, "sha512\0", SHA512),
    "p256_sign_sm3": (P256, "sm3", DIGEST["sm3"]),
    "ml_dsa_65_sha256": (MLDSA65, "sha256", SHA256),
    "hybrid_sign_sha256": (HYBRID, "sha256", SHA256),
    "hybrid44_sign_sha256": (HYBRID44, "sha256", SHA256),
    "sm2_sign_sha256": (SM2, "sha256", SHA256),
    "sm2_sign_sha512": (SM2, "sha512", SHA512),
}


@vector("unsupported_signature", "2", HASHES)
def hash_of(case, value):
    "a hash that the kind does not have: {name}"
    kind, name, digest = value
    return case.file(case.key(kind), hash_name=name, digest=digest)


@vector("unsupported_signature", "2")
def hash_of_no_name(case):
    "the name of the hash is empty"
    return case.wrap(armour(case.blob(case.key()).replace(string(b"sha512"), string(b""))))


# Step 6: names, lengths and encodings inside.


@vector("malformed_signature", "2")
def signature_name_of_another_kind(case):
    "the key is of ed25519, the signature's name is of ecdsa"
    return case.file(case.key(), name=b"ecdsa-sha2-nistp256")


SIGNATURE_FAULTS = {
    "empty": b"",
    "name_alone": string(b"ssh-ed25519"),
    "name_cut": string(b"ssh-ed25519")[:-1],
    "without_name": string(bytes(64)),
    "value_cut": string(b"ssh-ed25519") + string(bytes(64))[:-1],
    "value_of_63_bytes": string(b"ssh-ed25519") + string(bytes(63)),
    "value_of_65_bytes": string(b"ssh-ed25519") + string(bytes(65)),
    "value_empty": string(b"ssh-ed25519") + string(b""),
}


@vector("malformed_signature", "2", SIGNATURE_FAULTS)
def signature_fault(case, signature):
    "the last string: {name}"
    return case.file(case.key(), signature=signature)


@vector("malformed_signature", "2", NAMED)
def signature_byte_behind(case, kind):
    "a good signature of the kind {0.name} and a byte behind it, within the last string"
    key = case.key(kind)
    signed = book.signed_data(b"file", b"", kind.hashes[0], CONTENT)
    value = value_of(case, kind, key.secret, signed)
    return case.file(key, signature=kind.signature(value) + b"\0")


@vector("malformed_signature", "2", NAMED)
def signature_value_longer(case, kind):
    "a good signature of the kind {0.name} and a byte behind it, within the value"
    key = case.key(kind)
    return case.file(key, value=lambda signed: value_of(case, kind, key.secret, signed) + b"\0")


@vector("malformed_signature", "2", NAMED)
def publickey_byte_behind(case, kind):
    "a good key of the kind {0.name} and a byte behind it, within the first string"
    key = case.key(kind)
    return case.file(key, publickey=key.publickey + b"\0")


@vector("malformed_signature", "2", NAMED)
def publickey_short(case, kind):
    "the key of the kind {0.name} is a byte shorter than the kind's"
    key = case.key(kind)
    return case.file(key, publickey=kind.publickey(key.public[:-1]))


@vector("malformed_signature", "2", {"p256_sign": P256, "sm2_sign": SM2})
def publickey_compressed(case, kind):
    "the point is compressed, in the kind {0.name}"
    key = case.key(kind)
    return case.file(key, publickey=kind.publickey(bytes([2 + (key.public[-1] & 1)]) + key.public[1:33]))


@vector("malformed_signature", "2", {"p256_sign": P256, "sm2_sign": SM2})
def publickey_curve(case, kind):
    "the curve that stands beside the name {0.name} is another"
    key = case.key(kind)
    other = {P256: b"nistp384", SM2: b"nistp256"}[kind]
    return case.file(key, publickey=string(kind.key_name) + string(other) + string(key.public))


@vector("malformed_signature", "2")
def publickey_without_curve(case):
    "the key of p256-sign has no name of a curve"
    key = case.key(P256)
    return case.file(key, publickey=string(P256.key_name) + string(key.public))


def padded(n):
    return string(b"\0" + mpint(n)[4:])


MPINTS = {
    "zero_byte_before_r": lambda r, s: padded(r) + mpint(s),
    "zero_byte_before_s": lambda r, s: mpint(r) + padded(s),
    "negative_r": lambda r, s: string((r - 2**256).to_bytes(32, "big", signed=True)) + mpint(s) if r >> 255 else None,
    "negative_s": lambda r, s: mpint(r) + string((-s).to_bytes(33, "big", signed=True)),
    "zero_as_a_byte": lambda r, s: string(b"\0") + mpint(s),
    "r_of_34_bytes": lambda r, s: string(b"\1" + bytes(33)) + mpint(s),
    "s_missing": lambda r, s: mpint(r),
    "s_cut": lambda r, s: mpint(r) + mpint(s)[:-1],
    "third_number": lambda r, s: mpint(r) + mpint(s) + mpint(1),
    "der": lambda r, s: seq(integer(r), integer(s)),
    "fixed_length": lambda r, s: r.to_bytes(32, "big") + s.to_bytes(32, "big"),
    "empty": lambda r, s: b"",
}


@vector("malformed_signature", "2.2", MPINTS)
def p256_mpint(case, encode):
    "r and s are not two minimal mpints: {name}"
    key = case.key(P256)

    def value(signed):
        while (made := encode(*ecdsa(case, key.secret, signed))) is None:
            pass
        return made

    return case.file(key, value=value)


def long_length(r, s):
    content = integer(r) + integer(s)
    return b"\x30\x81" + bytes([len(content)]) + content


DERS = {
    "zero_byte_before_r": lambda r, s: seq(tlv(0x02, b"\0" + integer(r)[2:]), integer(s)),
    "zero_byte_before_s": lambda r, s: seq(integer(r), tlv(0x02, b"\0" + integer(s)[2:])),
    "negative_s": lambda r, s: seq(integer(r), integer(s - 2**256)),
    "r_of_34_bytes": lambda r, s: seq(integer(2**264), integer(s)),
    "length_in_long_form": long_length,
    "length_indefinite": lambda r, s: b"\x30\x80" + integer(r) + integer(s) + b"\0\0",
    "set": lambda r, s: tlv(0x31, integer(r), integer(s)),
    "octet_strings": lambda r, s: seq(octets(integer(r)[2:]), octets(integer(s)[2:])),
    "s_missing": lambda r, s: seq(integer(r)),
    "third_number": lambda r, s: seq(integer(r), integer(s), integer(1)),
    "byte_behind": lambda r, s: seq(integer(r), integer(s)) + b"\0",
    "null_inside": lambda r, s: seq(integer(r), integer(s), tlv(0x05)),
    "integer_empty": lambda r, s: seq(tlv(0x02), integer(s)),
    "mpints": lambda r, s: mpint(r) + mpint(s),
    "fixed_length": lambda r, s: r.to_bytes(32, "big") + s.to_bytes(32, "big"),
    "empty": lambda r, s: b"",
}


@vector("malformed_signature", "2.5", DERS)
def sm2_der(case, encode):
    "r and s are not a SEQUENCE of two INTEGERs in DER: {name}"
    key = case.key(SM2)
    return case.file(key, value=lambda signed: encode(*sm2_numbers(case, key.secret, signed)))


# Steps 7 and 8: namespace and signer. Nothing is computed with a key that the caller did not give.


@vector("unknown_signer", "6.1", NAMED)
def unknown_signer(case, kind):
    "a good signature by a key of the kind {0.name}; the caller trusts another of the same kind"
    key = case.key(kind, trusted=False)
    case.key(kind)
    case.signed_by = key.fingerprint
    return case.file(key)


@vector("unknown_signer", "6.1")
def unknown_signer_signature_wrong(case):
    "a key that the caller does not trust, and a signature that is wrong"
    key = case.key(trusted=False)
    case.key()
    case.signed_by = key.fingerprint
    return case.file(key, value=lambda _: bytes(64))


@vector("unknown_signer", "9")
def unknown_signer_second_key_of_ecdsa(case):
    "a good signature with the key exchanged for the second one under which it verifies"
    key = case.key(P256)
    n, made = P256.n, []

    def value(signed):
        k, e = case.scalar(n), int.from_bytes(hashlib.sha256(signed).digest(), "big")
        point = p256_multiply(k, P256_G)
        r = point[0] % n
        s = pow(k, -1, n) * (e + r * int.from_bytes(key.secret, "big")) % n
        # Q = (sR - eG) / r, for the other point R with the same x.
        left, right = p256_multiply(s, (point[0], P256_P - point[1])), p256_multiply(n - e % n, P256_G)
        made.append(p256_multiply(pow(r, -1, n), p256_add(left, right)))
        return mpint(r) + mpint(s)

    blob = case.blob(key, value=value)
    second = Key(P256, None, b"\x04" + b"".join(number.to_bytes(32, "big") for number in made[0]))
    parsed = book.parse_blob(blob)
    P256.verify(second.public, parsed.signature, parsed.signed(CONTENT))
    case.signed_by = second.fingerprint
    return armour(blob.replace(key.publickey, second.publickey))


def off_curve(kind):
    prime, b = (P256_P, P256_B) if kind is P256 else (SM2_P, SM2_B)
    x = y = 5
    assert (y * y - x**3 + 3 * x - b) % prime
    return b"\x04" + x.to_bytes(32, "big") + y.to_bytes(32, "big")


def not_canonical():
    """An encoding with y of at least p whose point is neither of low order nor missing."""
    for y in range(19):
        try:
            book.ed_point_of_use(y.to_bytes(32, "little"))
        except ValueError:
            continue
        return (y + ED_P).to_bytes(32, "little")
    raise AssertionError


def not_on_edwards():
    for y in range(2, 100):
        try:
            book.ed_decode(y.to_bytes(32, "little"))
        except ValueError:
            return y.to_bytes(32, "little")
    raise AssertionError


ED_FAULTS = {
    "identity": ed_encode((0, 1)),
    "order_2": ed_encode(ED_ORDER_2),
    "order_4": bytes(32),
    "order_8": ed_encode(ED_ORDER_8),
    "not_canonical": not_canonical(),
    "not_canonical_identity": (ED_P + 1).to_bytes(32, "little"),
    "identity_with_sign": ed_encode((1, 1)),
    "not_on_the_curve": not_on_edwards(),
}
KEY_FAULTS = {f"ed25519_{name}": (ED25519, public) for name, public in ED_FAULTS.items()}
for _kind, _n, _p in ((P256, "p256_sign", P256_P), (SM2, "sm2_sign", SM2_P)):
    _good = Key(_kind, (5).to_bytes(32, "big")).public
    KEY_FAULTS |= {
        f"{_n}_off_the_curve": (_kind, off_curve(_kind)),
        f"{_n}_zeros": (_kind, b"\x04" + bytes(64)),
        f"{_n}_hybrid_form": (_kind, bytes([6 + (_good[-1] & 1)]) + _good[1:]),
        f"{_n}_x_is_p": (_kind, b"\x04" + _p.to_bytes(32, "big") + _good[33:]),
    }
for _kind, _n in ((HYBRID, "hybrid_sign"), (HYBRID44, "hybrid44_sign")):
    _half = Key(_kind, bytes(range(64))).public[:-32]
    KEY_FAULTS |= {f"{_n}_{name}": (_kind, _half + ED_FAULTS[name]) for name in ("order_8", "not_canonical")}


@vector("unknown_signer", "6.1", KEY_FAULTS)
def publickey_that_is_none(case, value):
    "what stands for a key in the file is none, so nobody trusts it: {name}"
    kind, public = value
    case.key()
    case.signed_by = Key(kind, None, public).fingerprint
    return file_with(case, kind, public)


@vector("invalid_signer", "7.2", KEY_FAULTS)
def signer_that_is_none(case, value):
    "the caller gives a key that is none, and the file has it: {name}"
    kind, public = value
    case.signers = [ssh_line(kind, public)]
    return file_with(case, kind, public)


def file_with(case, kind, public):
    """A file with a key that is none. For points of low order the signature of zeros is right without a private key."""
    if kind is ED25519:
        return case.file(Key(kind, None, public), value=lambda _: ed_encode((0, 1)) + bytes(32))
    return case.file(Key(kind, case.secret(kind)), publickey=kind.publickey(public))


@vector("invalid_signer", "6.1")
def signer_missing(case):
    "the caller gives no signer"
    return case.file(case.key(trusted=False))


# Step 9: ranges and equations.


@vector("invalid_signature", "6.1", NAMED)
def content_changed(case, kind):
    "the content differs in one bit from what a key of the kind {0.name} has signed"
    file = case.file(case.key(kind))
    case.content = flip(CONTENT, 0)
    return file


@vector("invalid_signature", "6.1", ["cut", "longer", "empty", "crlf"])
def content(case, what):
    "the content was changed after it was signed: {name}"
    file = case.file(case.key())
    case.content = {"cut": CONTENT[:-1], "longer": CONTENT + b"\0", "empty": b"", "crlf": b"Hello, Sealstone\r\n"}[what]
    return file


@vector("invalid_signature", "6.1", NAMED)
def signature_of_another_key(case, kind):
    "a signature of the kind {0.name} by another key than the one beside it, which is trusted"
    key, other = case.key(kind), case.key(kind, trusted=False)
    return case.file(other, publickey=key.publickey)


@vector("invalid_signature", "1", CLASSICAL)
def hash_exchanged(case, kind):
    "the hash's name was exchanged for the other one of the kind {0.name}; its hash is signed under the first name"
    key = case.key(kind)
    signed = b"SSHSIG" + b"".join(map(string, [b"file", b"", b"sha512", SHA256(CONTENT)]))
    return case.file(key, hash_name="sha256", signed=signed)


@vector("invalid_signature", "1")
def namespace_exchanged(case):
    "the file has the namespace that the reader expects, but another one is signed"
    key = case.key()
    signed = b"SSHSIG" + b"".join(map(string, [b"git", b"", b"sha512", SHA512(CONTENT)]))
    return case.file(key, signed=signed)


SIGNED = {
    "content_itself": lambda strings: CONTENT,
    "hash_alone": lambda strings: SHA512(CONTENT),
    "without_magic": lambda strings: b"".join(map(string, strings)),
    "with_version": lambda strings: b"SSHSIG\0\0\0\1" + b"".join(map(string, strings)),
    "content_in_place_of_hash": lambda strings: b"SSHSIG" + b"".join(map(string, [*strings[:3], CONTENT])),
    "without_lengths": lambda strings: b"SSHSIG" + b"".join(strings),
    "hash_in_hexadecimal": lambda strings: b"SSHSIG"
    + b"".join(map(string, [*strings[:3], SHA512(CONTENT).hex().encode()])),
}


@vector("invalid_signature", "1", SIGNED)
def signed(case, make):
    "something else is signed: {name}"
    return case.file(case.key(), signed=make([b"file", b"", b"sha512", SHA512(CONTENT)]))


@vector("invalid_signature", "2.1")
def ed25519_s_plus_l(case):
    "S is L more than it should be"
    key = case.key()

    def value(signed):
        made = ed25519_sign(key.secret, signed)
        return made[:32] + (int.from_bytes(made[32:], "little") + ED_L).to_bytes(32, "little")

    return case.file(key, value=value)


@vector("invalid_signature", "2.1")
def ed25519_s_top_bit(case):
    "the top bit of S is set"
    key = case.key()
    return case.file(key, value=lambda signed: flip(ed25519_sign(key.secret, signed), -1, 0x80))


R_FAULTS = {
    "identity": ((0, 1), None),
    "not_canonical_identity": ((0, 1), ED_FAULTS["not_canonical_identity"]),
    "identity_with_sign": ((0, 1), ED_FAULTS["identity_with_sign"]),
}


@vector("invalid_signature", "2.1", R_FAULTS)
def ed25519_r(case, value):
    "R is of low order, and the equation holds with its point: {name}"
    key = case.key()
    point, data = value
    data = data or ed_encode(point)

    def made(signed):
        return data + (ed_challenge(data, key.public, signed) * ed_scalar(key.secret) % ED_L).to_bytes(32, "little")

    return case.file(key, value=made)


@vector("invalid_signature", "2.1")
def ed25519_cofactored(case):
    "R has a part of order 2: eight times the equation holds, and the equation does not"
    key = case.key()

    def value(signed):
        nonce = case.scalar(ED_L)
        r = ed_encode(ed_add(ed_multiply(nonce, ED_BASE), ED_ORDER_2))
        s = (nonce + ed_challenge(r, key.public, signed) * ed_scalar(key.secret)) % ED_L
        return r + s.to_bytes(32, "little")

    return case.file(key, value=value)


@vector("invalid_signature", "2.1")
def ed25519_prehashed(case):
    "Ed25519ph in place of Ed25519"
    key = case.key()
    prefix = hashlib.sha512(key.secret).digest()[32:]

    def value(signed):
        head, message = b"SigEd25519 no Ed25519 collisions\1\0", SHA512(signed)
        nonce = int.from_bytes(SHA512(head + prefix + message), "little") % ED_L
        r = ed_encode(ed_multiply(nonce, ED_BASE))
        h = int.from_bytes(SHA512(head + r + key.public + message), "little")
        return r + ((nonce + h * ed_scalar(key.secret)) % ED_L).to_bytes(32, "little")

    return case.file(key, value=value)


def ranges(n):
    return {
        "r_zero": lambda r, s: (0, s),
        "s_zero": lambda r, s: (r, 0),
        "both_zero": lambda r, s: (0, 0),
        "r_is_n": lambda r, s: (n, s),
        "s_is_n": lambda r, s: (r, n),
        "r_plus_n": lambda r, s: (r + n, s),
        "s_plus_n": lambda r, s: (r, s + n),
        "r_of_33_bytes": lambda r, s: (2**263 - 1, s),
        "exchanged": lambda r, s: (s, r),
    }


@vector("invalid_signature", "2.2", ranges(P256.n))
def p256_range(case, change):
    "r and s: {name}"
    key = case.key(P256)
    return case.file(key, value=lambda signed: b"".join(map(mpint, change(*ecdsa(case, key.secret, signed)))))


@vector("invalid_signature", "2.2")
def p256_over_sha512(case):
    "ECDSA hashes what is signed with SHA-512 in place of SHA-256"
    key = case.key(P256)

    def value(signed):
        n, k, e = P256.n, case.scalar(P256.n), int.from_bytes(SHA512(signed)[:32], "big")
        r = p256_multiply(k, P256_G)[0] % n
        s = pow(k, -1, n) * (e + r * int.from_bytes(key.secret, "big")) % n
        return mpint(r) + mpint(min(s, n - s))

    return case.file(key, value=value)


@vector("invalid_signature", "2.5", ranges(SM2_N) | {"sum_is_n": lambda r, s: (r, SM2_N - r)})
def sm2_range(case, change):
    "r and s: {name}"
    key = case.key(SM2)
    return case.file(key, value=lambda signed: seq(*map(integer, change(*sm2_numbers(case, key.secret, signed)))))


@vector("invalid_signature", "2.5", {"empty_id": b"", "other_id": b"ALICE123@YAHOO.COM", "without_z": None})
def sm2_with(case, identifier):
    "SM2 with another e: {name}"
    key = case.key(SM2)

    def value(signed):
        z = b""
        if identifier is not None:
            numbers = b"".join(n.to_bytes(32, "big") for n in [SM2_P - 3, SM2_B, *SM2_G])
            bits = (8 * len(identifier)).to_bytes(2, "big")
            z = DIGEST["sm3"](bits + identifier + numbers + key.public[1:])
        d, k = int.from_bytes(key.secret, "big"), case.scalar(SM2_N)
        e = int.from_bytes(DIGEST["sm3"](z + signed), "big")
        r = (e + sm2_multiply(k, SM2_G)[0]) % SM2_N
        return seq(integer(r), integer(pow(1 + d, -1, SM2_N) * (k - r * d) % SM2_N))

    return case.file(key, value=value)


def hints_of(kind, change):
    """Changes the end of a lattice signature, where the hints are: omega places, then k ends."""

    def changed(value):
        ml, tail = half(kind), 64 if isinstance(kind, Hybrid) else 0
        end = len(value) - tail
        start = end - ml.omega - ml.k
        places, ends = list(value[start : start + ml.omega]), list(value[start + ml.omega : end])
        places, ends = change(places, ends)
        return value[:start] + bytes(places) + bytes(ends) + value[end:]

    return changed


def swap(places, ends):
    """Two places of one row in the wrong order."""
    first = next(row for row in range(len(ends)) if ends[row] - ([0] + ends)[row] > 1)
    at = ([0] + ends)[first]
    places[at], places[at + 1] = places[at + 1], places[at]
    return places, ends


def repeat(places, ends):
    """A place twice: the hint is a set to a reader that does not look."""
    last = ends[-1]
    places[ends[-2] + 1 : last + 1] = places[ends[-2] : last]
    return places, ends[:-1] + [last + 1]


HINTS = {
    "not_ascending": swap,
    "a_place_twice": repeat,
    "padding_not_zero": lambda places, ends: ([*places[:-1], 1], ends),
    "ends_descending": lambda places, ends: (places, [ends[0], ends[0] - 1, *ends[2:]]),
    "end_beyond_omega": lambda places, ends: (places, [*ends[:-1], 255]),
}


@vector("invalid_signature", "2.3", {f"{n}_{h}": (k, c) for n, k in LATTICE.items() for h, c in HINTS.items()})
def hints(case, value):
    "the hints of ML-DSA are not as FIPS 204 encodes them: {name}"
    kind, change = value
    key = case.key(kind)

    def made(signed):
        while True:
            good = value_of(case, kind, key.secret, signed)
            ml, end = half(kind), len(good) - (64 if isinstance(kind, Hybrid) else 0)
            ends = good[end - ml.k : end]
            # Room for one more hint, and enough for every change.
            if ends[-1] < ml.omega - 1 and ends[-1] > ends[-2] and ends[0]:
                return hints_of(kind, change)(good)

    return case.file(key, value=made)


@vector("invalid_signature", "2.3", LATTICE)
def lattice_response_of_zeros(case, kind):
    "z is as long as it may not be: all its numbers are gamma1; the kind is {0.name}"
    key, ml = case.key(kind), half(kind)

    def value(signed):
        good = value_of(case, kind, key.secret, signed)
        start, width = ml.strength // 4, 32 * ml.l * ml.gamma1.bit_length()
        return good[:start] + bytes(width) + good[start + width :]

    return case.file(key, value=value)


@vector("invalid_signature", "2.3")
def ml_dsa_with_context(case):
    "ML-DSA with a context that is not empty"
    key = case.key(MLDSA65)
    return case.file(key, value=lambda signed: ML_DSA_65.sign(key.secret, signed, b"file", case.random(32)))


def halves(case, kind, key, lattice=None, edwards=None, message=None):
    """A composite signature with one of its halves made in another way."""

    def value(signed):
        whole = (message or kind.message)(signed)
        made = (lattice or (lambda m: half(kind).sign(key.secret[:32], m, kind.label, case.random(32))))(whole)
        return made + (edwards or (lambda m: ed25519_sign(key.secret[32:], m)))(whole)

    return value


@vector("invalid_signature", "2.4", HYBRIDS)
def hybrid_ml_dsa_broken(case, kind):
    "the Ed25519 half is right and the half of ML-DSA is not; the kind is {0.name}"
    key = case.key(kind)

    def lattice(message):
        return flip(half(kind).sign(key.secret[:32], message, kind.label, case.random(32)), 100)

    return case.file(key, value=halves(case, kind, key, lattice=lattice))


@vector("invalid_signature", "2.4", HYBRIDS)
def hybrid_ed25519_broken(case, kind):
    "the half of ML-DSA is right and the Ed25519 half is not; the kind is {0.name}"
    key = case.key(kind)
    return case.file(key, value=halves(case, kind, key, edwards=lambda m: flip(ed25519_sign(key.secret[32:], m), 0)))


@vector("invalid_signature", "2.4", HYBRIDS)
def hybrid_both_broken(case, kind):
    "neither half is right; the kind is {0.name}"
    key = case.key(kind)
    return case.file(key, value=lambda signed: bytes(kind.signature_length))


@vector("invalid_signature", "2.4", HYBRIDS)
def hybrid_s_plus_l(case, kind):
    "S of the Ed25519 half is L more than it should be; the kind is {0.name}"
    key = case.key(kind)

    def edwards(message):
        made = ed25519_sign(key.secret[32:], message)
        return made[:32] + (int.from_bytes(made[32:], "little") + ED_L).to_bytes(32, "little")

    return case.file(key, value=halves(case, kind, key, edwards=edwards))


@vector("invalid_signature", "2.4", HYBRIDS)
def hybrid_halves_exchanged(case, kind):
    "Ed25519 before ML-DSA; the kind is {0.name}"
    key = case.key(kind)

    def value(signed):
        made = value_of(case, kind, key.secret, signed)
        return made[-64:] + made[:-64]

    return case.file(key, value=value)


@vector("invalid_signature", "2.4", HYBRIDS)
def hybrid_without_context(case, kind):
    "ML-DSA's context is empty in place of the label; the kind is {0.name}"
    key = case.key(kind)

    def lattice(message):
        return half(kind).sign(key.secret[:32], message, b"", case.random(32))

    return case.file(key, value=halves(case, kind, key, lattice=lattice))


@vector("invalid_signature", "2.4", HYBRIDS)
def hybrid_over_signed(case, kind):
    "both halves sign what is signed itself, not the composite's message; the kind is {0.name}"
    key = case.key(kind)
    return case.file(key, value=halves(case, kind, key, message=lambda signed: signed))


MESSAGES = {
    "old_prefix_and_randomizer": lambda kind, signed: b"CompositeAlgorithmSignatures2025"
    + bytes.fromhex("060b6086480186fa6b50090101")
    + b"\0"
    + bytes(32)
    + SHA512(signed),
    "without_prefix": lambda kind, signed: kind.label + b"\0" + SHA512(signed),
    "without_context_length": lambda kind, signed: b"CompositeAlgorithmSignatures2025" + kind.label + SHA512(signed),
    "sha256": lambda kind, signed: b"CompositeAlgorithmSignatures2025" + kind.label + b"\0" + SHA256(signed),
    "without_hash": lambda kind, signed: b"CompositeAlgorithmSignatures2025" + kind.label + b"\0" + signed,
}


@vector("invalid_signature", "2.4", MESSAGES)
def hybrid_message(case, message):
    "the composite's message is another, in both halves: {name}"
    key = case.key(HYBRID)
    return case.file(key, value=halves(case, HYBRID, key, message=lambda signed: message(HYBRID, signed)))


@vector("invalid_signature", "2.4")
def hybrid_label_of_the_other(case):
    "hybrid-sign with the label of hybrid44-sign, in message and context"
    key = case.key(HYBRID)

    def lattice(message):
        return ML_DSA_65.sign(key.secret[:32], message, HYBRID44.label, case.random(32))

    return case.file(key, value=halves(case, HYBRID, key, lattice=lattice, message=HYBRID44.message))


@vector("invalid_signature", "2.4")
def hybrid_halves_of_two_keys(case):
    "each half is right by itself, but the Ed25519 half is another key's"
    key, other = case.key(HYBRID), case.key(HYBRID, trusted=False)
    return case.file(key, value=halves(case, HYBRID, key, edwards=lambda m: ed25519_sign(other.secret[32:], m)))


# Attached files.


@vector(section="4.2", each=NAMED, form="attached")
def attached(case, kind):
    "content and the armour behind it; the key is of the kind {0.name}"
    return case.file(case.key(kind))


CONTENTS = {
    "empty": b"",
    "no_newline_at_its_end": b"no newline",
    "one_byte": b"x",
    "binary": bytes(range(256)),
    "ends_with_dashes": b"-----",
    "ends_with_cr": b"text\r",
    "crlf": b"a\r\nb\r\n",
    "of_20000_bytes": b"0123456789\n" * 2000,
    "has_begin_cut": BEGIN,
    "has_begin_line": b"text\n" + BEGIN + b"\n",
    "has_begin_and_crlf": BEGIN + b"\r\n",
    "has_end_line": END + b"\n",
    "has_broken_signature": armour(b"SSHSIG nonsense"),
}


@vector(section="4.2", each=CONTENTS, form="attached")
def attached_content(case, content):
    "the content of an attached file: {name}"
    case.content = content
    return case.file(case.key())


@vector(section="4.2", form="attached")
def attached_nested(case):
    "a signed file, signed again by another key: the content is the first with its armour"
    inner = case.key(P256, trusted=False)
    case.content = CONTENT + armour(case.blob(inner))
    return case.file(case.key())


@vector(section="4.2", form="attached")
def attached_nested_by_the_same_key(case):
    "a signed file, signed again by the same key"
    key = case.key()
    case.content = CONTENT + armour(case.blob(key))
    return case.file(key)


@vector("unknown_signer", "4.2", form="attached")
def attached_nested_inner_is_trusted(case):
    "of two signatures one behind the other the first is by the trusted key; only the last counts"
    inner, outer = case.key(), case.key(P256, trusted=False)
    case.signed_by = outer.fingerprint
    case.content = CONTENT + armour(case.blob(inner))
    return case.file(outer)


@vector(section="4.2", form="attached")
def attached_with_comment(case):
    "an attached file with a comment"
    case.note = "a comment"
    return case.file(case.key(), reserved=b"a comment")


@vector(section="4.2", form="attached")
def attached_16384_bytes(case):
    "the armour has 16,384 bytes, and content is before it"
    case.note = "c" * 1024
    return case.wrap(armour_of_length(case.blob(case.key(HYBRID), reserved=b"c" * 1024), 16384))


@vector("not_a_signature", "4.2", form="attached")
def attached_16385_bytes(case):
    "the armour has 16,385 bytes, so that its BEGIN line is not within the last 16,384"
    return case.wrap(armour_of_length(case.blob(case.key(HYBRID), reserved=b"c" * 1024), 16385))


@vector(section="4.2", each=[1, 76], form="attached")
def attached_columns(case, n):
    "body lines of {0} columns"
    return case.wrap(armour(case.blob(case.key()), n))


NOT_ATTACHED = {
    "empty": b"",
    "content_alone": CONTENT,
    "begin_without_newline": BEGIN,
    "begin_with_crlf": CONTENT + armour(b"SSHSIG", 70, b"\r\n"),
    "begin_with_space": CONTENT + armour(b"SSHSIG").replace(BEGIN, BEGIN + b" "),
    "detached_of_file_armour": b"-----BEGIN SEALSTONE FILE-----\n",
}


@vector("not_a_signature", "4.2", NOT_ATTACHED, "attached")
def attached_not_a_signature(case, file):
    "no BEGIN line that ends with LF: {name}"
    case.key()
    return file


@vector("not_a_signature", "4.2", form="attached")
def attached_crlf(case):
    "all line ends of the armour are CRLF"
    return case.wrap(armour(case.blob(case.key()), 70, b"\r\n"))


ATTACHED_FAULTS = {
    "crlf_behind_begin": in_line(1, lambda line: line + b"\r"),
    "crlf_behind_end": edit(END + b"\n", END + b"\r\n"),
    "no_newline_behind_end": lambda text: text[:-1],
    "newline_behind": lambda text: text + b"\n",
    "byte_behind": lambda text: text + b"\0",
    "text_behind": lambda text: text + b"more content\n",
    "no_end": edit(END + b"\n", b""),
    "begin_line_behind": lambda text: text + BEGIN + b"\n",
    "broken_signature_behind": lambda text: text + armour(b"nonsense"),
    "blank_line": edit(BEGIN + b"\n", BEGIN + b"\n\n"),
    "blank_behind_line": in_line(1, lambda line: line + b" "),
    "blank_line_before_end": edit(b"\n" + END, b"\n\n" + END),
    "text_behind_end": edit(END + b"\n", END + b"\n\n" + END + b"\n"),
    "columns_77": lambda text: armour(base64.b64decode(b"".join(text.split(b"\n")[1:-2])), 77),
    "magic": lambda text: armour(b"sshsig" + base64.b64decode(b"".join(text.split(b"\n")[1:-2]))[6:]),
}


@vector("malformed_signature", "4.2", ATTACHED_FAULTS, "attached")
def attached_fault(case, change):
    "the last BEGIN line does not begin armour that goes to the end: {name}"
    return case.wrap(change(armour(case.blob(case.key()))))


ATTACHED_CHANGES = {
    "content_changed": lambda file: flip(file, 0),
    "newline_before_armour_removed": lambda file: file.replace(CONTENT, CONTENT[:-1]),
    "newline_before_armour_added": lambda file: file.replace(CONTENT, CONTENT + b"\n"),
    "content_removed": lambda file: file.removeprefix(CONTENT),
    "content_before": lambda file: b"evil\n" + file,
}


@vector("invalid_signature", "4.2", ATTACHED_CHANGES, "attached")
def attached_changed(case, change):
    "an attached file was changed: {name}"
    return change(case.file(case.key()))


@vector("invalid_signature", "4.2", form="attached")
def attached_content_signed_without_inner_armour(case):
    "the outer signature is over the content without the inner armour"
    key = case.key()
    armoured = armour(case.blob(key))
    return CONTENT + armoured + armoured


@vector("wrong_namespace", "4.2", form="attached")
def attached_wrong_namespace(case):
    "an attached file with another namespace than the reader expects"
    return case.file(case.key(), namespace=b"git")


# The order of checks: two faults, and the code that comes first.


@vector("malformed_signature")
def order_strings_before_names(case):
    "an unknown name of a key, and a byte behind the strings"
    key = case.key()
    return armour(case.blob(key, publickey=string(b"ssh-rsa") + string(key.public)) + b"\0")


@vector("unsupported_signature")
def order_names_before_lengths(case):
    "an unknown hash, and a key of another length"
    key = case.key()
    return case.file(key, hash_name="sha1", digest=SHA256, publickey=ED25519.publickey(key.public[:-1]))


@vector("unsupported_signature")
def order_names_before_namespace(case):
    "a hash that is not of the kind, and another namespace"
    return case.file(case.key(), namespace=b"git", hash_name="sm3")


@vector("malformed_signature")
def order_lengths_before_namespace(case):
    "a signature of another length, and another namespace"
    return case.file(case.key(), namespace=b"git", value=lambda _: bytes(63))


@vector("wrong_namespace")
def order_namespace_before_signer(case):
    "another namespace, and a key that is not trusted"
    case.key()
    return case.file(case.key(trusted=False), namespace=b"git")


@vector("unknown_signer")
def order_signer_before_range(case):
    "a key that is not trusted, and r of zero"
    case.key(P256)
    key = case.key(P256, trusted=False)
    case.signed_by = key.fingerprint
    return case.file(key, value=lambda _: mpint(0) + mpint(1))


@vector("invalid_namespace")
def order_namespace_of_the_caller_first(case):
    "the reader expects no namespace, has no signer, and the input is no signature"
    case.namespace = ""
    return b"no signature"


@vector("invalid_signer")
def order_signers_of_the_caller_before_the_file(case):
    "the reader has no signer, and the input is no signature"
    return b"no signature"


# Scenarios of keys.


def key_vector(expect="success", read="public", each=None, section="7.1"):
    return lambda scenario: register(SIGNING_KEYS, scenario, each, expect, section, read)


class KeyCase(Draw):
    def __init__(self, name):
        super().__init__(name)
        self.keys, self.passphrase = [], None

    def key(self, kind=ED25519):
        self.keys.append(Key(kind, self.secret(kind)))
        return self.keys[-1]


def render_key(name):
    expect, section, read, comment, scenario, value = SIGNING_KEYS[name]
    case = KeyCase(name)
    file = scenario(case, *value)
    lines = [f"expect: {expect}", f"section: {section}", f"comment: {comment}", f"read: {read}"]
    lines += [f"passphrase: {case.passphrase}"] if case.passphrase is not None else []
    if expect == "success":
        lines += [f"key: {key.fingerprint}" for key in case.keys]
        lines += [f"secret: {key.secret.hex()}" for key in case.keys if read == "private"]
    return "\n".join(lines).encode() + b"\n\n" + file


ALGORITHMS = {
    "ed25519": seq(oid("1.3.101.112")),
    "p256-sign": seq(oid("1.2.840.10045.2.1"), oid("1.2.840.10045.3.1.7")),
    "ml-dsa-65": seq(oid("2.16.840.1.101.3.4.3.18")),
    "hybrid-sign": seq(oid("1.3.6.1.5.5.7.6.48")),
    "hybrid44-sign": seq(oid("1.3.6.1.5.5.7.6.39")),
    "sm2-sign": seq(oid("1.2.840.10045.2.1"), oid("1.2.156.10197.1.301")),
}


def spki(key, public=None, algorithm=None):
    return seq(algorithm or ALGORITHMS[key.kind.name], der.bits(key.public if public is None else public))


def private_value(key, public=True):
    if key.kind.curve_name:
        tail = [tlv(0xA1, der.bits(key.public))] if public else []
        return seq(integer(1), octets(key.secret), *tail)
    if key.kind is ED25519:
        return octets(key.secret)
    return tlv(0x80, key.secret) if key.kind is MLDSA65 else key.secret


def pkcs8(key, private=None, algorithm=None, version=0, tail=()):
    private = private_value(key) if private is None else private
    return seq(integer(version), algorithm or ALGORITHMS[key.kind.name], octets(private), *tail)


def private_pem(key, **parts):
    return pem("PRIVATE KEY", pkcs8(key, **parts))


def every_form(label):
    forms = {"pem": lambda der: pem(label, der), "der": bytes}
    return {f"{name}_{form}": (kind, wrap) for name, kind in NAMED.items() for form, wrap in forms.items()}


@key_vector(each=every_form("PUBLIC KEY"))
def spki_of(case, value):
    "a public key as SubjectPublicKeyInfo: {name}"
    kind, wrap = value
    return wrap(spki(case.key(kind)))


def certificate(key, *extensions):
    """A certificate that nobody signed: only its key is read."""
    signed = seq(tlv(0xA0, integer(2)), integer(1), seq(), seq(), seq(), seq(), spki(key), *extensions)
    return seq(signed, seq(), der.bits(b""))


@key_vector(each=every_form("CERTIFICATE"))
def certificate_of(case, value):
    "an X.509 certificate, of which nothing is verified: {name}"
    kind, wrap = value
    return wrap(certificate(case.key(kind), tlv(0xA3, seq())))


@key_vector("unsupported_key", "private")
def certificate_of_private(case):
    "a certificate where a private key is expected"
    return pem("CERTIFICATE", certificate(case.key()))


@key_vector("invalid_signer")
def certificate_twice(case):
    "two certificates, such as a chain, whose issuers must not become signers"
    return pem("CERTIFICATE", certificate(case.key())) + pem("CERTIFICATE", certificate(case.key()))


@key_vector("invalid_signer")
def certificate_as_public_key(case):
    "a certificate under the label PUBLIC KEY"
    return pem("PUBLIC KEY", certificate(case.key()))


@key_vector("invalid_signer")
def certificate_without_key(case):
    "a certificate whose last field is missing"
    signed = seq(integer(1), seq(), seq(), seq(), seq())
    return pem("CERTIFICATE", seq(signed, seq(), der.bits(b"")))


@key_vector(read="private", each=every_form("PRIVATE KEY"))
def pkcs8_of(case, value):
    "a private key as PKCS#8: {name}"
    kind, wrap = value
    return wrap(pkcs8(case.key(kind)))


@key_vector(read="private", each=NAMED)
def pkcs8_v2(case, kind):
    "a private key of the kind {0.name} with its public key in [1]"
    key = case.key(kind)
    private = private_value(key, public=False)
    return private_pem(key, private=private, version=1, tail=[der.bits(key.public, tag=0x81)])


@key_vector("invalid_signer", "private", NAMED)
def pkcs8_v2_public_key_of_another(case, kind):
    "a private key of the kind {0.name} with another's public key in [1]"
    key, other = case.key(kind), case.key(kind)
    private = private_value(key, public=False)
    return private_pem(key, private=private, version=1, tail=[der.bits(other.public, tag=0x81)])


@key_vector("invalid_signer", "private", HYBRIDS)
def pkcs8_v2_ed25519_half_of_another(case, kind):
    "in the public key in [1] the Ed25519 half is another key's; the kind is {0.name}"
    key, other = case.key(kind), case.key(kind)
    public = key.public[:-32] + other.public[-32:]
    return private_pem(key, version=1, tail=[der.bits(public, tag=0x81)])


@key_vector("invalid_signer", "private", {"p256_sign": P256, "sm2_sign": SM2})
def sec1_public_key_of_another(case, kind):
    "the ECPrivateKey has another's public key; the kind is {0.name}"
    key, other = case.key(kind), case.key(kind)
    private = seq(integer(1), octets(key.secret), tlv(0xA1, der.bits(other.public)))
    return private_pem(key, private=private)


@key_vector(read="private")
def sec1_pem(case):
    "EC PRIVATE KEY, of P-256"
    key = case.key(P256)
    curve = tlv(0xA0, oid("1.2.840.10045.3.1.7"))
    return pem("EC PRIVATE KEY", seq(integer(1), octets(key.secret), curve, tlv(0xA1, der.bits(key.public))))


@key_vector(read="private")
def sec1_der(case):
    "an ECPrivateKey of P-256 as DER"
    key = case.key(P256)
    return seq(integer(1), octets(key.secret), tlv(0xA0, oid("1.2.840.10045.3.1.7")), tlv(0xA1, der.bits(key.public)))


@key_vector(read="private")
def sec1_sm2_pem(case):
    "SM2 PRIVATE KEY"
    key = case.key(SM2)
    curve = tlv(0xA0, oid("1.2.156.10197.1.301"))
    return pem("SM2 PRIVATE KEY", seq(integer(1), octets(key.secret), curve, tlv(0xA1, der.bits(key.public))))


# As OpenSSL 3.0.0 to 3.0.12 wrote it.
SM2_TWICE = seq(oid("1.2.156.10197.1.301"), oid("1.2.156.10197.1.301"))


@key_vector(read="private")
def pkcs8_sm2_curve_twice(case):
    "the name of SM2's curve stands in place of id-ecPublicKey too"
    return private_pem(case.key(SM2), algorithm=SM2_TWICE)


@key_vector()
def spki_sm2_curve_twice(case):
    "a public key whose algorithm and parameters are both the name of SM2's curve"
    return pem("PUBLIC KEY", spki(case.key(SM2), algorithm=SM2_TWICE))


@key_vector()
def spki_sm2_compressed(case):
    "a public key of SM2 whose point is compressed"
    key = case.key(SM2)
    return pem("PUBLIC KEY", spki(key, public=bytes([2 + (key.public[-1] & 1)]) + key.public[1:33]))


@key_vector("invalid_signer")
def spki_sm2_compressed_no_point(case):
    "a compressed point of SM2 whose x no point has"
    return pem("PUBLIC KEY", spki(case.key(SM2), public=b"\x02" + (5).to_bytes(32, "big")))


@key_vector("invalid_signer")
def spki_p256_compressed(case):
    "a public key of P-256 whose point is compressed"
    key = case.key(P256)
    return pem("PUBLIC KEY", spki(key, public=bytes([2 + (key.public[-1] & 1)]) + key.public[1:33]))


SCALARS = {
    "p256_sign_zero": (P256, 0),
    "p256_sign_n": (P256, P256.n),
    "sm2_sign_zero": (SM2, 0),
    "sm2_sign_n_minus_1": (SM2, SM2_N - 1),
}


@key_vector("invalid_signer", "private", SCALARS)
def scalar(case, value):
    "a private key out of the range: {name}"
    kind, n = value
    return private_pem(Key(kind, None, b"\4"), private=seq(integer(1), octets(n.to_bytes(32, "big"))))


@key_vector(read="private", each={"p256_sign": (P256, P256.n - 1), "sm2_sign": (SM2, SM2_N - 2)})
def scalar_greatest(case, value):
    "the greatest private key of the kind: {name}"
    kind, n = value
    case.keys = [Key(kind, n.to_bytes(32, "big"))]
    return private_pem(case.keys[0])


@key_vector(read="private")
def ml_dsa_both(case):
    "ML-DSA's seed and expanded key, which belong together"
    key = case.key(MLDSA65)
    return private_pem(key, private=seq(octets(key.secret), octets(ML_DSA_65.keys(key.secret)[1])))


@key_vector("invalid_signer", "private", {"s1": 128, "t0": -1, "key": 40, "public_key": 3, "hash_of_public_key": 64})
def ml_dsa_both_disagree(case, at):
    "ML-DSA's expanded key differs from the seed's in one bit: {name}"
    key = case.key(MLDSA65)
    return private_pem(key, private=seq(octets(key.secret), octets(flip(ML_DSA_65.keys(key.secret)[1], at))))


@key_vector("unsupported_key", "private")
def ml_dsa_expanded_alone(case):
    "ML-DSA's expanded key without a seed"
    key = case.key(MLDSA65)
    return private_pem(key, private=octets(ML_DSA_65.keys(key.secret)[1]))


@key_vector("unsupported_key", "private")
def ml_dsa_bare_seed(case):
    "ML-DSA's seed without the choice around it, as OpenSSL writes it on demand"
    key = case.key(MLDSA65)
    return private_pem(key, private=key.secret)


SEEDS = {
    "ml_dsa_65_of_31_bytes": (MLDSA65, lambda key: tlv(0x80, key.secret[1:])),
    "ml_dsa_65_as_octet_string": (MLDSA65, lambda key: octets(key.secret)),
    "hybrid_sign_of_63_bytes": (HYBRID, lambda key: key.secret[1:]),
    "hybrid_sign_of_65_bytes": (HYBRID, lambda key: key.secret + b"\0"),
    "hybrid_sign_in_octet_string": (HYBRID, lambda key: octets(key.secret)),
    "ed25519_bare": (ED25519, lambda key: key.secret),
    "ed25519_of_33_bytes": (ED25519, lambda key: octets(key.secret + b"\0")),
    "ed25519_with_public_key": (ED25519, lambda key: octets(key.secret + key.public)),
}


@key_vector("invalid_signer", "private", SEEDS)
def seed_in_another_form(case, value):
    "the private key is not in the kind's form: {name}"
    kind, make = value
    key = case.key(kind)
    return private_pem(key, private=make(key))


NOT_OURS = {
    "rsa": seq(oid("1.2.840.113549.1.1.1"), tlv(0x05)),
    "x25519": seq(oid("1.3.101.110")),
    "ed448": seq(oid("1.3.101.113")),
    "p384": seq(oid("1.2.840.10045.2.1"), oid("1.3.132.0.34")),
    "secp256k1": seq(oid("1.2.840.10045.2.1"), oid("1.3.132.0.10")),
    "ml_dsa_44": seq(oid("2.16.840.1.101.3.4.3.17")),
    "ml_dsa_87": seq(oid("2.16.840.1.101.3.4.3.19")),
    "hash_ml_dsa_65": seq(oid("2.16.840.1.101.3.4.3.33")),
    "ml_kem_768": seq(oid("2.16.840.1.101.3.4.4.2")),
    "composite_with_p256": seq(oid("1.3.6.1.5.5.7.6.45")),
}


@key_vector("unsupported_key", each=NOT_OURS)
def algorithm_public(case, algorithm):
    "a public key with an algorithm that is of no kind here: {name}"
    return pem("PUBLIC KEY", spki(case.key(), algorithm=algorithm))


@key_vector("unsupported_key", "private", NOT_OURS)
def algorithm_private(case, algorithm):
    "a private key with an algorithm that is of no kind here: {name}"
    return private_pem(case.key(), algorithm=algorithm)


@key_vector("invalid_signer", each=LATTICE | {"ed25519": ED25519})
def algorithm_with_null(case, kind):
    "the algorithm has parameters, NULL; the kind is {0.name}"
    key = case.key(kind)
    return pem("PUBLIC KEY", spki(key, algorithm=seq(ALGORITHMS[kind.name][2:], tlv(0x05))))


@key_vector("invalid_signer", each=KEY_FAULTS)
def spki_that_is_no_key(case, value):
    "a public key that is none: {name}"
    kind, public = value
    return pem("PUBLIC KEY", spki(Key(kind, None, public)))


@key_vector("invalid_signer", each=NAMED)
def spki_short(case, kind):
    "a public key of the kind {0.name} that is a byte short"
    key = case.key(kind)
    return pem("PUBLIC KEY", spki(key, public=key.public[:-1]))


@key_vector("invalid_signer")
def private_for_public(case):
    "a private key where public ones are expected"
    return private_pem(case.key())


@key_vector("invalid_signer", "private")
def public_for_private(case):
    "a public key where a private one is expected"
    return pem("PUBLIC KEY", spki(case.key()))


# The passphrase.

WRITERS = {"ed25519": {}, "hybrid_sign": {}, "sm2_sign": der.SM3_AND_SM4}


@key_vector(read="private", each={name: (NAMED[name], options) for name, options in WRITERS.items()})
def encrypted(case, value):
    "an encrypted private key: {name}"
    kind, options = value
    return pem("ENCRYPTED PRIVATE KEY", der.encrypted(case, pkcs8(case.key(kind)), **options))


@key_vector("passphrase_required", "private")
def encrypted_no_passphrase(case):
    "an encrypted private key, and no passphrase"
    file = pem("ENCRYPTED PRIVATE KEY", der.encrypted(case, pkcs8(case.key())))
    case.passphrase = None
    return file


@key_vector("no_matching_identity", "private")
def encrypted_wrong_passphrase(case):
    "an encrypted private key, and another passphrase"
    file = pem("ENCRYPTED PRIVATE KEY", der.encrypted(case, pkcs8(case.key(HYBRID))))
    case.passphrase = "Correct horse battery staple"
    return file


# SSH lines.


@key_vector(each=NAMED, section="7.2")
def line(case, kind):
    "a line with a public key of the kind {0.name}"
    return case.key(kind).line.encode()


LINES = {
    "with_comment": lambda line: line + " alice@example.com\n",
    "with_comment_of_several_words": lambda line: line + "  Alice's key, 2026 \t x\n",
    "with_crlf": lambda line: line + "\r\n",
    "with_spaces_before": lambda line: " \t" + line + "\n",
    "with_tabs_between": lambda line: line.replace(" ", "\t\t") + "\n",
    "behind_empty_lines_and_comments": lambda line: "\n# a comment\n  # another\n\n" + line + "\n",
    "with_byte_order_mark": lambda line: "\ufeff" + line + "\n",
    "with_trailing_spaces": lambda line: line + "  \n",
}


@key_vector(each=LINES, section="7.2")
def line_form(case, change):
    "a line in a form that readers take: {name}"
    return change(case.key().line).encode()


@key_vector(section="7.2")
def lines_of_every_kind(case):
    "six lines with keys of six kinds, and comments between"
    return b"".join(f"{case.key(kind).line} {kind.name}\n# next\n".encode() for kind in KINDS)


KEY_LINE_FAULTS = {
    "name_of_another_kind": lambda key: ssh_line(key.kind, key.public).replace("ssh-ed25519", "ssh-mldsa-65"),
    "name_in_upper_case": lambda key: key.line.replace("ssh-ed25519", "SSH-ED25519"),
    "name_alone": lambda key: "ssh-ed25519",
    "base64_alone": lambda key: key.line.split()[1],
    "without_padding": lambda key: "ssh-ed25519 " + encode(key.publickey + b"\0\0").rstrip("="),
    "byte_behind": lambda key: "ssh-ed25519 " + encode(key.publickey + b"\0"),
    "byte_short": lambda key: "ssh-ed25519 " + encode(key.publickey[:-1]),
    "url_alphabet": lambda key: key.line[:-2] + "-_",
    "options_before": lambda key: "no-pty " + key.line,
    "options_with_value_before": lambda key: 'from="10.0.0.0/8" ' + key.line,
    "principal_before": lambda key: "alice@example.com " + key.line,
    "quoted": lambda key: '"' + key.line + '"',
    "folded": lambda key: key.line[:40] + "\n" + key.line[40:],
    "null_byte": lambda key: key.line + " a\0b",
    "cr_in_comment": lambda key: key.line + " a\rb",
    "no_line": lambda key: "# a comment\n",
    "empty_file": lambda key: "",
    "ssh2_file": lambda key: f"---- BEGIN SSH2 PUBLIC KEY ----\n{key.line[12:]}\n---- END SSH2 PUBLIC KEY ----\n",
}


def encode(data):
    return base64.b64encode(data).decode()


@key_vector("invalid_signer", each=KEY_LINE_FAULTS, section="7.2")
def line_fault(case, make):
    "no line with a public key: {name}"
    return make(case.key()).encode()


@key_vector(section="7.2")
def line_comment_not_utf8(case):
    "a line with a comment that is not UTF-8, below one that begins with #"
    return b"# M\xfcller\n" + case.key().line.encode() + b" M\xfcller\n"


NOT_UTF8 = {
    "in_the_base64": lambda line: line[:-4] + b"\xff" + line[-3:],
    "behind_the_base64": lambda line: line + b"\xff",
    "before_the_name": lambda line: b"\xff" + line,
    "as_a_field": lambda line: b"\xff " + line,
}


@key_vector("invalid_signer", each=NOT_UTF8, section="7.2")
def line_not_utf8(case, change):
    "a line whose key is not UTF-8: {name}"
    return change(case.key().line.encode()) + b"\n"


UTF16 = {"with_a_mark": "utf-16", "little_endian": "utf-16-le", "big_endian": "utf-16-be"}


@key_vector("invalid_signer", each=UTF16, section="7.2")
def line_utf16(case, encoding):
    "a line in UTF-16: {name}"
    return (case.key().line + "\n").encode(encoding)


@key_vector("invalid_signer", section="7.2")
def line_bits_behind_the_last_byte(case):
    "base64 whose bits behind the last byte are not zero"
    key = case.key(P256)
    assert key.line.endswith("=")
    at = key.line.index("=")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return (key.line[: at - 1] + alphabet[alphabet.index(key.line[at - 1]) + 1] + key.line[at:]).encode()


@key_vector("invalid_signer", section="7.2")
def line_second_is_wrong(case):
    "a good line and a wrong one: the file is refused as a whole"
    return (case.key().line + "\nssh-ed25519 AAAA\n").encode()


@key_vector("unsupported_key", each=["rsa", "p384"], section="7.2")
def line_by_ssh_keygen(case, name):
    "a line by ssh-keygen of a kind that is none here: {name}"
    return MADE_BY_SSH_KEYGEN["keys"][name]["public"].encode()


@key_vector("unsupported_key", section="7.2")
def line_certificate(case):
    "a certificate by ssh-keygen"
    return MADE_BY_SSH_KEYGEN["certificate"].encode()


UNSUPPORTED_NAMES = {
    "sk_ed25519": b"sk-ssh-ed25519@openssh.com",
    "hybrid_unqualified": b"ssh-mldsa65-ed25519",
    "hybrid44_of_openssh_10_5": b"ssh-mldsa44-ed25519@openssh.com",
}


@key_vector("unsupported_key", each=UNSUPPORTED_NAMES, section="7.2")
def line_name(case, name):
    "a line with a name that is of no kind here: {name}"
    return name + b" " + base64.b64encode(string(name) + string(case.key(HYBRID44).public))


# openssh-key-v1.


@key_vector(read="private", each=["ed25519", "ed25519_passphrase", "p256", "p256_passphrase_cbc"], section="7.3")
def openssh_by_ssh_keygen(case, name):
    "a private key by ssh-keygen 9.2: {name}"
    made = MADE_BY_SSH_KEYGEN["keys"][name]
    case.passphrase = made.get("passphrase")
    kind, secret = book.parse_private(made["private"].encode(), (case.passphrase or "").encode())
    assert ssh_line(kind, kind.public(secret)) == " ".join(made["public"].split()[:2])
    case.keys = [Key(kind, secret)]
    return made["private"].encode()


UNREAD = ["rsa", "p384", "ed25519_aes256_gcm", "ed25519_chacha20_poly1305", "ed25519_aes128_ctr"]


@key_vector("unsupported_key", "private", UNREAD, section="7.3")
def openssh_unsupported(case, name):
    "a private key by ssh-keygen 9.2 whose kind or cipher readers do not have: {name}"
    made = MADE_BY_SSH_KEYGEN["keys"][name]
    case.passphrase = made.get("passphrase")
    return made["private"].encode()


def ascending(n):
    return bytes(range(1, 1 + n))


def openssh(case, key, passphrase=None, **parts):
    """openssh-key-v1, right but for the parts that are given."""
    check = parts.get("check", [case.random(4)] * 2)
    public = parts.get("inner_public", key.public)
    curve = [string(key.kind.curve_name)] if key.kind.curve_name else []
    secret = mpint(int.from_bytes(key.secret, "big")) if key.kind is P256 else string(key.secret)
    secret = string(key.secret + key.public) if key.kind is ED25519 else secret
    private = [*check, string(parts.get("inner_name", key.kind.key_name)), *curve, string(public)]
    private = b"".join([*private, parts.get("secret", secret), string(b"a comment")])
    block = 16 if passphrase else 8
    private += parts.get("padding", ascending)(-len(private) % block)
    names = [parts.get("cipher", b"aes256-ctr" if passphrase else b"none")]
    names.append(parts.get("kdf", b"bcrypt" if passphrase else b"none"))
    options = b""
    if passphrase:
        salt, rounds = case.random(parts.get("salt_length", 16)), parts.get("rounds", 2)
        derived = bcrypt.kdf(passphrase.encode(), salt or bytes(16), 48, parts.get("worked", rounds), True)
        encryptor = Cipher(AES(derived[:32]), modes.CTR(derived[32:])).encryptor()
        private = encryptor.update(private) + encryptor.finalize()
        options = string(salt) + rounds.to_bytes(4, "big")
    options = parts.get("options", options)
    publickey = parts.get("publickey", key.publickey)
    count = parts.get("count", 1)
    blob = b"openssh-key-v1\0" + b"".join(map(string, [*names, options])) + count.to_bytes(4, "big")
    blob += string(publickey) * count + string(private) + parts.get("behind", b"")
    return pem("OPENSSH PRIVATE KEY", parts.get("blob", blob), columns=70)


OPENSSH = {name: NAMED[name] for name in ("ed25519", "p256_sign", "hybrid44_sign")}


@key_vector(read="private", each=OPENSSH, section="7.3")
def openssh_plain(case, kind):
    "a private key of the kind {0.name}, not encrypted"
    return openssh(case, case.key(kind))


@key_vector(read="private", each=OPENSSH, section="7.3")
def openssh_encrypted(case, kind):
    "a private key of the kind {0.name}, encrypted with aes256-ctr"
    case.passphrase = PASSPHRASE
    return openssh(case, case.key(kind), PASSPHRASE)


@key_vector(read="private", section="7.3")
def openssh_crlf(case):
    "lines end with CRLF"
    return openssh(case, case.key()).replace(b"\n", b"\r\n")


@key_vector(read="private", section="7.3")
def openssh_passphrase_not_needed(case):
    "a passphrase is given, and the key is not encrypted"
    case.passphrase = PASSPHRASE
    return openssh(case, case.key())


@key_vector(read="private", section="7.3")
def openssh_p256_leading_zero(case):
    "the private key of P-256 has a leading zero byte, which its mpint does not"
    secret = bytes(1) + case.random(31)
    case.keys = [Key(P256, secret)]
    return openssh(case, case.keys[0])


@key_vector(read="private", section="7.3")
def openssh_passphrase_not_normalized(case):
    "the passphrase is typed in Unicode's form D, and the key is encrypted with form C"
    case.passphrase = "Scho\u0308n und gru\u0308n"
    return openssh(case, case.key(), "Sch\u00f6n und gr\u00fcn")


@key_vector("passphrase_required", "private", section="7.3")
def openssh_no_passphrase(case):
    "an encrypted key, and no passphrase"
    return openssh(case, case.key(), PASSPHRASE)


@key_vector("no_matching_identity", "private", section="7.3")
def openssh_wrong_passphrase(case):
    "an encrypted key, and another passphrase"
    case.passphrase = "Correct horse battery staple"
    return openssh(case, case.key(), PASSPHRASE)


@key_vector("cost_too_high", "private", [1025, 2**32 - 1], section="7.3")
def openssh_rounds(case, rounds):
    "{0} rounds of bcrypt-pbkdf"
    case.passphrase = PASSPHRASE
    return openssh(case, case.key(), PASSPHRASE, rounds=rounds, worked=1)


OPENSSH_FAULTS = {
    "checks_differ": {"check": [bytes(4), bytes(3) + b"\1"]},
    "padding_of_zeros": {"padding": bytes},
    "padding_from_zero": {"padding": lambda n: bytes(range(n))},
    "padding_longer_than_a_block": {"padding": lambda n: ascending(n + 8)},
    "section_of_another_length": {"padding": lambda n: b""},
    "inner_name_of_another_kind": {"inner_name": b"ssh-mldsa44-ed25519"},
    "inner_name_of_no_kind": {"inner_name": b"ssh-ed25518"},
    "secret_of_63_bytes": {"secret": string(bytes(63))},
    "byte_behind": {"behind": b"\0"},
    "publickey_byte_behind": "publickey",
    "magic": "magic",
    "cut": "cut",
    "empty": {"blob": b""},
}


@key_vector("invalid_signer", "private", OPENSSH_FAULTS, section="7.3")
def openssh_fault(case, parts):
    "a key that is not encrypted, with a fault: {name}"
    key = case.key()
    if parts == "publickey":
        return openssh(case, key, publickey=key.publickey + b"\0")
    if isinstance(parts, str):
        lines = openssh(case, key).split(b"\n")
        blob = base64.b64decode(b"".join(lines[1:-2]))
        return openssh(case, key, blob=b"openssh-key-v2\0" + blob[15:] if parts == "magic" else blob[:-8])
    return openssh(case, key, **parts)


def openssh_fault_behind_the_passphrase(case, parts):
    "the passphrase is right, and behind it is a fault: {name}"
    case.passphrase = PASSPHRASE
    return openssh(case, case.key(), PASSPHRASE, **parts)


for code, names in {
    "no_matching_identity": ["checks_differ"],
    "invalid_signer": ["padding_of_zeros", "inner_name_of_another_kind", "inner_name_of_no_kind"],
}.items():
    faults = {name: OPENSSH_FAULTS[name] for name in names}
    key_vector(code, "private", faults, section="7.3")(openssh_fault_behind_the_passphrase)


@key_vector("invalid_signer", "private", ["outside", "beside_the_seed", "in_the_secret"], section="7.3")
def openssh_public_key_of_another(case, where):
    "a public key that is another key's: {name}"
    key, other = case.key(), case.key()
    if where == "outside":
        return openssh(case, key, publickey=other.publickey)
    if where == "beside_the_seed":
        return openssh(case, key, inner_public=other.public)
    return openssh(case, key, secret=string(key.secret + other.public))


@key_vector("invalid_signer", "private", section="7.3")
def openssh_public_key_of_another_everywhere(case):
    "all three public keys are another key's; only the seed tells"
    key, other = case.key(), case.key()
    return openssh(case, Key(ED25519, key.secret, other.public))


KDF_FAULTS = {
    "rounds_zero": {"rounds": 0, "worked": 1},
    "salt_empty": {"salt_length": 0},
}


@key_vector("invalid_signer", "private", KDF_FAULTS, section="7.3")
def openssh_kdf(case, parts):
    "the parameters of bcrypt-pbkdf: {name}"
    case.passphrase = PASSPHRASE
    return openssh(case, case.key(), PASSPHRASE, **parts)


OPENSSH_UNSUPPORTED = {
    "two_keys": {"count": 2},
    "no_key": {"count": 0},
    "cipher_3des": {"cipher": b"3des-cbc"},
    "kdf_argon2": {"kdf": b"argon2id"},
    "kdf_none_with_cipher": {"kdf": b"none"},
    "cipher_none_with_kdf": {"cipher": b"none"},
}


@key_vector("unsupported_key", "private", OPENSSH_UNSUPPORTED, section="7.3")
def openssh_unsupported_part(case, parts):
    "what readers do not have: {name}"
    case.passphrase = PASSPHRASE
    return openssh(case, case.key(), PASSPHRASE, **parts)


@key_vector("unsupported_key", "private", section="7.3")
def openssh_options_without_kdf(case):
    "a key that is not encrypted, with options"
    return openssh(case, case.key(), options=b"x")


@key_vector(read="private", each=[1, 64], section="7.3")
def openssh_salt(case, n):
    "a salt of {0} bytes"
    case.passphrase = PASSPHRASE
    return openssh(case, case.key(), PASSPHRASE, salt_length=n)


@key_vector("unsupported_key", "private", {n: NAMED[n] for n in ("ml_dsa_65", "hybrid_sign", "sm2_sign")}, "7.3")
def openssh_kind(case, kind):
    "a private key of the kind {0.name}, which has no such form here"
    return openssh(case, case.key(kind))


# Scenarios of allowed signers.

TIME = "20260101000000Z"


def allowed(expect="success", each=None):
    return lambda scenario: register(ALLOWED_SIGNERS, scenario, each, expect)


class Team(Draw):
    """A file of allowed signers in the making; `signer` adds a line that counts."""

    def __init__(self, name):
        super().__init__(name)
        self.namespace, self.time, self.principal, self.lines, self.signers = "file", TIME, None, [], []

    def line(self, text):
        self.lines.append(text)

    def signer(self, kind=ED25519, principals="alice@example.com", options="", counts=True, behind="", form=None):
        key = Key(kind, self.secret(kind))
        options += " " if options else ""
        self.line((form or "{principals} {options}{key}").format(principals=principals, options=options, key=key.line))
        self.lines[-1] += behind
        if counts:
            self.signers.append(f"{len(self.lines)} {key.fingerprint} {principals}")
        return key

    def file(self, line_end="\n"):
        return "".join(line + line_end for line in self.lines).encode(errors="surrogateescape")


def render_allowed(name):
    expect, comment, scenario, value = ALLOWED_SIGNERS[name]
    team = Team(name)
    file = scenario(team, *value)
    lines = [f"expect: {expect}", "section: 7.4", f"comment: {comment}", f"namespace: {team.namespace}"]
    lines += [f"principal: {team.principal}"] if team.principal is not None else []
    lines += [f"time: {team.time}"]
    lines += [f"signer: {signer}" for signer in team.signers] if expect == "success" else []
    return "\n".join(lines).encode() + b"\n\n" + file


@allowed(each=NAMED)
def signer(team, kind):
    "a line with a key of the kind {0.name}"
    team.signer(kind)
    return team.file()


@allowed()
def signers(team):
    "several lines, with comments, empty lines and keys' comments"
    team.line("# the release team")
    team.signer()
    team.line("")
    team.signer(P256, "bob@example.com,bob", behind=" bob's laptop")
    team.line("   # another comment")
    team.signer(HYBRID, "carol", behind="\t2026")
    return team.file()


SHAPES = {
    "crlf": lambda team: team.file("\r\n"),
    "no_newline_at_the_end": lambda team: team.file()[:-1],
    "byte_order_mark": lambda team: b"\xef\xbb\xbf" + team.file(),
}


@allowed(each=SHAPES)
def shape(team, form):
    "two lines in a form that readers take: {name}"
    team.signer()
    team.signer(P256)
    return form(team)


WHITE = {
    "tabs": "{principals}\t\t{options}{key}",
    "spaces_before": "  \t{principals} {options}{key}",
    "quoted_principals": '"{principals}" {options}{key}',
    "spaces_behind": "{principals} {options}{key}   ",
}


@allowed(each=WHITE)
def white(team, form):
    "white space and quotes: {name}"
    team.signer(form=form)
    return team.file()


@allowed()
def principals_with_space(team):
    "quoted principals have a space in them"
    team.principal = "alice a"
    team.signer(principals="alice a", form='"{principals}" {options}{key}')
    return team.file()


PRINCIPALS = {
    "same": ("alice@example.com", "alice@example.com", True),
    "in_a_list": ("alice@example.com", "bob,alice@example.com", True),
    "star": ("alice@example.com", "*@example.com", True),
    "star_alone": ("alice@example.com", "*", True),
    "question_mark": ("alice", "alic?", True),
    "question_mark_needs_a_character": ("alice", "alice?", False),
    "other": ("alice@example.com", "bob@example.com", False),
    "case_differs": ("alice", "Alice", False),
    "prefix_only": ("alice@example.com", "alice", False),
    "negated": ("alice@example.com", "*@example.com,!alice@*", False),
    "negated_first": ("alice@example.com", "!alice@*,*@example.com", False),
    "negated_of_another": ("alice@example.com", "*@example.com,!bob@*", True),
    "negated_alone": ("alice@example.com", "!bob@*", False),
    "dot_is_no_pattern": ("aliceXexample", "alice.example", False),
    "bracket_is_no_pattern": ("a", "[a-z]", False),
}


@allowed(each=PRINCIPALS)
def principal(team, value):
    "the caller names a principal: {name}"
    team.principal, principals, counts = value
    team.signer(P256, principals="*", counts=True)
    team.signer(principals=principals, counts=counts)
    return team.file()


NAMESPACE_OPTIONS = {
    "same": ("file", True),
    "in_a_list": ("git,file", True),
    "star": ("*", True),
    "pattern": ("f?l*", True),
    "other": ("git", False),
    "negated": ("*,!file", False),
    "case_differs": ("FILE", False),
    "empty": ("", False),
}


@allowed(each=NAMESPACE_OPTIONS)
def namespaces(team, value):
    "the option namespaces: {name}"
    patterns, counts = value
    team.signer(P256)
    team.signer(options=f'namespaces="{patterns}"', counts=counts)
    return team.file()


@allowed(each=["namespaces", "Namespaces", "NAMESPACES"])
def option_name(team, name):
    "the option's name in any case: {0}"
    team.signer(P256)
    team.signer(options=f'{name}="git"', counts=False)
    return team.file()


@allowed()
def namespaces_with_escaped_quote(team):
    "a quote in a value is escaped"
    team.namespace = 'a"b'
    team.signer(options='namespaces="a\\"b"')
    return team.file()


TIMES = {
    "after_at_the_second": ('valid-after="20260101000000Z"', True),
    "after_a_second_later": ('valid-after="20260101000001Z"', False),
    "before_at_the_second": ('valid-before="20260101000000Z"', True),
    "before_a_second_earlier": ('valid-before="20251231235959Z"', False),
    "day": ('valid-after="20260101Z"', True),
    "minute": ('valid-after="202601010000Z"', True),
    "minute_later": ('valid-after="202601010001Z"', False),
    "utc": ('valid-after="20260101UTC"', True),
    "utc_in_lower_case": ('valid-after="20260101utc"', True),
    "z_in_lower_case": ('valid-after="20260101z"', True),
    "both": ('valid-after="20250101Z",valid-before="20270101Z"', True),
    "both_and_namespaces": ('namespaces="file",valid-after="20250101Z",valid-before="20270101Z"', True),
    "passed": ('valid-after="20240101Z",valid-before="20250101Z"', False),
    "leap_day": ('valid-after="20240229Z"', True),
    "without_zone_after": ('valid-after="20251231115959"', True),
    "without_zone_after_twelve_hours": ('valid-after="20251231120000"', True),
    "without_zone_after_too_late": ('valid-after="20251231120001"', False),
    "without_zone_before": ('valid-before="20260101140000"', True),
    "without_zone_before_too_early": ('valid-before="20260101135959"', False),
    "without_zone_one_day": ('valid-after="20260101",valid-before="20260102"', False),
}


@allowed(each=TIMES)
def time(team, value):
    "the options valid-after and valid-before at 2026-01-01T00:00:00Z: {name}"
    options, counts = value
    team.signer(P256)
    team.signer(options=options, counts=counts)
    return team.file()


SKIPPED = {
    "rsa": MADE_BY_SSH_KEYGEN["keys"]["rsa"]["public"],
    "p384": MADE_BY_SSH_KEYGEN["keys"]["p384"]["public"],
    "certificate": MADE_BY_SSH_KEYGEN["certificate"],
    "certificate_authority": "cert-authority " + MADE_BY_SSH_KEYGEN["authority"],
    "certificate_authority_in_upper_case": "CERT-AUTHORITY " + MADE_BY_SSH_KEYGEN["authority"],
    "certificate_authority_among_options": 'namespaces="file",cert-authority ' + MADE_BY_SSH_KEYGEN["authority"],
    "rsa_with_options": 'namespaces="file" ' + MADE_BY_SSH_KEYGEN["keys"]["rsa"]["public"],
    "hybrid44_of_openssh_10_5": "ssh-mldsa44-ed25519@openssh.com "
    + encode(string(b"ssh-mldsa44-ed25519@openssh.com") + string(bytes(1344))),
}


@allowed(each=SKIPPED)
def skipped(team, key):
    "a line that gives no signer, and another that does: {name}"
    team.line("alice@example.com " + key)
    team.signer(P256)
    return team.file()


@allowed("invalid_signer", SKIPPED)
def skipped_alone(team, key):
    "only a line that gives no signer: {name}"
    team.line("alice@example.com " + key)
    return team.file()


@allowed()
def comments_not_utf8(team):
    "comments of lines and keys that are not UTF-8"
    team.line("# M\udcfcller")
    team.signer(behind=" M\udcfcller")
    return team.file()


@allowed()
def signer_twice(team):
    "one key on two lines, of which the second counts"
    key = team.signer(options='namespaces="git"', counts=False)
    team.line(f"alice@example.com {key.line}")
    team.signers.append(f"2 {key.fingerprint} alice@example.com")
    return team.file()


@allowed()
def nobody_counts(team):
    "a good file of which no line counts"
    team.signer(options='namespaces="git"', counts=False)
    return team.file()


LINE_FAULTS = {
    "principals_alone": "{principals}",
    "key_alone": "{key}",
    "options_alone": '{principals} namespaces="file"',
    "key_missing": "{principals} ssh-ed25519",
    "quote_open": '"{principals} {key}',
    "quote_closed_in_the_middle": '"alice"@example.com {key}',
    "quote_in_principals": 'alice"a" {key}',
    "option_quote_open": '{principals} namespaces="file {key}',
    "option_unknown": "{principals} no-touch-required {key}",
    "option_unknown_with_value": '{principals} verify-time="20260101" {key}',
    "option_unknown_behind_a_known": '{principals} namespaces="file",restrict {key}',
    "option_without_quotes": "{principals} namespaces=file {key}",
    "option_without_value": "{principals} namespaces {key}",
    "option_comma_behind": '{principals} namespaces="file", {key}',
    "option_comma_before": '{principals} ,namespaces="file" {key}',
    "option_comma_missing": '{principals} namespaces="file"valid-after="20250101Z" {key}',
    "option_space_behind_comma": '{principals} namespaces="file", valid-after="20250101Z" {key}',
    "namespaces_twice": '{principals} namespaces="file",namespaces="git" {key}',
    "valid_after_twice": '{principals} valid-after="20250101Z",valid-after="20250102Z" {key}',
    "before_is_after": '{principals} valid-after="20250102Z",valid-before="20250101Z" {key}',
    "before_is_not_later": '{principals} valid-after="20250101Z",valid-before="20250101Z" {key}',
    "time_empty": '{principals} valid-after="" {key}',
    "time_of_seven_digits": '{principals} valid-after="2025010Z" {key}',
    "time_with_dashes": '{principals} valid-after="2025-01-01" {key}',
    "time_month_13": '{principals} valid-after="20251301Z" {key}',
    "time_february_30": '{principals} valid-after="20250230Z" {key}',
    "time_hour_24": '{principals} valid-after="202501012400Z" {key}',
    "time_second_60": '{principals} valid-after="20250101000060Z" {key}',
    "time_1970": '{principals} valid-after="19700101Z" {key}',
    "time_other_zone": '{principals} valid-after="20250101+01" {key}',
    "cert_authority_with_unknown_option": "{principals} cert-authority,restrict {key}",
    "null_byte": "{principals} {key} \0",
    "cr": "{principals} {key} a\rb",
    "base64_cut": "{principals} {cut}",
    "principals_not_utf8": "m\udcfcller@example.com {key}",
    "option_not_utf8": '{principals} namespaces="m\udcfcller" {key}',
    "key_not_utf8": "{principals} {key}\udcfc",
}


@allowed("invalid_signer", LINE_FAULTS)
def line_is_refused(team, form):
    "a good line, and one that refuses the file: {name}"
    team.signer(P256)
    key = Key(ED25519, team.secret(ED25519))
    team.line(form.format(principals="alice@example.com", key=key.line, cut=key.line[:-4]))
    return team.file()


@allowed("invalid_signer", KEY_FAULTS)
def key_that_is_none(team, value):
    "a good line, and one whose key is none: {name}"
    team.signer(P256)
    team.line("alice@example.com " + ssh_line(*value))
    return team.file()


@allowed("invalid_signer", {"empty": b"", "comment": b"# nobody\n", "not_utf8": b"alice \xff\n"})
def no_signers(team, file):
    "a file without a signer: {name}"
    return file


@allowed("invalid_signer")
def too_long(team):
    "a good line and comments, over 1 MiB together"
    team.signer()
    return team.file() + (b"#" * 1023 + b"\n") * 1024


@allowed()
def one_mib(team):
    "a good line and a comment, 1 MiB together"
    team.signer()
    return team.file().ljust(2**20 - 1, b"#") + b"\n"


# Others read what they can.


def detached(name):
    """Keys, signature file and content of a vector."""
    keys, file = book.parse_vector((HERE / "signature" / name).read_bytes(), "signature")
    return keys, file, bytes.fromhex(keys["content"][0]) * int(keys.get("times", ["1"])[0])


def ssh_keygen_verifies(name):
    keys, file, content = detached(name)
    known = [line for line in keys["signer"] if line.split()[0] in ("ssh-ed25519", "ecdsa-sha2-nistp256")]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "signers").write_text("".join(f"signer {line}\n" for line in known))
        Path(folder, "sig").write_bytes(file)
        command = ["ssh-keygen", "-Y", "verify", "-f", f"{folder}/signers", "-I", "signer", "-s", f"{folder}/sig"]
        command += ["-n", keys["namespace"][0]]
        return subprocess.run(command, input=content, capture_output=True, check=False).returncode == 0


def openssl_verifies(name):
    """Whether OpenSSL takes the SM2 signature inside, over what is signed."""
    keys, file, content = detached(name)
    parsed = book.parse_blob(book.unarmour(file))
    [(kind, public)] = book.parse_public(keys["signer"][0].encode())
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "key").write_bytes(pem("PUBLIC KEY", spki(Key(kind, None, public))))
        Path(folder, "sig").write_bytes(seq(*map(integer, parsed.signature)))
        Path(folder, "signed").write_bytes(parsed.signed(content))
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", f"{folder}/key", "-rawin", "-digest", "sm3"]
        command += ["-in", f"{folder}/signed", "-sigfile", f"{folder}/sig", "-pkeyopt", "distid:1234567812345678"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


# OpenSSH 9.2 takes CRLF everywhere but behind BEGIN, where later versions take it, too; and nothing before BEGIN and END.
NOT_BY_SSH_KEYGEN = {"armour_of_crlf", "armour_of_crlf_but_behind_end"} | {
    f"armour_with_{name}"
    for name in (*list(TAKEN)[:5], "begin_trailing_space", "end_leading_space")
}


def check_examples():
    """The examples of the specification are signatures, and their values those of their section."""
    text = (HERE.parent / "spec" / "signature.md").read_text()
    parts = re.split(r"^#{2,3} ([0-9.]+)", text, flags=re.MULTILINE)
    found = {
        section.rstrip("."): dict(re.findall(r"^([a-zA-Z0-9' .\[\]]+) = ([0-9a-f]+)$", part, re.MULTILINE))
        for section, part in zip(parts[1::2], parts[2::2])
    }
    file = re.search(rf"^{BEGIN.decode()}\n[A-Za-z0-9+/=\n]+{END.decode()}\n", text, re.MULTILINE)[0].encode()
    values = {name: bytes.fromhex(value) for name, value in found["1.2"].items()}
    key, signed = Key(ED25519, values["secret"]), book.signed_data(b"file", b"", "sha512", values["content"])
    assert book.verify(file, values["content"], [(ED25519, key.public)]).kind is ED25519
    assert values["digest"] == SHA512(values["content"]) and values["signed"] == signed
    assert (values["public"], values["publickey"]) == (key.public, key.publickey)
    assert values["value"] == ed25519_sign(key.secret, signed) and values["blob"] == book.unarmour(file)
    dump = re.findall(r"^ {1,3}\d+  ((?:[0-9a-f]{2} ?)+?)(?: {2,}.*)?$", text, re.MULTILINE)
    assert bytes.fromhex("".join(dump)) == values["blob"]

    values = {name: bytes.fromhex(value) for name, value in found["2.2"].items()}
    assert Key(P256, values["secret"]).public == values["public"]
    P256.verify(values["public"], P256.parse_value(values["value"]), signed)
    values = {name: bytes.fromhex(value) for name, value in found["2.5"].items()}
    assert values["signed"] == book.signed_data(b"file", b"", "sm3", CONTENT)
    assert int.from_bytes(values["e"], "big") == SM2.digest(values["public"], values["signed"])
    assert Key(SM2, values["secret"]).public == values["public"]
    assert SM2.sign(values["secret"], values["signed"], int.from_bytes(values["k"], "big")) == values["value"]

    given = bytes(range(0x80, 0xA0))
    key = Key(MLDSA65, bytes(range(32)))
    made = ML_DSA_65.sign(key.secret, signed, b"", given)
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in (("public", key.public), ("value", made))}
    assert {f"sha256 of {name}": value for name, value in hashes.items()}.items() <= found["2.3"].items()
    assert found["2.3"]["value[0 .. 32]"] == made[:32].hex()
    key, values = Key(HYBRID, bytes(range(64))), found["2.4"]
    message = HYBRID.message(signed)
    made = ML_DSA_65.sign(key.secret[:32], message, HYBRID.label, given) + ed25519_sign(key.secret[32:], message)
    assert values["M'"] == message.hex() and values["value[3309 .. 3373]"] == made[3309:].hex()
    assert values["sha256 of public"] == hashlib.sha256(key.public).hexdigest()
    assert values["public[1952 .. 1984]"] == key.public[1952:].hex()
    assert values["sha256 of value"] == hashlib.sha256(made).hexdigest()

    keys = {kind: Key(kind, bytes(range(64 if kind is HYBRID else 32))) for kind in KINDS if kind is not HYBRID44}
    shown = dict(re.findall(r"^([a-z0-9-]+) +(SHA256:[0-9a-f]{64})$", text, re.MULTILINE))
    assert shown == {kind.name: kind.fingerprint(key.public) for kind, key in keys.items()}
    first = pkcs8(keys[ED25519]).hex()
    assert f"\n{first[:32]} {first[32:]}\n{pkcs8(keys[HYBRID]).hex()[:-128]}\n" in text


def check():
    """Others verify what they can. A difference fails."""
    check_examples()
    good = [name for name, (expect, _, form, *_) in SIGNATURES.items() if (expect, form) == ("success", "detached")]
    cases = {name: detached(name)[0] for name in good}
    kind = {name: keys["signed-by"][0].split()[0] for name, keys in cases.items()}
    if shutil.which("ssh-keygen"):
        names = [name for name in good if kind[name] in ("ed25519", "p256-sign") and "note" not in cases[name]]
        refused = {name for name in names if not ssh_keygen_verifies(name)}
        assert refused <= NOT_BY_SSH_KEYGEN, refused
        noted = [name for name in good if kind[name] in ("ed25519", "p256-sign") and "note" in cases[name]]
        assert not any(map(ssh_keygen_verifies, noted))
        print(f"ssh-keygen verifies {len(names) - len(refused)}, and refuses {len(noted)} with comments")
    if shutil.which("openssl"):
        names = [name for name in good if kind[name] == "sm2-sign"]
        assert all(map(openssl_verifies, names))
        print(f"openssl verifies {len(names)} of sm2-sign")


def main():
    if sys.argv[1:] != ["check"]:
        make()
    check()


def make():
    made = {"signature": (SIGNATURES, render_signature), "signing_keys": (SIGNING_KEYS, render_key)}
    made["allowed_signers"] = ALLOWED_SIGNERS, render_allowed
    for folder, (scenarios, render) in made.items():
        shutil.rmtree(HERE / folder, ignore_errors=True)
        (HERE / folder).mkdir()
        for name in scenarios:
            (HERE / folder / name).write_bytes(render(name))
        codes = [values[0] for values in scenarios.values()]
        print(f"{len(scenarios)} vectors in {folder}/, {codes.count('success')} of them successes")


if __name__ == "__main__":
    main()
