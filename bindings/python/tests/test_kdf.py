"""`sealstone.kdf`, against `hashlib`, `cryptography`, libsodium and the examples of the documents."""

import copy
import functools
import hashlib
import hmac
import pickle
import resource
import subprocess
import sys
import typing
from collections.abc import Callable
from pathlib import Path

import nacl.pwhash
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf import argon2 as theirs
from cryptography.hazmat.primitives.kdf.concatkdf import ConcatKDFHash
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand
from helpers import interrupted, lets_others_run, refused
from hypothesis import given, settings
from hypothesis import strategies as st
from sealstone import errors, kdf
from sealstone._names import HmacHash
from victims import until

HASHES: tuple[HmacHash, ...] = typing.get_args(HmacHash)
OPENSSL: dict[HmacHash, hashes.HashAlgorithm] = {
    "sha1": hashes.SHA1(),
    "sha256": hashes.SHA256(),
    "sha384": hashes.SHA384(),
    "sha512": hashes.SHA512(),
    "sha512-256": hashes.SHA512_256(),
    "sha3-256": hashes.SHA3_256(),
    "sm3": hashes.SM3(),
}
SALT = b"a random salt 16"

shared = st.sampled_from(list(OPENSSL))
data = st.binary(max_size=200)


@given(shared, data, data, data, st.integers(1, 1000))
def test_hkdf_is_that_of_cryptography(hash: HmacHash, secret: bytes, salt: bytes, info: bytes, length: int) -> None:
    key = HKDF(OPENSSL[hash], length, salt, info).derive(secret)
    assert kdf.hkdf(hash, secret, length=length, salt=salt, info=bytearray(info)) == key
    prk = kdf.hkdf_extract(hash, salt, secret)
    assert kdf.hkdf_expand(hash, prk, info, length) == HKDFExpand(OPENSSL[hash], length, info).derive(prk) == key
    assert kdf.hkdf(hash, secret, length=length) == HKDF(OPENSSL[hash], length, None, None).derive(secret)


@pytest.mark.parametrize("hash", HASHES)
def test_hkdf_is_made_of_hmac(hash: HmacHash) -> None:
    from sealstone.mac import MacKey

    prk = MacKey(f"hmac-{hash}", b"salt").sign(b"secret")  # type: ignore[arg-type]
    assert kdf.hkdf_extract(hash, b"salt", b"secret") == prk
    assert kdf.hkdf_expand(hash, prk, b"info", len(prk)) == MacKey(f"hmac-{hash}", prk).sign(b"info\1")  # type: ignore[arg-type]


@given(shared, data, data, st.integers(1, 1000))
def test_the_one_step_kdf_is_that_of_cryptography(hash: HmacHash, secret: bytes, info: bytes, length: int) -> None:
    key = ConcatKDFHash(OPENSSL[hash], length, info).derive(secret)
    assert kdf.concat_kdf(hash, secret, info, length) == key


def test_blake3s_is_that_of_its_authors() -> None:
    # BLAKE3's test_vectors.json, of no bytes.
    context = "BLAKE3 2019-12-27 16:29:52 test vectors context"
    assert kdf.blake3_derive_key(context, b"").hex() == (
        "2cc39783c223154fea8dfb7c1b1660f2ac2dcbd1c1de8277b0b0dd39b7e50d7d"
    )
    long = kdf.blake3_derive_key(context, bytes(3000), 1000)
    assert len(long) == 1000 and kdf.blake3_derive_key(context, bytes(3000)) == long[:32]
    assert kdf.blake3_derive_key(context + " ", bytes(3000)) != long[:32]


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(["sha1", "sha256", "sha512", "sha3-256"]), data, data, st.integers(1, 300), st.integers(1, 200))
def test_pbkdf2_is_that_of_hashlib(hash: HmacHash, password: bytes, salt: bytes, iterations: int, length: int) -> None:
    key = hashlib.pbkdf2_hmac(hash.replace("-", "_"), password, salt, iterations, length)
    assert kdf.pbkdf2(hash, password, salt, iterations=iterations, length=length) == key


@settings(max_examples=30, deadline=None)
@given(data, data, st.integers(1, 8), st.integers(1, 10), st.integers(1, 4), st.integers(1, 200))
def test_scrypt_is_that_of_hashlib(password: bytes, salt: bytes, log_n: int, r: int, p: int, length: int) -> None:
    key = hashlib.scrypt(password, salt=salt, n=1 << log_n, r=r, p=p, dklen=length)
    assert kdf.scrypt(password, salt, log_n=log_n, r=r, p=p, length=length) == key


Argon2 = Callable[..., bytes]


