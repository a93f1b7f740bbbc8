"""`sealstone.hash`, `mac`, `kdf` and `password`, against hashlib, hmac and `cryptography`."""

import copy
import hashlib
import hmac
import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any, get_args

import pytest
from cryptography.hazmat.primitives import cmac, hashes
from cryptography.hazmat.primitives.ciphers import algorithms
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.concatkdf import ConcatKDFHash
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand
from hypothesis import given, settings
from hypothesis import strategies as st
from sealstone import errors, kdf
from sealstone._names import HashAlgorithm, MacAlgorithm
from sealstone.hash import Hasher, hash, hash_batch, hash_file
from sealstone.mac import MacKey
from sealstone.password import (
    Argon2Cost,
    Pbkdf2Cost,
    ScryptCost,
    calibrate,
    hash_password,
    needs_rehash,
    verify_password,
)

HASHLIB = {
    "md5": "md5",
    "sha1": "sha1",
    "ripemd160": "ripemd160",
    "sha224": "sha224",
    "sha256": "sha256",
    "sha384": "sha384",
    "sha512": "sha512",
    "sha512-256": "sha512_256",
    "sha3-224": "sha3_224",
    "sha3-256": "sha3_256",
    "sha3-384": "sha3_384",
    "sha3-512": "sha3_512",
    "blake2b": "blake2b",
    "blake2s": "blake2s",
    "sm3": "sm3",
}
LENGTHS = (0, 1, 55, 64, 129, 2047, 2048, 100_000, 5_000_000)


@pytest.mark.parametrize("algorithm", HASHLIB)
@pytest.mark.parametrize("length", LENGTHS)
def test_digests_are_those_of_hashlib(algorithm: Any, length: int) -> None:
    data = os.urandom(length)
    expected = hashlib.new(HASHLIB[algorithm], data).digest()
    assert hash(algorithm, data) == expected
    assert hash(algorithm, bytearray(data)) == expected
    hasher = Hasher(algorithm)
    for at in range(0, length, 33_333):
        hasher.update((bytes, bytearray, memoryview)[at % 3](data[at : at + 33_333]))
    assert (hasher.digest(), hasher.hexdigest(), hasher.digest()) == (expected, expected.hex(), expected)
    assert (hasher.name, hasher.digest_size) == (algorithm, len(expected))


def test_vectors_of_digests(vectors: Path) -> None:
    cases = json.loads((vectors / "borrowed" / "hashes.json").read_text())
    # The others are chains of a million digests, which Rust runs.
    cases = [case for case in cases if "digest" in case and "message" in case]
    assert len(cases) > 1000
    for case in cases:
        digest = bytes.fromhex(case["digest"])
        usual = len(digest) == Hasher(case["algorithm"]).digest_size
        assert hash(case["algorithm"], bytes.fromhex(case["message"]), length=None if usual else len(digest)) == digest


def test_extendable_digests() -> None:
    data = os.urandom(1000)
    for length in (1, 16, 1000):
        assert hash("shake128", data, length=length) == hashlib.shake_128(data).digest(length)
        assert hash("shake256", data, length=length) == hashlib.shake_256(data).digest(length)
        assert Hasher("shake256", data).digest(length) == hashlib.shake_256(data).digest(length)
    assert hash("blake3", data, length=64)[:32] == hash("blake3", data)
    for wrong in (
        lambda: hash("sha256", b"", length=16),
        lambda: hash("shake128", b"", length=0),
        lambda: Hasher("sm3").digest(3),
    ):
        with pytest.raises(errors.WrongLength):
            wrong()
    with pytest.raises(errors.UnknownAlgorithm):
        hash("sha257", b"")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        hash("sha256", "text")  # type: ignore[arg-type]


def test_every_algorithm_computes() -> None:
    for algorithm in get_args(HashAlgorithm):
        assert hash(algorithm, b"x") != hash(algorithm, b"y")
        assert hash_batch(algorithm, [b"x", bytearray(b"y")]) == [hash(algorithm, b"x"), hash(algorithm, b"y")]
    for algorithm in get_args(MacAlgorithm):
        lengths = {"aes-128-cmac": 16, "aes-192-cmac": 24}
        key = MacKey(algorithm, os.urandom(lengths.get(algorithm, 32)))
        key.verify(b"x", key.sign(b"x"))
        assert len(key.sign(b"")) == key.tag_length


