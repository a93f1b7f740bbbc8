"""Keys that sign, in their forms, and signatures."""

import copy
import hashlib
import json
import pickle
from base64 import b64decode, urlsafe_b64decode
from functools import partial
from pathlib import Path
from typing import Any

import helpers
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sealstone import errors, sign
from test_vectors import all_of

MESSAGE = b"attack at dawn"
LENGTHS = {
    "ed25519": (32, 32),
    "p256-sign": (32, 65),
    "p384-sign": (48, 97),
    "p521-sign": (66, 133),
    "secp256k1": (32, 65),
    "ml-dsa-44": (32, 1312),
    "ml-dsa-65": (32, 1952),
    "ml-dsa-87": (32, 2592),
    "hybrid-sign": (64, 1984),
    "hybrid44-sign": (64, 1344),
    "sm2-sign": (32, 65),
}
KINDS = [*LENGTHS, "rsa-sign"]
ECDSA = ("p256-sign", "p384-sign", "p521-sign", "secp256k1")
WITH_CONTEXT = ("ml-dsa-44", "ml-dsa-65", "ml-dsa-87", "hybrid-sign", "hybrid44-sign")


@pytest.fixture(scope="module")
def keys(vectors: Path) -> dict[str, sign.PrivateKey]:
    keys = {kind: sign.generate_key(kind) for kind in LENGTHS}  # type: ignore[arg-type]
    return keys | {
        "rsa-sign": sign.import_private_key((vectors / "sign" / "rsa_2048.der").read_bytes(), kind="rsa-sign")
    }


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_verifies_what_it_signed_and_nothing_else(kind: str, keys: dict[str, sign.PrivateKey]) -> None:
    key = keys[kind]
    public = key.public_key
    assert (key.kind, public.kind) == (kind, kind)
    for message in (b"", MESSAGE, "ünïcödé 😀".encode(), b"\x80" * 6000):
        signature = key.sign(message)
        public.verify(message, signature)
        with pytest.raises(errors.InvalidSignature):
            public.verify(message + b"!", signature)
    for at in (0, len(signature) // 2, len(signature) - 1):
        damaged = bytearray(signature)
        damaged[at] ^= 1
        with pytest.raises(errors.InvalidSignature):
            public.verify(message, damaged)
    for length in (0, 1, 63, len(signature) - 1):
        with pytest.raises(errors.InvalidSignature):
            public.verify(message, signature[:length])


def test_messages_and_signatures_are_any_contiguous_buffer(keys: dict[str, sign.PrivateKey]) -> None:
    import numpy as np

    for key in keys.values():
        numbers = np.arange(1000, dtype=np.uint16)
        data = numbers.tobytes()
        before = bytearray(data)
        buffers: list[Any] = [data, before, memoryview(data), numbers]
        for one in buffers:
            signature = key.sign(one)
            for other in buffers:
                key.public_key.verify(other, bytearray(signature))
        assert before == data
        scattered: list[Any] = [numbers[::2], memoryview(data)[::2]]
        for wrong in scattered:
            with pytest.raises(BufferError):
                key.sign(wrong)
            with pytest.raises(BufferError):
                key.public_key.verify(wrong, signature)


@given(kind=st.sampled_from(list(LENGTHS)), data=st.binary(max_size=5000), at=st.integers(min_value=0))
def test_round_trips(kind: Any, data: bytes, at: int) -> None:
    key = sign.generate_key(kind)
    signature = bytearray(key.sign(data))
    key.public_key.verify(data, signature)
    signature[at % len(signature)] ^= 1 << at % 8
    with pytest.raises(errors.InvalidSignature):
        key.public_key.verify(data, signature)


@pytest.mark.parametrize("kind", KINDS)
def test_options_change_a_signature_where_a_kind_has_them_and_are_refused_elsewhere(
    kind: str, keys: dict[str, sign.PrivateKey]
) -> None:
    key = keys[kind]
    own = {"p384-sign": "sha384", "p521-sign": "sha512"}.get(kind, "sha256")
    hashes = kind in ECDSA or kind == "rsa-sign"
    encodes = kind in ECDSA or kind == "sm2-sign"
    cases: list[tuple[dict[str, Any], bool, bool]] = [
        ({"hash": "sha256"}, hashes, own == "sha256"),
        ({"hash": "sha384"}, hashes, own == "sha384"),
        ({"hash": "sha512"}, hashes, own == "sha512"),
        ({"encoding": "fixed"}, encodes, False),
        ({"encoding": "der"}, encodes, True),
        ({"scheme": "pkcs1"}, kind == "rsa-sign", False),
        ({"scheme": "pss"}, kind == "rsa-sign", True),
        ({"context": b"example.org/v1"}, kind in WITH_CONTEXT, False),
        ({"context": bytearray(255)}, kind in WITH_CONTEXT, False),
        ({"id": b"alice@example.org"}, kind == "sm2-sign", False),
        ({"id": b"1234567812345678"}, kind == "sm2-sign", True),
    ]
    for options, has, is_default in cases:
        if not has:
            with pytest.raises(errors.InvalidOption):
                key.sign(MESSAGE, **options)
            with pytest.raises(errors.InvalidOption):
                key.public_key.verify(MESSAGE, bytes(64), **options)
            continue
        signature = key.sign(MESSAGE, **options)
        key.public_key.verify(MESSAGE, signature, **options)
        if is_default:
            key.public_key.verify(MESSAGE, signature)
        else:
            with pytest.raises(errors.InvalidSignature):
                key.public_key.verify(MESSAGE, signature)
    key.sign(MESSAGE, context=b"")
    with pytest.raises(errors.InvalidOption):
        key.sign(MESSAGE, context=bytes(256))


def test_sm2_has_an_id_of_limited_length(keys: dict[str, sign.PrivateKey]) -> None:
    with pytest.raises(errors.InvalidUserId):
        keys["sm2-sign"].sign(MESSAGE, id=bytes(8192))
    assert len(keys["sm2-sign"].sign(MESSAGE, encoding="fixed")) == 64


def has_form(kind: str, form: str, half: str) -> bool:
    if form == "jwk":
        return "hybrid" not in kind and kind != "sm2-sign"
    if form != "ssh":
        return True
    if half == "public":
        return kind != "secp256k1"
    return kind in ("ed25519", "p256-sign", "p384-sign", "p521-sign", "hybrid44-sign")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["pem", "der", "jwk", "ssh", "raw"])
