"""`sealstone.mac`, against `hmac`, `hashlib`, `cryptography` and the examples of the documents."""

import copy
import hashlib
import hmac
import os
import pickle
import typing
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import algorithms
from cryptography.hazmat.primitives.cmac import CMAC
from helpers import refused
from hypothesis import given
from hypothesis import strategies as st
from sealstone import Progress, errors
from sealstone._names import MacAlgorithm
from sealstone.mac import MacKey

ALGORITHMS: tuple[MacAlgorithm, ...] = typing.get_args(MacAlgorithm)
KEY_LENGTHS = {"aes-128-cmac": 16, "aes-192-cmac": 24, "aes-256-cmac": 32, "blake3-keyed": 32}


def secret_of(algorithm: str) -> bytes:
    return os.urandom(KEY_LENGTHS.get(algorithm, 32))


def theirs(algorithm: str, key: bytes, data: bytes) -> bytes | None:
    """The tag as others make it, if they do."""
    if algorithm.endswith("cmac"):
        cmac = CMAC(algorithms.AES(key))
        cmac.update(data)
        return cmac.finalize()
    if algorithm == "blake2b-keyed":
        return hashlib.blake2b(data, key=key).digest()
    name = algorithm.removeprefix("hmac-").replace("sha512-", "sha512_").replace("sha3-", "sha3_")
    if not algorithm.startswith("hmac-") or name not in hashlib.algorithms_available:
        return None
    try:
        return hmac.digest(key, data, name)
    except ValueError:
        return None


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 1000, 2048, 70_000, (4 << 20) + 1])
def test_signs_as_others_do_and_verifies_it(algorithm: MacAlgorithm, length: int) -> None:
    secret, data = secret_of(algorithm), os.urandom(length)
    key = MacKey(algorithm, secret)
    tag = key.sign(data)
    expected = theirs(algorithm, secret, data)
    assert expected in (None, tag)
    if algorithm in ("hmac-sha256", "hmac-sha512", "hmac-sha3-256", "blake2b-keyed", "aes-128-cmac"):
        assert expected is not None
    assert len(tag) == key.tag_length and key.algorithm == algorithm
    for buffer in (bytes, bytearray, memoryview):
        assert MacKey(algorithm, buffer(secret)).sign(buffer(data)) == tag
        key.verify(buffer(data), buffer(tag))
    key.verify(data, tag[:8], truncated=True)
    key.verify(np.frombuffer(data, "u1").data, tag, truncated=True)
    signer = key.begin()
    signer.update(data[: length // 3])
    if length > 2:
        assert signer.tag() != tag
    signer.update(bytearray(data[length // 3 :]))
    assert signer.tag() == tag
    signer.verify(tag)
    signer.verify(tag[:-1], truncated=True)
    forged = bytes([tag[0] ^ 1]) + tag[1:]
    refused(
        errors.NotAuthentic,
        lambda: key.verify(data, forged),
        lambda: key.verify(data + b"!", tag),
        lambda: key.verify(data, forged[:8], truncated=True),
        lambda: signer.verify(forged),
        lambda: MacKey(algorithm, secret[::-1]).verify(data, tag),
    )
    refused(
        errors.WrongLength,
        lambda: key.verify(data, tag[:-1]),
        lambda: key.verify(data, tag + b"!"),
        lambda: key.verify(data, tag[:7], truncated=True),
        lambda: key.verify(data, tag + b"!", truncated=True),
        lambda: signer.verify(tag[:-1]),
        lambda: signer.verify(b"", truncated=True),
    )


@given(st.binary(min_size=1, max_size=300), st.lists(st.binary(max_size=300)))
def test_parts_however_they_are_cut(secret: bytes, parts: list[bytes]) -> None:
    key = MacKey("hmac-sha256", secret)
    signer = key.begin()
    for part in parts:
        signer.update(part)
    assert signer.tag() == key.sign(b"".join(parts)) == hmac.digest(secret, b"".join(parts), "sha256")


def test_the_examples_of_documents() -> None:
    # SP 800-185, samples 4 and 6 of KMAC.
    key = MacKey("kmac256", bytes(range(0x40, 0x60)), customization=b"My Tagged Application")
    assert key.sign(bytes(range(4))).hex() == (
        "20c570c31346f703c9ac36c61c03cb64c3970d0cfc787e9b79599d273a68d2f7"
        "f69d4cc3de9d104a351689f27cf6f5951f0103f33f4f24871024d9c27773a8dd"
    )
    assert key.sign(bytes(range(200))).hex() == (
        "b58618f71f92e1d56c1b8c55ddd7cd188b97b4ca4d99831eb2699a837da2e4d9"
        "70fbacfde50033aea585f1a2708510c32d07880801bd182898fe476876fc8965"
    )
    # BLAKE3's test_vectors.json, of no bytes.
    assert MacKey("blake3-keyed", b"whats the Elvish word for friend").sign(b"").hex() == (
        "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26"
    )
    # RFC 4493, section 4, example 2.
    cmac = MacKey("aes-128-cmac", bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"))
    assert cmac.sign(bytes.fromhex("6bc1bee22e409f96e93d7e117393172a")).hex() == "070a16b46b4d4144f79bdd9dd04a287c"


def test_the_length_of_kmac_enters_the_tag() -> None:
    long, short = MacKey("kmac256", b"key"), MacKey("kmac256", b"key", length=8)
    assert (long.tag_length, short.tag_length) == (64, 8)
    assert long.sign(b"data")[:8] != short.sign(b"data")
    assert MacKey("kmac256", b"key", customization=b"").sign(b"data") == long.sign(b"data")


def test_files(tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    path = tmp_path / "film"
    path.write_bytes(data)
    key = MacKey("hmac-sha512", b"key")
    seen: list[Progress] = []
    assert key.sign_file(path, on_progress=seen.append) == key.sign_file(str(path)) == key.sign(data)
    assert seen[-1].bytes == seen[-1].total == len(data)
    with pytest.raises(ZeroDivisionError):
        key.sign_file(path, on_progress=lambda _: 1 / 0)
    os.mkfifo(tmp_path / "fifo")
    refused(errors.NotRegularFile, lambda: key.sign_file(tmp_path / "fifo"))
    refused(FileNotFoundError, lambda: key.sign_file(tmp_path / "none"))


def test_wrong_use() -> None:
    refused(errors.UnknownAlgorithm, lambda: MacKey("hmac-shake128", b"key"))  # type: ignore[arg-type]
    refused(
        errors.WrongLength,
        lambda: MacKey("hmac-sha256", b""),
        lambda: MacKey("aes-128-cmac", bytes(17)),
        lambda: MacKey("blake3-keyed", bytes(31)),
        lambda: MacKey("blake2b-keyed", bytes(65)),
        lambda: MacKey("kmac256", b"key", length=0),
        lambda: MacKey("kmac256", b"key", length=7),
        lambda: MacKey("kmac256", b"key", length=65),
        lambda: MacKey("hmac-sha256", b"key", length=16),
        lambda: MacKey("hmac-sha256", b"key", customization=b"x"),
    )
    key = MacKey("hmac-sha256", b"a key")
    refused(
        TypeError,
        lambda: MacKey("hmac-sha256", "a key"),  # type: ignore[arg-type]
        lambda: key.sign("text"),  # type: ignore[arg-type]
        lambda: key.verify(b"", "text"),  # type: ignore[arg-type]
        lambda: pickle.dumps(key),
        lambda: copy.copy(key),
        lambda: copy.deepcopy(key),
        lambda: pickle.dumps(key.begin()),
        lambda: copy.copy(key.begin()),
    )
    refused(BufferError, lambda: key.sign(np.zeros(10, "u1")[::2].data))
    assert repr(key) == "MacKey(hmac-sha256)" and "key" not in repr(key.begin())


def test_a_destroyed_key_is_refused_and_what_it_began_goes_on(tmp_path: Path) -> None:
    key = MacKey("hmac-sha256", b"a key")
    signer, tag = key.begin(), key.sign(b"data")
    key.destroy()
    key.destroy()
    refused(ValueError, lambda: key.sign(b""), lambda: key.verify(b"", tag), key.begin, lambda: key.sign_file(tmp_path))
    assert (key.algorithm, key.tag_length, repr(key)) == ("hmac-sha256", 32, "MacKey(hmac-sha256)")
    signer.update(b"data")
    signer.verify(tag)