def test_files_and_copies(tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    (tmp_path / "film").write_bytes(data)
    told: list[Any] = []
    assert hash_file("sha256", tmp_path / "film", on_progress=told.append) == hashlib.sha256(data).digest()
    assert told[-1].bytes == len(data)
    assert hash_file("blake3", str(tmp_path / "film"), length=50) == hash("blake3", data, length=50)
    assert MacKey("hmac-sha256", b"key").sign_file(os.fsencode(tmp_path / "film")) == hmac.digest(
        b"key", data, "sha256"
    )
    with pytest.raises(FileNotFoundError):
        hash_file("sha256", tmp_path / "none")
    hasher = Hasher("sha256", b"attack ")
    other = hasher.copy()
    other.update(b"at dawn")
    assert hasher.digest() == hashlib.sha256(b"attack ").digest()
    assert other.digest() == hashlib.sha256(b"attack at dawn").digest()


def test_threads_share_a_hasher() -> None:
    hasher, part = Hasher("sha256"), bytes(1_000_000)
    threads = [threading.Thread(target=hasher.update, args=(part,)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hasher.digest() == hashlib.sha256(bytes(16_000_000)).digest()


@settings(max_examples=40, deadline=None)
@given(
    key=st.binary(min_size=1, max_size=200), data=st.binary(max_size=5000), algorithm=st.sampled_from(sorted(HASHLIB))
)
def test_hmac_is_that_of_python(key: bytes, data: bytes, algorithm: str) -> None:
    mac = MacKey(f"hmac-{algorithm}", key)  # type: ignore[arg-type]
    tag = hmac.digest(key, data, HASHLIB[algorithm])
    assert mac.sign(data) == tag
    mac.verify(bytearray(data), tag)
    signer = mac.begin()
    signer.update(data[:7])
    signer.update(data[7:])
    assert signer.tag() == tag
    signer.verify(tag)
    with pytest.raises(errors.NotAuthentic):
        mac.verify(data + b"x", tag)
    with pytest.raises(errors.NotAuthentic):
        signer.verify(bytes([tag[0] ^ 1]) + tag[1:])


def test_other_macs() -> None:
    for bits in (128, 192, 256):
        secret, data = os.urandom(bits // 8), os.urandom(100)
        theirs = cmac.CMAC(algorithms.AES(secret))
        theirs.update(data)
        assert MacKey(f"aes-{bits}-cmac", secret).sign(data) == theirs.finalize()  # type: ignore[arg-type]
    assert MacKey("blake2b-keyed", b"k" * 32).sign(b"x") == hashlib.blake2b(b"x", key=b"k" * 32).digest()
    # SP 800-185, sample 4.
    kmac = MacKey("kmac256", bytes(range(0x40, 0x60)), customization=b"My Tagged Application", length=64)
    assert kmac.sign(bytes(range(4))).hex().startswith("20c570c31346f703")
    key = MacKey("hmac-sha256", b"key")
    key.verify(b"x", key.sign(b"x")[:16], truncated=True)
    with pytest.raises(errors.WrongLength):
        key.verify(b"x", key.sign(b"x")[:16])
    with pytest.raises(errors.UnknownAlgorithm):
        MacKey("hmac-sha257", b"")  # type: ignore[arg-type]
    with pytest.raises(errors.WrongLength):
        MacKey("aes-128-cmac", b"short")
    assert repr(key) == "MacKey(hmac-sha256)"
    for take in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError, match="stays in its process"):
            take(key)
    signer = key.begin()
    key.destroy()
    signer.destroy()
    for use in (lambda: key.sign(b""), lambda: signer.tag()):
        with pytest.raises(ValueError, match="destroyed"):
            use()


@settings(max_examples=30, deadline=None)
@given(
    secret=st.binary(max_size=100),
    salt=st.binary(max_size=100),
    info=st.binary(max_size=100),
    length=st.integers(1, 300),
)
def test_hkdf_and_concat(secret: bytes, salt: bytes, info: bytes, length: int) -> None:
    theirs = HKDF(hashes.SHA256(), length, salt, info).derive(secret)
    assert kdf.hkdf("sha256", secret, length=length, salt=salt, info=info) == theirs
    extracted = kdf.hkdf_extract("sha256", salt, secret)
    assert extracted == hmac.digest(salt, secret, "sha256")
    assert kdf.hkdf_expand("sha256", extracted, info, length) == HKDFExpand(hashes.SHA256(), length, info).derive(
        extracted
    )
    assert kdf.concat_kdf("sha512", secret, info, length) == ConcatKDFHash(hashes.SHA512(), length, info).derive(secret)


def test_keys_of_passwords() -> None:
    salt = os.urandom(16)
    assert kdf.scrypt("pass", salt, log_n=10, length=40) == hashlib.scrypt(
        b"pass", salt=salt, n=1024, r=8, p=1, dklen=40
    )
    for name in ("sha1", "sha256", "sha512"):
        assert kdf.pbkdf2(name, b"pass", salt, iterations=1000) == hashlib.pbkdf2_hmac(name, b"pass", salt, 1000, 32)  # type: ignore[arg-type]
    for lanes in (1, 4):
        theirs = Argon2id(salt=salt, length=32, iterations=2, lanes=lanes, memory_cost=256, ad=b"ad", secret=b"pepper")
        ours = kdf.argon2id(
            "pass", salt, memory_kib=256, passes=2, lanes=lanes, secret=b"pepper", associated_data=b"ad"
        )
        assert ours == theirs.derive(b"pass")
    assert (
        len(
            {
                kdf.argon2i("p", salt, memory_kib=64),
                kdf.argon2d("p", salt, memory_kib=64),
                kdf.argon2id("p", salt, memory_kib=64),
            }
        )
        == 3
    )
    assert kdf.blake3_derive_key("sealstone test", b"secret") == kdf.blake3_derive_key("sealstone test", b"secret", 32)
    for error, wrong in (
        (errors.TooLong, lambda: kdf.hkdf("sha256", b"", length=255 * 32 + 1)),
        (errors.CostTooHigh, lambda: kdf.argon2id("p", salt, memory_kib=1 << 21)),
        (errors.CostTooHigh, lambda: kdf.pbkdf2("sha256", "p", salt, iterations=20_000_000)),
        (errors.InvalidCost, lambda: kdf.argon2id("p", salt, passes=0)),
        (errors.UnknownAlgorithm, lambda: kdf.pbkdf2("sha257", "p", salt)),  # type: ignore[arg-type]
    ):
        with pytest.raises(error):
            wrong()


def test_ctrl_c_ends_a_derivation() -> None:
    for work in (
        "kdf.argon2id('p', bytes(16), memory_kib=1 << 20, passes=16)",
        "kdf.scrypt('p', bytes(16), log_n=23, allow_high_cost=True)",
        "kdf.pbkdf2('sha256', 'p', bytes(16), iterations=4_000_000_000, allow_high_cost=True)",
    ):
        script = f"""
            from sealstone import kdf
            print("begun", flush=True)
            try:
                {work}
            except KeyboardInterrupt:
                print("ended", flush=True)
        """
        with subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "begun\n"
            time.sleep(0.5)
            assert child.poll() is None
            child.send_signal(signal.SIGINT)
            assert child.stdout.read() == "ended\n"
            assert child.wait(20) == 0


def test_stored_passwords() -> None:
    for cost in (
        Argon2Cost(memory_kib=1024),
        Argon2Cost(2048, 1, variant="i"),
        ScryptCost(10),
        Pbkdf2Cost("sha512", 1000),
    ):
        stored = hash_password("correct horse", cost)
        assert stored != hash_password("correct horse", cost)
        verify_password(b"correct horse", stored)
        with pytest.raises(errors.NotAuthentic):
            verify_password("wrong horse", stored)
        assert not needs_rehash(stored, cost)
    assert needs_rehash(hash_password("p", Argon2Cost(memory_kib=1024)), Argon2Cost(memory_kib=2048))
    assert needs_rehash(hash_password("p", ScryptCost(10)))
    # Of crypt_blowfish's own tests.
    verify_password("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")
    with pytest.raises(errors.CostTooHigh):
        verify_password("p", "$argon2id$v=19$m=4194304,t=3,p=1$c2FsdHNhbHRzYWx0$" + "A" * 43)
    with pytest.raises(ValueError):
        verify_password("p", "no stored password")
    found = calibrate(0.01, ScryptCost(10))
    assert isinstance(found.cost, ScryptCost)
    assert found.cost.log_n >= 10
    assert found.seconds > 0