def test_keys_are_written_and_read_in_every_form_of_their_kind(
    kind: Any, form: Any, keys: dict[str, sign.PrivateKey]
) -> None:
    key, public = keys[kind], keys[kind].public_key
    named = kind if form == "raw" else None
    binary = form in ("der", "raw")
    if has_form(kind, form, "private"):
        written = sign.export_private_key(key, form)
        assert isinstance(written, bytes if binary else str)
        assert sign.import_private_key(written, kind=named).public_key == public
        if isinstance(written, str):
            assert sign.import_private_key(written.encode()).kind == kind
    else:
        with pytest.raises(errors.UnsupportedKey):
            sign.export_private_key(key, form)
    if has_form(kind, form, "public"):
        written = sign.export_public_key(public, form)
        assert isinstance(written, bytes if binary else str)
        assert sign.import_public_key(written, kind=named) == public
    else:
        with pytest.raises(errors.UnsupportedKey):
            sign.export_public_key(public, form)


@pytest.mark.parametrize(("kind", "lengths"), LENGTHS.items())
def test_the_bytes_of_a_key_have_its_length(
    kind: Any, lengths: tuple[int, int], keys: dict[str, sign.PrivateKey]
) -> None:
    key = keys[kind]
    raw = sign.export_private_key(key, "raw"), sign.export_public_key(key.public_key, "raw")
    assert tuple(map(len, raw)) == lengths
    with pytest.raises(errors.WrongLength):
        sign.import_private_key(bytes(7), kind=kind)
    with pytest.raises(errors.WrongLength):
        sign.import_public_key(bytes(7), kind=kind)


