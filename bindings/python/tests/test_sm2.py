"""SM2 with one key that decrypts and signs."""

import copy
import os
import pickle
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import helpers
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sealstone import errors, sign, sm2

FORMS: list[Any] = ["c1c3c2", "c1c2c3", "der"]
MESSAGE = b"attack at dawn"

# GB/T 32918.5-2017 appendix A: d, and the public key without the 04.
D = "3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8"
P = (
    "09f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020"
    "ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13"
)


@pytest.fixture(scope="session")
def own() -> sm2.PrivateKey:
    return sm2.generate_key()


def test_the_standards_key_signature_and_ciphertext() -> None:
    key = sm2.PrivateKey.from_bytes(bytes.fromhex(D))
    public = key.public_key
    assert sm2.export_public_key(public, "raw").hex() == "04" + P
    assert sm2.PublicKey.from_bytes(bytes.fromhex(P)) == sm2.PublicKey.from_bytes(bytes.fromhex("04" + P)) == public
    digest = public.digest(b"message digest")
    assert digest.hex() == "f0b43e94ba45accaace692ed534382eb17e6ab5a19ce7b31f4486fdfc0d28640"
    signature = bytes.fromhex(
        "f5a03b0648d2c4630eeac513e1bb81a15944da3827d5b74143ac7eaceee720b3"
        "b1b6aa29df212fd8763182bc0d421ca1bb9038fd1f7f42d4840b69c485bbc1aa"
    )
    public.verify(b"message digest", signature, encoding="fixed")
    public.verify_digest(digest, signature, encoding="fixed")
    c1 = bytes.fromhex(
        "0404ebfc718e8d1798620432268e77feb6415e2ede0e073c0f4f640ecd2e149a73"
        "e858f9d81e5430a57b36daab8f950a3c64e6ee6a63094d99283aff767e124df0"
    )
    c2 = bytes.fromhex("21886ca989ca9c7d58087307ca93092d651efa")
    c3 = bytes.fromhex("59983c18f809e262923c53aec295d30383b54e39d609d160afcb1908d0bd8766")
    for form, ciphertext in (("c1c3c2", c1 + c3 + c2), ("c1c2c3", c1 + c2 + c3)):
        untyped: Any = form
        # sm-crypto omits the 04.
        for one in (ciphertext, ciphertext[1:]):
            assert key.decrypt(one, form=untyped) == b"encryption standard"


@given(data=st.binary(min_size=1, max_size=5000), form=st.sampled_from(FORMS), at=st.integers(min_value=0))
def test_what_is_encrypted_is_decrypted_and_a_change_is_noticed(
    own: sm2.PrivateKey, data: bytes, form: Any, at: int
) -> None:
    ciphertext = bytearray(own.public_key.encrypt(bytearray(data), form=form))
    assert own.decrypt(ciphertext, form=form) == data
    if form != "der":
        assert len(ciphertext) == len(data) + 97
    ciphertext[at % len(ciphertext)] ^= 1 << at % 8
    with pytest.raises((errors.NotAuthentic, errors.MalformedCiphertext)):
        own.decrypt(ciphertext, form=form)


@given(
    data=st.binary(max_size=5000), id=st.none() | st.binary(max_size=100), encoding=st.sampled_from(["der", "fixed"])
)
def test_what_is_signed_is_verified_and_nothing_else(
    own: sm2.PrivateKey, data: bytes, id: bytes | None, encoding: Any
) -> None:
    public = own.public_key
    signature = own.sign(data, id=id, encoding=encoding)
    public.verify(data, signature, id=id, encoding=encoding)
    digest = public.digest(data, id=id)
    public.verify_digest(digest, signature, encoding=encoding)
    public.verify(data, own.sign_digest(digest, encoding=encoding), id=id, encoding=encoding)
    helpers.refused(
        errors.InvalidSignature,
        lambda: public.verify(data + b"!", signature, id=id, encoding=encoding),
        lambda: public.verify(data, signature, id=b"another" + (id or b""), encoding=encoding),
        lambda: public.verify(data, signature, id=id, encoding="fixed" if encoding == "der" else "der"),
        lambda: sm2.generate_key().public_key.verify(data, signature, id=id, encoding=encoding),
    )


