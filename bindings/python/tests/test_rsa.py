"""RSA that encrypts."""

import copy
import json
import os
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import helpers
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sealstone import errors, rsa

HASHES: dict[Any, int] = {"sha1": 20, "sha256": 32, "sha384": 48, "sha512": 64}


@pytest.fixture(scope="session")
def own() -> rsa.PrivateKey:
    return rsa.generate_key(2048)


def rejections(vectors: Path) -> list[dict[str, Any]]:
    return json.loads((vectors / "borrowed" / "rsa_implicit_rejection.json").read_bytes())  # type: ignore[no-any-return]


def test_implicit_rejection_is_that_of_the_draft(vectors: Path) -> None:
    keys = {
        one["key"]: rsa.import_private_key(bytes.fromhex(one["pkcs1"])) for one in rejections(vectors) if "pkcs1" in one
    }
    assert {name: key.bits for name, key in keys.items()} == {
        "k2048": 2048,
        "k2049": 2049,
        "k3072": 3072,
        "k4096": 4096,
    }
    ran = 0
    for one in rejections(vectors):
        if "pkcs1" not in one:
            decrypted = rsa.legacy.decrypt_pkcs1(keys[one["key"]], bytes.fromhex(one["ciphertext"]))
            assert decrypted.hex() == one["message"], one["id"]
            ran += 1
    assert ran == 48


def test_one_error_covers_all_that_is_wrong_with_a_ciphertext_but_its_length(own: rsa.PrivateKey) -> None:
    options: dict[str, Any] = {"hash": "sha384", "label": b"label"}
    ciphertext = own.public_key.encrypt(b"a key", **options)
    assert len(ciphertext) == 256
    assert own.public_key.encrypt(b"a key", **options) != ciphertext
    assert own.decrypt(bytearray(ciphertext), **options) == b"a key"
    wrong: list[dict[str, Any]] = [{}, {"hash": "sha384"}, options | {"hash": "sha256"}, options | {"label": b"x"}]
    for other in wrong:
        with pytest.raises(errors.NotAuthentic):
            own.decrypt(ciphertext, **other)
    for at in (0, 100, 255):
        damaged = bytearray(ciphertext)
        damaged[at] ^= 1
        with pytest.raises(errors.NotAuthentic):
            own.decrypt(damaged, **options)
    for length in (0, 255, 257):
        with pytest.raises(errors.WrongLength):
            own.decrypt(bytes(length))
        with pytest.raises(errors.WrongLength):
            rsa.legacy.decrypt_pkcs1(own, bytes(length))
    with pytest.raises(errors.MalformedCiphertext):
        rsa.legacy.decrypt_pkcs1(own, b"\xff" * 256)


@pytest.mark.parametrize(("hash", "digest"), HASHES.items())
def test_the_longest_plaintexts_are_taken_and_no_longer_ones(own: rsa.PrivateKey, hash: Any, digest: int) -> None:
    longest = 256 - 2 * digest - 2
    for length in (0, 1, longest):
        data = os.urandom(length)
        assert own.decrypt(own.public_key.encrypt(data, hash=hash), hash=hash) == data
    with pytest.raises(errors.TooLong):
        own.public_key.encrypt(bytes(longest + 1), hash=hash)
    for length in (0, 1, 245):
        data = os.urandom(length)
        assert rsa.legacy.decrypt_pkcs1(own, rsa.legacy.encrypt_pkcs1(own.public_key, data)) == data
    with pytest.raises(errors.TooLong):
        rsa.legacy.encrypt_pkcs1(own.public_key, bytes(246))


@given(data=st.binary(max_size=126), hash=st.sampled_from(list(HASHES)), label=st.binary(max_size=100))
def test_round_trips(own: rsa.PrivateKey, data: bytes, hash: Any, label: bytes) -> None:
    assert own.decrypt(own.public_key.encrypt(data, hash=hash, label=label), hash=hash, label=label) == data


@pytest.mark.parametrize("form", ["pem", "der", "jwk"])
def test_keys_are_written_and_read_in_every_form(own: rsa.PrivateKey, form: Any) -> None:
    private, public = rsa.export_private_key(own, form), rsa.export_public_key(own.public_key, form)
    assert type(private) is type(public) is (bytes if form == "der" else str)
    assert rsa.import_private_key(private).public_key == own.public_key
    assert rsa.import_public_key(public) == own.public_key
    if form == "jwk":
        with pytest.raises(errors.UnsupportedKey):
            rsa.export_private_key(own, form, passphrase="pass")
        return
    written = rsa.export_private_key(own, form, passphrase="correct horse")
    assert rsa.import_private_key(written, passphrase="correct horse").public_key == own.public_key
    with pytest.raises(errors.PassphraseRequired):
        rsa.import_private_key(written)
    with pytest.raises(errors.NoMatchingIdentity):
        rsa.import_private_key(written, passphrase="wrong")


