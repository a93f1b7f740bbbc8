"""`sealstone.password`, against libsodium and `hashlib`."""

import base64
import hashlib
import os

import nacl.exceptions
import nacl.pwhash
import pytest
from helpers import interrupted, refused
from hypothesis import given, settings
from hypothesis import strategies as st
from sealstone import errors
from sealstone.password import (
    Argon2Cost,
    Pbkdf2Cost,
    ScryptCost,
    calibrate,
    hash_password,
    needs_rehash,
    verify_password,
)

FAST = Argon2Cost(memory_kib=1024, passes=1)
COSTS: list[Argon2Cost | ScryptCost | Pbkdf2Cost] = [
    FAST,
    Argon2Cost(512, 2, 2, "argon2i"),
    Argon2Cost(1024, 1, 1, "argon2d"),
    ScryptCost(log_n=10),
    Pbkdf2Cost(1000),
    Pbkdf2Cost(1000, "sm3"),
]
BCRYPT = "$2b$04$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm"


@pytest.mark.parametrize("cost", COSTS)
@settings(max_examples=10, deadline=None)
@given(st.text(min_size=1))
def test_what_is_hashed_is_verified(cost: Argon2Cost | ScryptCost | Pbkdf2Cost, password: str) -> None:
    stored = hash_password(password, cost)
    verify_password(password, stored)
    verify_password(bytearray(password.encode()), stored)
    refused(errors.NotAuthentic, lambda: verify_password(password + "!", stored))
    assert not needs_rehash(stored, cost)
    assert needs_rehash(stored)
    assert hash_password(password, cost) != stored


def test_costs_are_those_that_are_said() -> None:
    assert hash_password("pass").startswith("$argon2id$v=19$m=65536,t=3,p=1$")
    assert hash_password("pass", ScryptCost()).startswith("$scrypt$ln=17,r=8,p=1$")
    assert "i=600000" in hash_password("pass", Pbkdf2Cost())
    assert hash_password("pass", COSTS[1]).startswith("$argon2i$v=19$m=512,t=2,p=2$")


def test_libsodium_reads_it_and_is_read() -> None:
    stored = hash_password("pässword", FAST)
    assert nacl.pwhash.verify(stored.encode(), "pässword".encode())
    with pytest.raises(nacl.exceptions.InvalidkeyError):
        nacl.pwhash.verify(stored.encode(), b"password")
    for module in (nacl.pwhash.argon2id, nacl.pwhash.argon2i):
        stored = module.str(b"password", opslimit=3, memlimit=1 << 20).decode()
        verify_password("password", stored)
        refused(errors.NotAuthentic, lambda stored=stored: verify_password("Password", stored))  # type: ignore[misc]


def test_passlib_and_bcrypt_are_read() -> None:
    def ab64(data: bytes) -> str:
        return base64.b64encode(data).decode().rstrip("=").replace("+", ".")

    salt = os.urandom(16)
    stored = f"$pbkdf2-sha256$29000${ab64(salt)}${ab64(hashlib.pbkdf2_hmac('sha256', b'password', salt, 29_000))}"
    verify_password("password", stored)
    refused(errors.NotAuthentic, lambda: verify_password("passwort", stored))
    assert needs_rehash(stored, Pbkdf2Cost()) and not needs_rehash(stored, Pbkdf2Cost(29_000))
    # By bcrypt's authors: the examples of Openwall's crypt_blowfish.
    verify_password("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")
    refused(errors.NotAuthentic, lambda: verify_password("U*V", BCRYPT))
    refused(errors.InvalidPassphrase, lambda: verify_password("a\0b", BCRYPT))
    assert needs_rehash(BCRYPT)


def test_calibrate_finds_a_cost() -> None:
    for cost in (FAST, ScryptCost(log_n=10), Pbkdf2Cost(1000)):
        found = calibrate(0.05, cost)
        assert type(found.cost) is type(cost)
        assert not needs_rehash(hash_password("pass", found.cost), cost)
        assert found.seconds > 0
    assert calibrate(0, FAST).cost == FAST
    assert calibrate(cost=Argon2Cost(1024, 1, 1, "argon2d")).cost.variant == "argon2d"  # type: ignore[union-attr]
    refused(ValueError, lambda: calibrate(-1), lambda: calibrate(float("inf")), lambda: calibrate(float("nan")))


def test_ctrl_c_ends_it() -> None:
    stored = f"$pbkdf2-sha256$4294967295${'A' * 22}${'A' * 43}"
    refused(errors.CostTooHigh, lambda: verify_password("pass", stored))
    interrupted(lambda: verify_password("pass", stored, allow_high_cost=True))


def test_wrong_use() -> None:
    refused(errors.InvalidPassphrase, lambda: hash_password(""), lambda: hash_password(b""))
    refused(
        errors.InvalidCost,
        lambda: hash_password("pass", Argon2Cost(memory_kib=512, passes=1)),
        lambda: hash_password("pass", ScryptCost(log_n=9)),
        lambda: hash_password("pass", Pbkdf2Cost(999)),
        lambda: hash_password("pass", Pbkdf2Cost(1000, "md5")),
        lambda: needs_rehash(BCRYPT, Pbkdf2Cost(999)),
        lambda: verify_password("pass", BCRYPT.replace("$04$", "$03$")),
    )
    refused(
        errors.CostTooHigh,
        lambda: hash_password("pass", Argon2Cost(memory_kib=1 << 21)),
        lambda: verify_password("pass", BCRYPT.replace("$04$", "$17$")),
    )
    refused(errors.InvalidEncoding, lambda: verify_password("pass", "no hash"), lambda: needs_rehash("$argon2id$"))
    refused(
        errors.UnknownAlgorithm,
        lambda: verify_password("pass", "$sha512$i=1$AAAA$AAAA"),
        lambda: hash_password("pass", Pbkdf2Cost(1000, "shake128")),  # type: ignore[arg-type]
        lambda: hash_password("pass", Argon2Cost(variant="argon3")),  # type: ignore[arg-type]
    )
    refused(
        TypeError,
        lambda: hash_password(1),  # type: ignore[arg-type]
        lambda: verify_password("pass", b"$argon2id$"),  # type: ignore[arg-type]
        lambda: verify_password("pass", BCRYPT, True),  # type: ignore[call-arg]
    )