@pytest.mark.parametrize("form", ["pem", "der", "raw"])
def test_keys_are_written_and_read_in_every_form(own: sm2.PrivateKey, form: Any) -> None:
    private, public = sm2.export_private_key(own, form), sm2.export_public_key(own.public_key, form)
    assert type(private) is type(public) is (str if form == "pem" else bytes)
    if form == "raw":
        assert isinstance(private, bytes)
        assert isinstance(public, bytes)
        assert sm2.PrivateKey.from_bytes(private).public_key == own.public_key
        assert sm2.PublicKey.from_bytes(public) == own.public_key
        with pytest.raises(errors.UnsupportedKey):
            sm2.export_private_key(own, form, passphrase="correct horse")
        return
    assert sm2.import_private_key(private).public_key == own.public_key
    assert sm2.import_public_key(public) == own.public_key
    # It is the key of the family `sign`.
    sign.import_public_key(public).verify(MESSAGE, own.sign(MESSAGE))
    own.public_key.verify(MESSAGE, sign.import_private_key(private).sign(MESSAGE))
    written = sm2.export_private_key(own, form, passphrase="correct horse")
    assert sm2.import_private_key(written, passphrase="correct horse").public_key == own.public_key
    with pytest.raises(errors.PassphraseRequired):
        sm2.import_private_key(written)
    with pytest.raises(errors.NoMatchingIdentity):
        sm2.import_private_key(written, passphrase="wrong")


def test_secrets_stay_and_public_keys_go(own: sm2.PrivateKey) -> None:
    assert repr(own) == "PrivateKey(sm2)"
    for take in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="stays in its process"):
            take(own)
    public = own.public_key
    assert repr(public) == f"PublicKey({sm2.export_public_key(public, 'raw').hex()})"
    read = pickle.loads(pickle.dumps(public))
    assert read == public == copy.deepcopy(public)
    assert {public: 1}[read] == 1
    assert public not in (None, sm2.generate_key().public_key)


def test_a_destroyed_key_does_nothing() -> None:
    key = sm2.generate_key()
    ciphertext = key.public_key.encrypt(MESSAGE)
    key.destroy()
    key.destroy()
    assert repr(key) == "PrivateKey(destroyed)"
    uses: list[Callable[[], object]] = [
        lambda: key.public_key,
        partial(key.decrypt, ciphertext),
        partial(key.sign, b""),
        partial(key.sign_digest, bytes(32)),
        partial(sm2.export_private_key, key),
    ]
    for use in uses:
        with pytest.raises(ValueError, match="the key was destroyed"):
            use()


def test_wrong_uses_have_their_codes(own: sm2.PrivateKey) -> None:
    key: Any = own
    public: Any = own.public_key
    untyped: Any = sm2
    other = sign.generate_key("p256-sign")
    helpers.refused(errors.EmptyPlaintext, lambda: public.encrypt(b""))
    helpers.refused(errors.MalformedCiphertext, lambda: key.decrypt(b""), lambda: key.decrypt(bytes(97 + 16)))
    helpers.refused(
        errors.UnknownAlgorithm,
        lambda: public.encrypt(b"x", form="C1C3C2"),
        lambda: key.decrypt(b"x", form="asn1"),
        lambda: key.sign(b"", encoding="raw"),
        lambda: public.verify(b"", b"", encoding="raw"),
        lambda: untyped.export_private_key(key, "hex"),
        lambda: untyped.export_public_key(public, "hex"),
    )
    helpers.refused(
        errors.InvalidUserId, lambda: key.sign(b"", id=bytes(8192)), lambda: public.digest(b"", id=bytes(8192))
    )
    helpers.refused(
        errors.WrongLength,
        lambda: key.sign_digest(bytes(31)),
        lambda: public.verify_digest(bytes(33), own.sign(b"")),
        lambda: untyped.PrivateKey.from_bytes(bytes(31)),
        lambda: untyped.PublicKey.from_bytes(bytes(63)),
    )
    helpers.refused(
        errors.InvalidKey,
        lambda: key.sign(b"SSHSIG"),
        lambda: untyped.PrivateKey.from_bytes(bytes(32)),
        lambda: untyped.PublicKey.from_bytes(bytes(64)),
        lambda: untyped.import_private_key(sign.export_private_key(other)),
        lambda: untyped.import_public_key(sign.export_public_key(other.public_key)),
        lambda: untyped.import_private_key(sm2.export_public_key(own.public_key)),
        lambda: untyped.import_public_key(sm2.export_private_key(own)),
    )
    helpers.refused(
        TypeError,
        lambda: public.encrypt("text"),
        lambda: public.encrypt(b"x", "der"),
        lambda: key.decrypt("text"),
        lambda: key.sign(b"", b"id"),
        lambda: key.sign(b"", id="id"),
        lambda: untyped.import_private_key(None),
        lambda: untyped.PrivateKey(),
        lambda: untyped.export_public_key(key),
    )
    helpers.refused(BufferError, lambda: own.sign(memoryview(b"abcd")[::2]))