def test_fingerprints(keys: dict[str, sign.PrivateKey]) -> None:
    for kind, key in keys.items():
        raw = sign.export_public_key(key.public_key, "raw")
        assert key.public_key.fingerprint == "SHA256:" + hashlib.sha256(kind.encode() + b"\0" + raw).hexdigest()
        if kind == "secp256k1":
            with pytest.raises(errors.UnsupportedKey):
                _ = key.public_key.ssh_fingerprint
        else:
            blob = b64decode(sign.export_public_key(key.public_key, "ssh").split()[1])
            digest = key.public_key.ssh_fingerprint.removeprefix("SHA256:")
            assert b64decode(digest + "=") == hashlib.sha256(blob).digest()


def test_a_passphrase_encrypts_pem_der_and_openssh_and_nothing_else() -> None:
    key, passphrase = sign.generate_key("ed25519"), "correct horse battery staple"
    for form in ("pem", "der", "ssh"):
        written: Any = sign.export_private_key(key, form, passphrase=passphrase)
        assert sign.import_private_key(written, passphrase=passphrase.encode()).public_key == key.public_key
        with pytest.raises(errors.PassphraseRequired):
            sign.import_private_key(written)
        with pytest.raises(errors.NoMatchingIdentity):
            sign.import_private_key(written, passphrase="wrong")
    for form in ("jwk", "raw"):
        with pytest.raises(errors.UnsupportedKey):
            sign.export_private_key(key, form, passphrase=passphrase)
    line = sign.export_public_key(key.public_key, "ssh", comment="alice@example.org")
    assert line.startswith("ssh-ed25519 AAAA")
    assert line.endswith(" alice@example.org")
    for options in ({"form": "pem", "comment": "x"}, {"form": "ssh", "comment": "two\nlines"}):
        with pytest.raises(errors.InvalidOption):
            sign.export_public_key(key.public_key, **options)


def test_secrets_stay_and_public_keys_go(keys: dict[str, sign.PrivateKey]) -> None:
    for kind, key in keys.items():
        assert repr(key) == str(key) == f"PrivateKey({kind})"
        for take in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="stays in its process"):
                take(key)
        public = key.public_key
        assert repr(public) == f"PublicKey({kind} {public.fingerprint})"
        read = pickle.loads(pickle.dumps(public))
        assert read == public == copy.deepcopy(public)
        assert {public: 1}[read] == 1
        assert public not in (None, kind, sign.generate_key("ed25519").public_key)
    with pytest.raises(TypeError):
        sign.PrivateKey()


def test_a_destroyed_key_does_nothing() -> None:
    key = sign.generate_key("ed25519")
    public, signature = key.public_key, key.sign(MESSAGE)
    key.destroy()
    key.destroy()
    assert repr(key) == "PrivateKey(destroyed)"
    public.verify(MESSAGE, signature)
    for use in (
        lambda: key.sign(MESSAGE),
        lambda: key.public_key,
        lambda: key.kind,
        lambda: sign.export_private_key(key),
    ):
        with pytest.raises(ValueError, match="the key was destroyed"):
            use()


def test_wrong_values_have_their_codes(keys: dict[str, sign.PrivateKey]) -> None:
    key = keys["p256-sign"]
    for name in ("", "ED25519", "rsa", "rsa-sign", "x25519"):
        with pytest.raises(errors.UnknownAlgorithm):
            sign.generate_key(name)  # type: ignore[arg-type]
    for name in ("", "PEM", "age"):
        unknown: Any = name
        for wrong in (
            partial(sign.export_private_key, key, unknown),
            partial(sign.export_public_key, key.public_key, unknown),
            partial(key.sign, b"", hash=unknown),
            partial(key.sign, b"", encoding=unknown),
            partial(key.public_key.verify, b"", b"", scheme=unknown),
            partial(sign.import_private_key, bytes(32), kind=unknown),
            partial(sign.import_public_key, bytes(32), kind=unknown),
        ):
            with pytest.raises(errors.UnknownAlgorithm):
                wrong()
    with pytest.raises(errors.InvalidKey):
        sign.import_private_key(sign.export_public_key(key.public_key))
    with pytest.raises(errors.InvalidKey):
        sign.import_public_key(sign.export_private_key(key))
    for bits in (0, 512, 1024, 2047, 8192):
        with pytest.raises(errors.InvalidOption):
            sign.generate_rsa_key(bits)  # type: ignore[arg-type]


