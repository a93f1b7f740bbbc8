"""Key agreement and encapsulation."""

import copy
import hashlib
import hmac
import json
import pickle
from functools import partial
from pathlib import Path
from typing import Any

import helpers
import pytest
import sealstone
from hypothesis import given
from hypothesis import strategies as st
from sealstone import errors, exchange

AGREEING = {"x25519": (32, 32), "p256": (32, 65), "p384": (48, 97), "p521": (66, 133)}
ENCAPSULATING = {
    "ml-kem-512": (64, 800, 768),
    "ml-kem-768": (64, 1184, 1088),
    "ml-kem-1024": (64, 1568, 1568),
    "hybrid": (32, 1216, 1120),
}
KINDS: list[Any] = [*AGREEING, *ENCAPSULATING]
HKDF: dict[str, Any] = {"hash": "sha256", "info": b"example.com v1, session key", "length": 32}


def hkdf_sha256(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    """RFC 5869, with the standard library."""
    prk = hmac.digest(salt or bytes(32), secret, "sha256")
    out = block = b""
    for counter in range(1, -(-length // 32) + 1):
        block = hmac.digest(prk, block + info + bytes([counter]), "sha256")
        out += block
    return out[:length]


@pytest.mark.parametrize("kind", AGREEING)
def test_both_sides_derive_the_same_key_and_another_for_each_purpose(kind: Any) -> None:
    alice, bob = exchange.generate_key(kind), exchange.generate_key(kind)
    agreed = alice.diffie_hellman(bob.public_key, **HKDF)
    assert bob.diffie_hellman(alice.public_key, **HKDF) == agreed
    shared = alice.hazmat_shared_secret(bob.public_key)
    assert bob.hazmat_shared_secret(alice.public_key) == shared
    assert len(shared) == AGREEING[kind][0]
    assert hkdf_sha256(shared, b"", HKDF["info"], 32) == agreed
    salted = alice.diffie_hellman(bob.public_key, **HKDF | {"salt": bytearray(b"salt"), "length": 1000})
    assert salted == hkdf_sha256(shared, b"salt", HKDF["info"], 1000)
    # SP 800-56C section 4.1.
    concat = alice.diffie_hellman(bob.public_key, **HKDF, kdf="concat")
    assert concat == hashlib.sha256(b"\0\0\0\1" + shared + HKDF["info"]).digest()
    others: list[dict[str, Any]] = [{"info": b"another purpose"}, {"salt": b"salt"}, {"hash": "sm3"}, {"kdf": "concat"}]
    keys = {alice.diffie_hellman(bob.public_key, **HKDF | other) for other in others} | {agreed}
    assert len(keys) == 5
    with pytest.raises(errors.TooLong):
        alice.diffie_hellman(bob.public_key, **HKDF | {"length": 255 * 32 + 1})
    with pytest.raises(errors.InvalidOption):
        alice.diffie_hellman(bob.public_key, **HKDF, kdf="concat", salt=b"x")
    with pytest.raises(errors.InvalidKey):
        alice.public_key.encapsulate()
    with pytest.raises(errors.InvalidKey):
        alice.decapsulate(bytes(100))


def test_rfc_7518_has_this_agreement() -> None:
    def key(x: str, y: str, d: str) -> exchange.PrivateKey:
        return exchange.import_private_key(json.dumps({"kty": "EC", "crv": "P-256", "x": x, "y": y, "d": d}))

    alice = key(
        "gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0",
        "SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps",
        "0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo",
    )
    bob = key(
        "weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ",
        "e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck",
        "VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw",
    )
    info = b"\0\0\0\x07A128GCM\0\0\0\x05Alice\0\0\0\x03Bob\0\0\0\x80"
    for own, other in ((alice, bob), (bob, alice)):
        derived = own.diffie_hellman(other.public_key, kdf="concat", hash="sha256", info=info, length=16)
        assert derived.hex() == "56aa8deaf8236d205c2228cd71a7101a"


@pytest.mark.parametrize("kind", ENCAPSULATING)
def test_a_secret_is_encapsulated_to_a_public_key_and_a_wrong_ciphertext_gives_another(kind: Any) -> None:
    key = exchange.generate_key(kind)
    sent = key.public_key.encapsulate()
    secret, ciphertext = sent
    assert isinstance(sent, exchange.Encapsulated)
    assert (sent.secret, sent.ciphertext) == (secret, ciphertext)
    assert (len(secret), len(ciphertext)) == (32, ENCAPSULATING[kind][2])
    assert any(secret)
    assert key.decapsulate(bytearray(ciphertext)) == secret
    assert key.public_key.encapsulate().secret != secret
    damaged = bytearray(ciphertext)
    damaged[3] ^= 1
    assert key.decapsulate(damaged) == key.decapsulate(damaged) != secret
    for length in (0, len(ciphertext) - 1):
        with pytest.raises(errors.WrongLength):
            key.decapsulate(ciphertext[:length])
    with pytest.raises(errors.InvalidKey):
        key.diffie_hellman(key.public_key, **HKDF)
    with pytest.raises(errors.InvalidKey):
        key.hazmat_shared_secret(key.public_key)


@given(
    kind=st.sampled_from(KINDS), length=st.integers(1, 500), info=st.binary(max_size=100), salt=st.binary(max_size=100)
)
def test_round_trips(kind: Any, length: int, info: bytes, salt: bytes) -> None:
    one = exchange.generate_key(kind)
    if kind in ENCAPSULATING:
        secret, ciphertext = one.public_key.encapsulate()
        assert one.decapsulate(ciphertext) == secret
        return
    other = exchange.generate_key(kind)
    options: dict[str, Any] = {"hash": "sha256", "info": info, "salt": salt, "length": length}
    assert one.diffie_hellman(other.public_key, **options) == other.diffie_hellman(one.public_key, **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["pem", "der", "jwk", "raw"])
def test_keys_are_written_and_read_in_every_form_of_their_kind(kind: Any, form: Any) -> None:
    key = exchange.generate_key(kind)
    if form != "raw" and (kind == "hybrid" or (form == "jwk" and kind.startswith("ml-kem"))):
        with pytest.raises(errors.UnsupportedKey):
            exchange.export_private_key(key, form)
        with pytest.raises(errors.UnsupportedKey):
            exchange.export_public_key(key.public_key, form)
        return
    named = kind if form == "raw" else None
    private, public = exchange.export_private_key(key, form), exchange.export_public_key(key.public_key, form)
    assert type(private) is type(public) is (bytes if form in ("der", "raw") else str)
    read = exchange.import_private_key(private, kind=named)
    assert (read.kind, read.public_key) == (kind, key.public_key)
    assert exchange.import_public_key(public, kind=named) == key.public_key
    if form == "raw":
        assert (len(private), len(public)) == (AGREEING | ENCAPSULATING)[kind][:2]
        with pytest.raises(errors.WrongLength):
            exchange.import_private_key(bytes(7), kind=kind)
        with pytest.raises(errors.WrongLength):
            exchange.import_public_key(bytes(7), kind=kind)


def test_a_passphrase_encrypts_pem_and_der() -> None:
    key, passphrase = exchange.generate_key("p384"), "correct horse battery staple"
    for form in ("pem", "der"):
        written: Any = exchange.export_private_key(key, form, passphrase=passphrase)
        assert exchange.import_private_key(written, passphrase=passphrase).public_key == key.public_key
        with pytest.raises(errors.PassphraseRequired):
            exchange.import_private_key(written)
        with pytest.raises(errors.NoMatchingIdentity):
            exchange.import_private_key(written, passphrase="wrong")
    with pytest.raises(errors.UnsupportedKey):
        exchange.export_private_key(key, "jwk", passphrase=passphrase)


def test_strings_of_age_are_read() -> None:
    for kind in ("hybrid", "x25519"):
        identity = sealstone.generate_identity(kind)
        key = exchange.import_private_key(sealstone.export_identity(identity))
        assert key.kind == kind
        assert exchange.import_public_key(str(sealstone.recipient_of(identity))) == key.public_key


def test_every_key_of_wycheproof_as_pem_der_and_jwk(vectors: Path) -> None:
    shared = refused = 0
    for one in json.loads((vectors / "borrowed" / "wycheproof_keys.json").read_bytes()):

        def form(name: str, one: Any = one) -> str | bytes:
            key = one[name]
            if not isinstance(key, str):
                return json.dumps(key)
            return bytes.fromhex(key) if one["set"] == "x25519_asn" else key

        what = f"{one['set']}, {one['tc']}"
        try:
            public = exchange.import_public_key(form("public"))
            secret = exchange.import_private_key(form("private")).hazmat_shared_secret(public)
        except (errors.InvalidKey, errors.UnsupportedKey):
            assert one["result"] != "valid", what
            refused += 1
            continue
        assert one["result"] != "invalid", what
        assert secret.hex() == one["shared"], what
        shared += 1
    assert (shared, refused) == (2415, 701)


def test_x_wing(vectors: Path) -> None:
    all_of = json.loads((vectors / "borrowed" / "xwing.json").read_bytes())
    for one in all_of:
        key = exchange.import_private_key(bytes.fromhex(one["sk"]), kind="hybrid")
        assert exchange.export_public_key(key.public_key, "raw").hex() == one["pk"]
        assert key.decapsulate(bytes.fromhex(one["ct"])).hex() == one["ss"]
    assert len(all_of) >= 3


def test_secrets_stay_and_public_keys_go() -> None:
    for kind in KINDS:
        key = exchange.generate_key(kind)
        assert repr(key) == f"PrivateKey({kind})"
        for take in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="stays in its process"):
                take(key)
        public = key.public_key
        assert repr(public) == f"PublicKey({kind})"
        read = pickle.loads(pickle.dumps(public))
        assert read == public == copy.deepcopy(public)
        assert {public: 1}[read] == 1
        assert public not in (None, exchange.generate_key(kind).public_key)


def test_a_destroyed_key_does_nothing() -> None:
    key = exchange.generate_key()
    _, ciphertext = key.public_key.encapsulate()
    key.destroy()
    key.destroy()
    assert repr(key) == "PrivateKey(destroyed)"
    for use in (
        lambda: key.decapsulate(ciphertext),
        lambda: key.public_key,
        lambda: key.kind,
        lambda: exchange.export_private_key(key, "raw"),
    ):
        with pytest.raises(ValueError, match="the key was destroyed"):
            use()


def test_wrong_values_have_their_codes() -> None:
    key, other = exchange.generate_key("x25519"), exchange.generate_key("p256")
    for name in ("", "X25519", "ed25519", "rsa"):
        unknown: Any = name
        for wrong in (
            partial(exchange.generate_key, unknown),
            partial(key.diffie_hellman, key.public_key, **HKDF, kdf=unknown),
            partial(key.diffie_hellman, key.public_key, **HKDF | {"hash": unknown}),
            partial(exchange.export_private_key, key, unknown),
            partial(exchange.export_public_key, key.public_key, unknown),
            partial(exchange.import_private_key, bytes(32), kind=unknown),
        ):
            with pytest.raises(errors.UnknownAlgorithm):
                wrong()
    with pytest.raises(errors.InvalidKey, match="different kinds"):
        key.diffie_hellman(other.public_key, **HKDF)
    with pytest.raises(errors.InvalidKey):
        key.hazmat_shared_secret(exchange.import_public_key(bytes(32), kind="x25519"))
    with pytest.raises(errors.InvalidKey):
        exchange.import_private_key(exchange.export_public_key(other.public_key))
    with pytest.raises(errors.InvalidKey):
        exchange.import_public_key(exchange.export_private_key(other))
    with pytest.raises(errors.InvalidKey):
        exchange.import_public_key(b"\x04" + bytes(131) + b"\x01", kind="p521")


def test_wrong_types_are_type_errors() -> None:
    key: Any = exchange.generate_key("x25519")
    kem: Any = exchange.generate_key()
    untyped: Any = exchange
    helpers.refused(
        TypeError,
        lambda: untyped.generate_key(5),
        lambda: key.diffie_hellman(key, **HKDF),
        lambda: key.diffie_hellman(key.public_key, **HKDF | {"info": "text"}),
        lambda: key.diffie_hellman(key.public_key, **HKDF | {"length": 1.5}),
        lambda: key.diffie_hellman(key.public_key, hash="sha256", length=32),
        lambda: key.diffie_hellman(key.public_key, "sha256", b"", 32),
        lambda: key.hazmat_shared_secret(None),
        lambda: kem.decapsulate("00"),
        lambda: kem.public_key.encapsulate(b"what it is for"),
        lambda: untyped.import_private_key("ab" * 32, kind="x25519"),
        lambda: untyped.import_private_key(None),
        lambda: untyped.PublicKey(),
    )


class TestCryptography:
    """Both ways, of keys that either made."""

    @pytest.mark.parametrize("kind", AGREEING)
    def test_agreement(self, kind: Any) -> None:
        serialization = helpers.module("cryptography.hazmat.primitives.serialization")
        ec = helpers.module("cryptography.hazmat.primitives.asymmetric.ec")
        x25519 = helpers.module("cryptography.hazmat.primitives.asymmetric.x25519")

        def shared(private: Any, public: Any) -> bytes:
            return private.exchange(public) if kind == "x25519" else private.exchange(ec.ECDH(), public)  # type: ignore[no-any-return]

        curve = {"p256": "SECP256R1", "p384": "SECP384R1", "p521": "SECP521R1"}.get(kind)
        theirs = ec.generate_private_key(getattr(ec, curve)()) if curve else x25519.X25519PrivateKey.generate()
        der = serialization.Encoding.DER
        private = theirs.private_bytes(der, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        public = theirs.public_key().public_bytes(der, serialization.PublicFormat.SubjectPublicKeyInfo)
        own = exchange.generate_key(kind)
        secret = shared(theirs, serialization.load_pem_public_key(exchange.export_public_key(own.public_key).encode()))
        assert own.hazmat_shared_secret(exchange.import_public_key(public)) == secret
        assert exchange.import_private_key(private).hazmat_shared_secret(own.public_key) == secret
        read = serialization.load_der_private_key(exchange.export_private_key(own, "der"), None)
        assert shared(read, theirs.public_key()) == secret

    @pytest.mark.parametrize("size", [768, 1024])
    def test_encapsulation(self, size: int) -> None:
        mlkem = helpers.module("cryptography.hazmat.primitives.asymmetric.mlkem")
        serialization = helpers.module("cryptography.hazmat.primitives.serialization")
        pem = serialization.Encoding.PEM
        theirs = getattr(mlkem, f"MLKEM{size}PrivateKey").generate()
        public = theirs.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
        secret, ciphertext = exchange.import_public_key(public).encapsulate()
        assert theirs.decapsulate(ciphertext) == secret
        private = theirs.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        key = exchange.import_private_key(private)
        assert key.kind == f"ml-kem-{size}"
        secret, ciphertext = serialization.load_pem_public_key(
            exchange.export_public_key(key.public_key).encode()
        ).encapsulate()
        assert key.decapsulate(ciphertext) == secret