def test_gmssl_agrees_both_ways(own: sm2.PrivateKey) -> None:
    gmssl = helpers.module("gmssl.sm2")
    key = own
    # gmssl takes a 04 at the beginning of x for the mark of a point, and strips more.
    while sm2.export_public_key(key.public_key, "raw")[1] in (0x00, 0x04, 0x40, 0x44):
        key = sm2.generate_key()
    private = sm2.export_private_key(key, "raw").hex()
    public = sm2.export_public_key(key.public_key, "raw").hex()[2:]
    for mode, form in ((0, "c1c2c3"), (1, "c1c3c2")):
        theirs = gmssl.CryptSM2(private, public, mode=mode)
        untyped: Any = form
        data = os.urandom(20)
        assert theirs.decrypt(key.public_key.encrypt(data, form=untyped)[1:]) == data
        assert key.decrypt(theirs.encrypt(data), form=untyped) == data
    fixed = gmssl.CryptSM2(private, public)
    assert fixed.verify_with_sm3(key.sign(MESSAGE, encoding="fixed").hex(), MESSAGE)
    key.public_key.verify(MESSAGE, bytes.fromhex(fixed.sign_with_sm3(MESSAGE)), encoding="fixed")
    der = gmssl.CryptSM2(private, public, asn1=True)
    assert der.verify_with_sm3(key.sign(MESSAGE).hex(), MESSAGE)
    key.public_key.verify(MESSAGE, bytes.fromhex(der.sign_with_sm3(MESSAGE)))
    assert not fixed.verify_with_sm3(key.sign(MESSAGE, encoding="fixed").hex(), b"attack at noon")


def test_openssl_agrees_both_ways(tmp_path: Path) -> None:
    openssl = helpers.program("openssl")

    def run(*arguments: str) -> None:
        subprocess.run([openssl, *arguments], cwd=tmp_path, check=True, capture_output=True)

    run("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:SM2", "-out", "theirs.pem")
    key = sm2.import_private_key((tmp_path / "theirs.pem").read_bytes())
    (tmp_path / "public.pem").write_text(sm2.export_public_key(key.public_key))
    (tmp_path / "own.pem").write_text(sm2.export_private_key(key))
    (tmp_path / "data").write_bytes(MESSAGE)
    run("pkeyutl", "-encrypt", "-pubin", "-inkey", "public.pem", "-in", "data", "-out", "sealed")
    assert key.decrypt((tmp_path / "sealed").read_bytes(), form="der") == MESSAGE
    (tmp_path / "sealed").write_bytes(key.public_key.encrypt(MESSAGE, form="der"))
    run("pkeyutl", "-decrypt", "-inkey", "own.pem", "-in", "sealed", "-out", "opened")
    assert (tmp_path / "opened").read_bytes() == MESSAGE
    how = ("-rawin", "-digest", "sm3", "-pkeyopt", "distid:alice", "-in", "data")
    run("pkeyutl", "-sign", "-inkey", "own.pem", *how, "-out", "signature")
    key.public_key.verify(MESSAGE, (tmp_path / "signature").read_bytes(), id=b"alice")
    (tmp_path / "signature").write_bytes(key.sign(MESSAGE, id=b"alice"))
    run("pkeyutl", "-verify", "-pubin", "-inkey", "public.pem", *how, "-sigfile", "signature")