def test_wrong_types_are_type_errors(keys: dict[str, sign.PrivateKey]) -> None:
    key: Any = keys["ed25519"]
    public: Any = key.public_key
    untyped: Any = sign
    helpers.refused(
        TypeError,
        lambda: key.sign("text"),
        lambda: key.sign(None),
        lambda: key.sign(b"", "sha256"),
        lambda: key.sign(b"", curve="x"),
        lambda: public.verify(b"", "text"),
        lambda: untyped.generate_key(5),
        lambda: untyped.generate_rsa_key("2048"),
        lambda: untyped.import_private_key(None),
        lambda: untyped.import_private_key("ab" * 32, kind="ed25519"),
        lambda: untyped.import_private_key(bytes(32), kind="ed25519", passphrase="pass"),
        lambda: untyped.import_public_key("ab" * 32, kind="ed25519"),
        lambda: untyped.export_private_key(public),
        lambda: untyped.export_public_key(key),
    )


def test_a_key_of_openssh_signs_files_alone_and_others_sign_nothing_that_files_do() -> None:
    key = sign.generate_key("ed25519")
    with pytest.raises(errors.InvalidKey):
        sign.import_private_key(sign.export_private_key(key, "ssh")).sign(MESSAGE)
    for kind in ("ed25519", "p384-sign", "ml-dsa-87"):
        with pytest.raises(errors.InvalidKey):
            sign.generate_key(kind).sign(b"SSHSIG")


def test_a_key_of_rsa_is_made_until_a_signal_ends_that() -> None:
    key = sign.generate_rsa_key(2048)
    options: dict[str, Any] = {"scheme": "pkcs1", "hash": "sha512"}
    signature = key.sign(MESSAGE, **options)
    assert len(signature) == 256
    key.public_key.verify(MESSAGE, signature, **options)

    class Enough(Exception):
        pass

    # One key may be found before; not a hundred.
    helpers.interrupted(lambda: [sign.generate_rsa_key(4096) for _ in range(100)], Enough)


def test_other_threads_run_while_a_long_message_is_signed() -> None:
    key, data = sign.generate_key("ed25519"), bytes(1 << 22)
    assert helpers.lets_others_run(lambda: key.sign(data))


SIGNERS = ("ed25519", "p256-sign", "ml-dsa-65", "hybrid-sign", "hybrid44-sign", "sm2-sign")
# Algorithms that this module has and signature files do not.
OTHERS = ("ml_dsa_44", "ml_dsa_87", "p384", "rsa", "secp256k1")


def test_every_vector_of_keys_that_sign_is_read_as_it_says(vectors: Path) -> None:
    faults, count = [], 0
    for vector in all_of(vectors / "signing_keys"):
        algorithm = vector.name.removeprefix("algorithm_private_").removeprefix("algorithm_public_")
        # Of several keys in one file this module takes none.
        if len(vector.values("key")) > 1 or (vector.name.startswith("algorithm_") and algorithm in OTHERS):
            continue
        count += 1
        code, found, secret = "success", "", None
        try:
            if vector.value("read") == "public":
                public = sign.import_public_key(vector.file)
            else:
                key = sign.import_private_key(vector.file, passphrase=vector.value("passphrase"))
                public, secret = key.public_key, sign.export_private_key(key, "raw").hex()
            found = f"{public.kind} {public.fingerprint}"
            if public.kind not in SIGNERS:
                code = "unsupported_key"
        except errors.Error as error:
            code = "invalid_signer" if error.code == "invalid_key" else error.code
        if code != vector.value("expect"):
            faults.append(f"{vector.name}: {code} instead of {vector.value('expect')}")
        elif code == "success" and (found, secret) != (vector.value("key"), vector.value("secret")):
            faults.append(f"{vector.name}: {found} {secret}")
    assert faults == []
    assert count >= 208