@pytest.mark.parametrize(
    ("ours", "kind"),
    [(kdf.argon2id, theirs.Argon2id), (kdf.argon2i, theirs.Argon2i), (kdf.argon2d, theirs.Argon2d)],
)
@settings(max_examples=15, deadline=None)
@given(data, st.binary(min_size=8, max_size=40), st.integers(1, 3), st.integers(1, 4), st.integers(4, 100), data, data)
def test_argon2_is_that_of_cryptography(
    ours: Argon2,
    kind: typing.Any,
    password: bytes,
    salt: bytes,
    passes: int,
    lanes: int,
    length: int,
    secret: bytes,
    associated: bytes,
) -> None:
    memory = 8 * lanes + 13
    expected = kind(
        salt=salt,
        length=length,
        iterations=passes,
        lanes=lanes,
        memory_cost=memory,
        ad=associated or None,
        secret=secret or None,
    ).derive(password)
    options: dict[str, typing.Any] = {"memory_kib": memory, "passes": passes, "lanes": lanes, "length": length}
    assert ours(password, salt, secret=secret, associated_data=bytearray(associated), **options) == expected
    if not secret and not associated:
        assert ours(memoryview(password), bytearray(salt), **options) == expected


def test_usual_costs_and_text() -> None:
    key = nacl.pwhash.argon2id.kdf(32, b"p\xc3\xa4ss", SALT, opslimit=3, memlimit=64 << 20)
    assert kdf.argon2id("päss", SALT) == kdf.argon2id(b"p\xc3\xa4ss", SALT) == key
    key = hashlib.scrypt(b"pass", salt=SALT, n=1 << 17, r=8, p=1, maxmem=1 << 30, dklen=32)
    assert kdf.scrypt("pass", SALT) == key
    assert kdf.pbkdf2("sha256", "pass", SALT) == hashlib.pbkdf2_hmac("sha256", b"pass", SALT, 600_000)


def derived(cache: kdf.KeyCache, password: "str | bytes") -> bytes:
    """A key that takes 128 MiB of memory to derive."""
    return kdf.argon2id(password, SALT, memory_kib=1 << 17, passes=1, lanes=1, cache=cache)