def test_secrets_stay_and_public_keys_go(own: rsa.PrivateKey, vectors: Path) -> None:
    assert (repr(own), own.bits) == ("PrivateKey(rsa, 2048 bits)", 2048)
    for take in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="stays in its process"):
            take(own)
    public = own.public_key
    assert (repr(public), public.bits) == ("PublicKey(rsa, 2048 bits)", 2048)
    read = pickle.loads(pickle.dumps(public))
    assert read == public == copy.deepcopy(public)
    assert {public: 1}[read] == 1
    other = rsa.import_private_key((vectors / "sign" / "rsa_2048.der").read_bytes()).public_key
    assert public not in (None, other)


def test_a_destroyed_key_does_nothing() -> None:
    key = rsa.generate_key(2048)
    ciphertext = key.public_key.encrypt(b"")
    key.destroy()
    key.destroy()
    assert repr(key) == "PrivateKey(destroyed)"
    uses: list[Callable[[], object]] = [
        lambda: key.bits,
        lambda: key.public_key,
        partial(key.decrypt, ciphertext),
        partial(rsa.legacy.decrypt_pkcs1, key, ciphertext),
        partial(rsa.export_private_key, key),
    ]
    for use in uses:
        with pytest.raises(ValueError, match="the key was destroyed"):
            use()


def test_wrong_uses_have_their_codes(own: rsa.PrivateKey) -> None:
    key: Any = own
    public: Any = own.public_key
    untyped: Any = rsa
    helpers.refused(
        errors.UnknownAlgorithm,
        lambda: key.decrypt(bytes(256), hash="sm3"),
        lambda: public.encrypt(b"", hash="sha3-256"),
        lambda: untyped.export_private_key(key, "raw"),
        lambda: untyped.export_public_key(public, "ssh"),
    )
    helpers.refused(
        errors.InvalidKey,
        lambda: rsa.import_private_key(rsa.export_public_key(own.public_key)),
        lambda: rsa.import_public_key(rsa.export_private_key(own)),
        lambda: rsa.import_private_key(b""),
    )
    helpers.refused(errors.InvalidOption, *(partial(untyped.generate_key, bits) for bits in (0, 1024, 2047, 8192)))
    helpers.refused(
        TypeError,
        lambda: key.decrypt("text"),
        lambda: public.encrypt("text"),
        lambda: public.encrypt(b"", "sha256"),
        lambda: public.encrypt(b"", label="text"),
        lambda: untyped.generate_key("2048"),
        lambda: untyped.import_private_key(None),
        lambda: untyped.export_private_key(public),
        lambda: untyped.legacy.encrypt_pkcs1(key, b""),
        lambda: untyped.legacy.decrypt_pkcs1(public, bytes(256)),
        lambda: untyped.PrivateKey(),
    )
    helpers.refused(BufferError, lambda: own.public_key.encrypt(memoryview(b"abcd")[::2]))


def test_cryptography_decrypts_what_is_encrypted_here_and_the_other_way() -> None:
    theirs = helpers.module("cryptography.hazmat.primitives.asymmetric.rsa").generate_private_key(65537, 2048)
    padding = helpers.module("cryptography.hazmat.primitives.asymmetric.padding")
    hashes = helpers.module("cryptography.hazmat.primitives.hashes")
    serialization = helpers.module("cryptography.hazmat.primitives.serialization")
    pem = serialization.Encoding.PEM
    key = rsa.import_private_key(
        theirs.private_bytes(pem, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())
    )
    public = rsa.import_public_key(theirs.public_key().public_bytes(pem, serialization.PublicFormat.PKCS1))
    assert key.public_key == public
    data = os.urandom(32)
    for hash in HASHES:
        of = getattr(hashes, hash.upper())()
        for label in (b"", b"a label"):
            oaep = padding.OAEP(padding.MGF1(of), of, label)
            assert theirs.decrypt(public.encrypt(data, hash=hash, label=label), oaep) == data
            assert key.decrypt(theirs.public_key().encrypt(data, oaep), hash=hash, label=label) == data
    assert theirs.decrypt(rsa.legacy.encrypt_pkcs1(public, data), padding.PKCS1v15()) == data
    assert rsa.legacy.decrypt_pkcs1(key, theirs.public_key().encrypt(data, padding.PKCS1v15())) == data
    own = rsa.generate_key(2048)
    read = serialization.load_pem_private_key(rsa.export_private_key(own).encode(), None)
    oaep = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
    assert read.decrypt(own.public_key.encrypt(data), oaep) == data
    assert (read.key_size, read.public_key().public_numbers().e) == (2048, 65537)