def borrowed(vectors: Path, name: str) -> list[dict[str, Any]]:
    found = json.loads((vectors / "borrowed" / f"{name}.json").read_bytes())
    assert found
    return found  # type: ignore[no-any-return]


def test_the_keys_of_lamps_rfc_9881_and_rfc_9964(vectors: Path) -> None:
    counts = {"lamps": 0, "rfc9881": 0, "rfc9964": 0, "bad": 0}
    for one in borrowed(vectors, "signing_keys"):
        source = "bad" if "bad" in one else one["source"]
        if source == "lamps":
            key = sign.import_private_key(bytes.fromhex(one["sk"]), kind=one["kind"])
            message, context = bytes.fromhex(one["m"]), bytes.fromhex(one["ctx"])
            assert sign.export_private_key(key, "der").hex() == one["pkcs8"]
            assert sign.export_public_key(key.public_key, "raw").hex() == one["pk"]
            assert sign.import_public_key(bytes.fromhex(one["x5c"])) == key.public_key
            key.public_key.verify(message, bytes.fromhex(one["s"]))
            key.public_key.verify(message, bytes.fromhex(one["s_ctx"]), context=context)
            with pytest.raises(errors.InvalidSignature):
                key.public_key.verify(message, bytes.fromhex(one["s_ctx"]))
        elif source == "bad":
            with pytest.raises((errors.InvalidKey, errors.UnsupportedKey)):
                sign.import_private_key(one["bad"])
        elif source == "rfc9881":
            key = sign.import_private_key(one["seed"])
            assert key.kind == one["kind"]
            assert sign.export_private_key(key).strip() == one["seed"].strip()
            assert sign.import_private_key(one["both"]).public_key == key.public_key
            assert sign.import_public_key(one["public"]) == key.public_key
            assert sign.import_public_key(one["certificate"]) == key.public_key
            with pytest.raises(errors.UnsupportedKey):
                sign.import_private_key(one["expanded"])
        else:
            key = sign.import_private_key(json.dumps(one["jwk"]))
            message, _, signature = one["jws"].rpartition(".")
            key.public_key.verify(message.encode(), urlsafe_b64decode(signature + "=="))
            expected = {name: value for name, value in one["jwk"].items() if name != "kid"}
            assert json.loads(sign.export_private_key(key, "jwk")) == expected
        counts[source] += 1
    assert counts == {"lamps": 2, "rfc9881": 3, "rfc9964": 3, "bad": 3}


def test_known_keys_and_signatures_of_ml_dsa(vectors: Path) -> None:
    made = 0
    for one in borrowed(vectors, "acvp_ml_dsa") + borrowed(vectors, "ml_dsa_kat"):
        if one.get("mode", "keyGen") != "keyGen":
            continue
        key = sign.import_private_key(bytes.fromhex(one["seed"]), kind=one["kind"])
        assert hashlib.sha256(sign.export_public_key(key.public_key, "raw")).hexdigest() == one["pk_sha256"]
        made += 1
    assert made == 75 + 39


def test_wycheproof_signatures_of_pkcs1_are_made(vectors: Path) -> None:
    made = 0
    for group in borrowed(vectors, "wycheproof_rsa_signatures"):
        key = sign.import_private_key(bytes.fromhex(group["pkcs8"]))
        options: dict[str, Any] = {"scheme": "pkcs1", "hash": group["sha"].replace("-", "").lower()}
        for one in group["tests"]:
            message = bytes.fromhex(one["msg"])
            assert key.sign(message, **options).hex() == one["sig"]
            key.public_key.verify(message, bytes.fromhex(one["sig"]), **options)
            made += 1
    assert made == 77


def test_what_ssh_keygen_wrote_is_read_where_its_cipher_is_usual(vectors: Path) -> None:
    keys = json.loads((vectors / "compat" / "ssh_keygen.json").read_bytes())["keys"]
    read, refused = [], []
    for name, one in keys.items():
        public = sign.import_public_key(one["public"])
        try:
            assert sign.import_private_key(one["private"], passphrase=one.get("passphrase")).public_key == public, name
        except errors.UnsupportedKey:
            refused.append(name)
            continue
        read.append(name)
        if "passphrase" in one:
            with pytest.raises(errors.NoMatchingIdentity):
                sign.import_private_key(one["private"], passphrase="wrong")
    assert read == ["ed25519", "ed25519_passphrase", "p256", "p256_passphrase_cbc", "p384"]
    assert refused == ["ed25519_aes256_gcm", "ed25519_chacha20_poly1305", "ed25519_aes128_ctr", "rsa"]


