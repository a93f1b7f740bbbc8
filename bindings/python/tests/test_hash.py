"""`sealstone.hash`, against the vectors and `hashlib`."""

import copy
import hashlib
import json
import os
import pickle
import random
import typing
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from helpers import refused
from hypothesis import given
from hypothesis import strategies as st
from sealstone import Progress, errors
from sealstone._names import HashAlgorithm
from sealstone.hash import Hasher, hash, hash_batch, hash_file

ALGORITHMS: tuple[HashAlgorithm, ...] = typing.get_args(HashAlgorithm)
EXTENDABLE = ("shake128", "shake256", "blake3")
HASHLIB: dict[str, str] = {one: one.replace("sha512-", "sha512_").replace("sha3-", "sha3_") for one in ALGORITHMS}
HASHLIB |= {"shake128": "shake_128", "shake256": "shake_256"}


def theirs(algorithm: str, data: bytes, length: int) -> bytes | None:
    """The digest as `hashlib` has it, if it has it."""
    try:
        hasher = hashlib.new(HASHLIB[algorithm], data)
    except ValueError:
        return None
    return hasher.digest(length) if "shake" in algorithm else hasher.digest()  # type: ignore[call-arg]


def monte_carlo(algorithm: HashAlgorithm, seed: bytes, rounds: int) -> list[str]:
    """1,000 digests of digests a round: SHAVS, section 6.4, and SHA3VS, section 6.2.3."""
    found = []
    for _ in range(rounds):
        last = [seed] * 3
        for _ in range(1000):
            message = last[2] if algorithm.startswith("sha3-") else b"".join(last)
            last = [*last[1:], hash(algorithm, message)]
        seed = last[2]
        found.append(seed.hex())
    return found


def test_every_borrowed_digest(vectors: Path) -> None:
    ran: Counter[str] = Counter()
    for row in json.loads((vectors / "borrowed" / "hashes.json").read_text()):
        algorithm = row["algorithm"]
        ran[algorithm] += 1
        if "rounds" in row:
            assert monte_carlo(algorithm, bytes.fromhex(row["seed"]), len(row["rounds"])) == row["rounds"]
            continue
        counted = bytes(i % 251 for i in range(row.get("pattern", 0)))
        message = counted or bytes.fromhex(row.get("message", ""))
        length = len(row["digest"]) // 2
        assert hash(algorithm, message, length=length).hex() == row["digest"]
        hasher = Hasher(algorithm)
        for at in range(0, len(message), 61):
            hasher.update(message[at : at + 61])
        assert hasher.hexdigest(length) == row["digest"]
    assert set(ran) == set(ALGORITHMS) and ran.total() == 1361


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_is_that_of_hashlib(algorithm: HashAlgorithm) -> None:
    compared = 0
    for length in [*random.sample(range(2000), 20), 0, 2047, 2048, 70_000, (4 << 20) + 1]:
        data = os.urandom(length)
        digest = hash(algorithm, data)
        expected = theirs(algorithm, data, len(digest))
        assert expected in (None, digest)
        compared += expected is not None
        assert hash(algorithm, bytearray(data)) == digest == hash(algorithm, np.frombuffer(data, "u1").data)
        hasher = Hasher(algorithm, data[: length // 3])
        hasher.update(memoryview(data)[length // 3 :])
        assert hasher.digest() == digest and hasher.hexdigest() == digest.hex()
        assert hasher.digest_size == len(digest) and hasher.name == algorithm
    # OpenSSL may leave out old ones; the others are there.
    if algorithm.startswith(("sha", "blake2", "md5")):
        assert compared == 25


@given(st.sampled_from(EXTENDABLE), st.binary(max_size=300), st.integers(1, 5000))
def test_digests_of_any_length(algorithm: HashAlgorithm, data: bytes, length: int) -> None:
    digest = hash(algorithm, data, length=length)
    assert len(digest) == length
    assert theirs(algorithm, data, length) in (None, digest)
    assert Hasher(algorithm, data).digest(length) == digest
    assert hash(algorithm, data, length=length + 1)[:-1] == digest


@given(st.sampled_from(ALGORITHMS), st.lists(st.binary(max_size=300)))
def test_many_items(algorithm: HashAlgorithm, items: list[bytes]) -> None:
    assert hash_batch(algorithm, items) == [hash(algorithm, item) for item in items]
    hasher, copies = Hasher(algorithm), []
    for item in items:
        hasher.update(item)
        copies.append(hasher.copy())
    for i, one in enumerate(copies):
        assert one.digest() == hash(algorithm, b"".join(items[: i + 1]))


@pytest.mark.parametrize("algorithm", ["sha256", "blake3", "shake128"])
def test_files(algorithm: HashAlgorithm, tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    path = tmp_path / "film"
    path.write_bytes(data)
    seen: list[Progress] = []
    assert hash_file(algorithm, path, on_progress=seen.append) == hash(algorithm, data)
    assert seen[-1].bytes == seen[-1].total == len(data)
    assert hash_file(algorithm, str(path)) == hash_file(algorithm, os.fsencode(path)) == hash(algorithm, data)
    with path.open("rb") as file:
        assert hashlib.file_digest(file, lambda: Hasher(algorithm)).digest() == hash(algorithm, data)  # type: ignore[arg-type,return-value]
    if algorithm in EXTENDABLE:
        assert hash_file(algorithm, path, length=99) == hash(algorithm, data, length=99)
    with pytest.raises(ZeroDivisionError):
        hash_file(algorithm, path, on_progress=lambda _: 1 / 0)
    os.mkfifo(tmp_path / "fifo")
    refused(errors.NotRegularFile, lambda: hash_file(algorithm, tmp_path / "fifo"))
    refused(FileNotFoundError, lambda: hash_file(algorithm, tmp_path / "none"))
    refused(errors.Io, lambda: hash_file(algorithm, tmp_path))


def test_wrong_use() -> None:
    refused(errors.UnknownAlgorithm, lambda: hash("sha257", b""), lambda: Hasher("SHA256"))  # type: ignore[arg-type]
    refused(
        errors.WrongLength,
        lambda: hash("sha256", b"", length=31),
        lambda: hash("blake3", b"", length=0),
        lambda: Hasher("sm3").digest(16),
        lambda: Hasher("shake128").hexdigest(0),
        lambda: hash_file("sha1", "none", length=32),
    )
    refused(
        TypeError,
        lambda: hash("sha256", "text"),  # type: ignore[arg-type]
        lambda: hash("sha256", None),  # type: ignore[arg-type]
        lambda: hash_batch("sha256", [b"", "text"]),  # type: ignore[list-item]
        lambda: hash_file("sha256", 1),  # type: ignore[arg-type]
        lambda: pickle.dumps(Hasher("sha256")),
        lambda: copy.copy(Hasher("sha256")),
    )
    refused(
        BufferError,
        lambda: hash("sha256", np.zeros(10, "u1")[::2].data),
        lambda: hash("sha256", memoryview(b"abc")[::2]),
    )
    assert repr(Hasher("sm3")) == "Hasher(sm3)"