def has(cache: kdf.KeyCache, password: "str | bytes") -> bool:
    """Whether a key is there: without the memory to derive it, it is given all the same."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), before[1]))
    try:
        key = derived(cache, password)
    except errors.CostTooHigh:
        return False
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    assert key == derived(kdf.KeyCache(), password)
    return True


def alone(test: Callable[[], None]) -> Callable[[], None]:
    """Runs a test in a process of its own: in this one memory is free that tests before it had."""

    @functools.wraps(test)
    def run() -> None:
        program = f"import test_kdf; test_kdf.{test.__name__}.__wrapped__()"
        folder = Path(__file__).parent
        done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr

    return run


@alone
def test_a_cache_has_what_was_derived() -> None:
    cache = kdf.KeyCache()
    assert not has(cache, "pass")
    derived(cache, "pass")
    assert has(cache, "pass") and has(cache, b"pass")
    cache.clear()
    assert not has(cache, "pass")
    # Each part of a request counts.
    options: dict[str, typing.Any] = {"memory_kib": 8, "passes": 1, "cache": cache}
    made = {
        kdf.argon2id("pass", SALT, **options),
        kdf.argon2d("pass", SALT, **options),
        kdf.argon2id("pas", SALT, **options),
        kdf.argon2id("pass", SALT[1:], **options),
        kdf.argon2id("pass", SALT, secret=b"x", **options),
        kdf.argon2id("pass", SALT, associated_data=b"x", **options),
        kdf.argon2id("pass", SALT, length=33, **options),
    }
    assert len(made) == 7
    # A short salt is refused although the other call has accepted it.
    short = b"salt"
    assert kdf.argon2id("pass", short, allow_high_cost=True, **options)
    refused(errors.WrongLength, lambda: kdf.argon2id("pass", short, **options))


@alone
def test_a_cache_forgets() -> None:
    cache = kdf.KeyCache(entries=1, lifetime=1e9)
    derived(cache, "a")
    assert has(cache, "a")
    derived(cache, "b")
    assert has(cache, "b") and not has(cache, "a")
    cache = kdf.KeyCache(lifetime=0.05)
    derived(cache, "a")
    until(lambda: not has(cache, "a"), "the key is forgotten")
    for none in (kdf.KeyCache(entries=0), kdf.KeyCache(lifetime=0)):
        derived(none, "a")
        assert not has(none, "a")
    refused(ValueError, lambda: kdf.KeyCache(lifetime=-1), lambda: kdf.KeyCache(lifetime=float("nan")))
    refused(OverflowError, lambda: kdf.KeyCache(entries=-1))
    refused(TypeError, lambda: pickle.dumps(cache), lambda: copy.copy(cache), lambda: kdf.KeyCache(10))  # type: ignore[call-arg]
    assert repr(cache) == "KeyCache()"


@pytest.mark.parametrize(
    "derive",
    [
        lambda: kdf.pbkdf2("sha256", "pass", SALT, iterations=(1 << 32) - 1, allow_high_cost=True),
        lambda: kdf.scrypt("pass", SALT, log_n=16, p=1000, allow_high_cost=True),
        lambda: kdf.argon2id("pass", SALT, passes=(1 << 32) - 1, allow_high_cost=True),
    ],
    ids=["pbkdf2", "scrypt", "argon2id"],
)
def test_ctrl_c_ends_it(derive: Callable[[], bytes]) -> None:
    # None of these ends in less than a quarter of an hour by itself.
    interrupted(derive)


def test_other_threads_run_meanwhile() -> None:
    assert lets_others_run(lambda: kdf.pbkdf2("sha256", "pass", SALT, iterations=500_000))


def test_wrong_use() -> None:
    refused(
        errors.UnknownAlgorithm,
        lambda: kdf.hkdf("shake128", b"", length=32),  # type: ignore[arg-type]
        lambda: kdf.hkdf_extract("sha257", b"", b""),  # type: ignore[arg-type]
        lambda: kdf.concat_kdf("shake256", b"", b"", 32),  # type: ignore[arg-type]
        lambda: kdf.pbkdf2("shake128", "pass", SALT),  # type: ignore[arg-type]
        lambda: kdf.pbkdf2("", "pass", SALT),  # type: ignore[arg-type]
    )
    refused(
        errors.TooLong,
        lambda: kdf.hkdf("sha256", b"", length=8161),
        lambda: kdf.hkdf_expand("sm3", SALT * 2, b"", 8161),
    )
    refused(
        errors.WrongLength,
        lambda: kdf.hkdf("sha256", b"", length=0),
        lambda: kdf.hkdf_expand("sha256", bytes(31), b"", 32),
        lambda: kdf.concat_kdf("sha256", b"", b"", 0),
        lambda: kdf.blake3_derive_key("context", b"", 0),
        lambda: kdf.argon2id("pass", b"7 bytes"),
        lambda: kdf.argon2id("pass", SALT, length=3),
        lambda: kdf.scrypt("pass", SALT, length=0),
    )
    refused(
        errors.InvalidCost,
        lambda: kdf.argon2id("pass", SALT, passes=0),
        lambda: kdf.argon2id("pass", SALT, memory_kib=8, lanes=2),
        lambda: kdf.scrypt("pass", SALT, log_n=0),
        lambda: kdf.scrypt("pass", SALT, log_n=300, allow_high_cost=True),
        lambda: kdf.pbkdf2("sha256", "pass", SALT, iterations=0),
    )
    refused(
        errors.CostTooHigh,
        lambda: kdf.argon2id("pass", SALT, memory_kib=(1 << 20) + 1),
        lambda: kdf.argon2d("pass", SALT, passes=17),
        lambda: kdf.scrypt("pass", SALT, log_n=21),
        lambda: kdf.pbkdf2("sha256", "pass", SALT, iterations=10_000_001),
        lambda: kdf.pbkdf2("sha256", "pass", SALT, iterations=5_000_001, length=33),
    )
    refused(
        TypeError,
        lambda: kdf.hkdf("sha256", "text", length=32),  # type: ignore[arg-type]
        lambda: kdf.hkdf("sha256", b"", b"salt", length=32),  # type: ignore[misc,arg-type]
        lambda: kdf.argon2id("pass", "a salt of text"),  # type: ignore[arg-type]
        lambda: kdf.argon2id("pass", SALT, 8),  # type: ignore[call-arg]
        lambda: kdf.scrypt("pass", SALT, secret=b""),  # type: ignore[call-arg]
        lambda: kdf.argon2id("pass", SALT, passes=1.5),  # type: ignore[arg-type]
    )
    refused(OverflowError, lambda: kdf.argon2id("pass", SALT, passes=-1), lambda: kdf.hkdf("sha1", b"", length=1 << 32))
    # RFC 5869, A.1, so that no test stands on one library alone.
    okm = kdf.hkdf("sha256", b"\x0b" * 22, salt=bytes(range(13)), info=bytes(range(0xF0, 0xFA)), length=42)
    assert okm.hex().startswith("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
    assert hmac.compare_digest(okm[-10:].hex(), "34007208d5b887185865")