class TestCryptography:
    """Both ways, of keys that either made."""

    @staticmethod
    def agree(theirs: Any, kind: str, options: dict[str, Any], *how: Any) -> None:
        serialization = helpers.module("cryptography.hazmat.primitives.serialization")
        pem = serialization.Encoding.PEM
        private = theirs.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        public = theirs.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
        key = sign.import_private_key(private)
        assert (key.kind, key.public_key) == (kind, sign.import_public_key(public))
        theirs.public_key().verify(key.sign(MESSAGE, **options), MESSAGE, *how)
        key.public_key.verify(MESSAGE, theirs.sign(MESSAGE, *how), **options)
        with pytest.raises(errors.InvalidSignature):
            key.public_key.verify(b"attack at noon", theirs.sign(MESSAGE, *how), **options)
        own = key if kind == "rsa-sign" else sign.generate_key(kind)  # type: ignore[arg-type]
        read = serialization.load_pem_private_key(sign.export_private_key(own).encode(), None)
        own.public_key.verify(MESSAGE, read.sign(MESSAGE, *how), **options)
        read = serialization.load_der_public_key(sign.export_public_key(own.public_key, "der"))
        read.verify(own.sign(MESSAGE, **options), MESSAGE, *how)

    def test_ed25519(self) -> None:
        ed25519 = helpers.module("cryptography.hazmat.primitives.asymmetric.ed25519")
        self.agree(ed25519.Ed25519PrivateKey.generate(), "ed25519", {})

    @pytest.mark.parametrize(
        ("kind", "curve", "own"),
        [
            ("p256-sign", "SECP256R1", "SHA256"),
            ("p384-sign", "SECP384R1", "SHA384"),
            ("p521-sign", "SECP521R1", "SHA512"),
            ("secp256k1", "SECP256K1", "SHA256"),
        ],
    )
    def test_ecdsa(self, kind: str, curve: str, own: str) -> None:
        ec = helpers.module("cryptography.hazmat.primitives.asymmetric.ec")
        hashes = helpers.module("cryptography.hazmat.primitives.hashes")
        theirs = ec.generate_private_key(getattr(ec, curve)())
        self.agree(theirs, kind, {}, ec.ECDSA(getattr(hashes, own)()))
        for name in ("SHA256", "SHA384", "SHA512"):
            self.agree(theirs, kind, {"hash": name.lower()}, ec.ECDSA(getattr(hashes, name)()))

    @pytest.mark.parametrize("name", ["SHA256", "SHA384", "SHA512"])
    def test_rsa(self, name: str) -> None:
        rsa = helpers.module("cryptography.hazmat.primitives.asymmetric.rsa")
        padding = helpers.module("cryptography.hazmat.primitives.asymmetric.padding")
        hash_of = getattr(helpers.module("cryptography.hazmat.primitives.hashes"), name)()
        theirs = rsa.generate_private_key(65537, 2048)
        pss = padding.PSS(padding.MGF1(hash_of), hash_of.digest_size)
        self.agree(theirs, "rsa-sign", {"hash": name.lower()}, pss, hash_of)
        self.agree(theirs, "rsa-sign", {"hash": name.lower(), "scheme": "pkcs1"}, padding.PKCS1v15(), hash_of)

    @pytest.mark.parametrize("size", [44, 65, 87])
    def test_ml_dsa(self, size: int) -> None:
        mldsa = helpers.module("cryptography.hazmat.primitives.asymmetric.mldsa")
        theirs = getattr(mldsa, f"MLDSA{size}PrivateKey").generate()
        self.agree(theirs, f"ml-dsa-{size}", {})
        self.agree(theirs, f"ml-dsa-{size}", {"context": b"example.org"}, b"example.org")
