"""Keys of secrets and of passwords.

>>> from sealstone.kdf import argon2id, hkdf
>>> key = argon2id("correct horse battery staple", b"a random salt 16")
>>> len(hkdf("sha256", key, length=32, info=b"my app, file keys"))
32

HKDF, the one-step KDF and BLAKE3 are for secrets that nobody can guess: they take no time, so whoever has what they made of a password
tries millions a second. For passwords there are Argon2, scrypt and PBKDF2, whose cost is what each guess takes. They take a password as it
is: text as its UTF-8, without a normalization. Ctrl-C ends them.

To keep a password for a later login use `sealstone.password`, and to encrypt with one the option `passphrase` of `sealstone.encrypt`.
"""

from typing import TYPE_CHECKING, TypedDict, Unpack

from ._cost import Argon2Cost, Cost, Pbkdf2Cost, ScryptCost, named
from ._names import HmacHash
from ._native.kdf import (
    KeyCache,
    blake3_derive_key,
    concat_kdf,
    derive,
    hkdf,
    hkdf_expand,
    hkdf_extract,
)

if TYPE_CHECKING:
    from typing_extensions import Buffer


class DeriveOptions(TypedDict, total=False):
    """Options of a derivation from a password, apart from its cost."""

    length: int
    """Bytes of the key: 32 by default."""
    allow_high_cost: bool
    """Whether to allow a cost beyond 10,000,000 iterations of PBKDF2 for all its blocks together, 1 GiB, 16 lanes and an `r` of 8192 of
    scrypt, or 1 GiB, 16 passes and 16 lanes of Argon2. Otherwise that is `CostTooHigh`: never allow it for a cost that somebody else chose.
    It allows a salt of under 8 bytes for Argon2 too, which is `WrongLength` otherwise."""
    cache: KeyCache | None
    """Where keys are that were derived before."""


class Argon2Options(DeriveOptions, total=False):
    """Further options of Argon2."""

    secret: "Buffer"
    """A key that is stored apart from the salt and the result, also called pepper."""
    associated_data: "Buffer"
    """What else the key depends on."""


def argon2id(
    password: "str | Buffer",
    salt: "Buffer",
    *,
    memory_kib: int = Argon2Cost.memory_kib,
    passes: int = Argon2Cost.passes,
    lanes: int = Argon2Cost.lanes,
    **options: Unpack[Argon2Options],
) -> bytes:
    """Argon2id (RFC 9106): a key of a password, 16 random bytes of salt and a cost.

    >>> import os
    >>> from sealstone.kdf import argon2id
    >>> salt = os.urandom(16)  # to be kept with what the key encrypts
    >>> len(argon2id("correct horse battery staple", salt))
    32

    The options are those of `Argon2Options`. `InvalidCost` for what the algorithm does not have, `CostTooHigh` beyond the bounds or the
    memory, both before any work; `WrongLength` for a key of less than 4 bytes and a salt of less than 8. With several lanes several threads
    compute it, and Ctrl-C ends it when they are done.
    """
    return _argon2(Argon2Cost(memory_kib, passes, lanes), password, salt, **options)


def argon2i(
    password: "str | Buffer",
    salt: "Buffer",
    *,
    memory_kib: int = Argon2Cost.memory_kib,
    passes: int = Argon2Cost.passes,
    lanes: int = Argon2Cost.lanes,
    **options: Unpack[Argon2Options],
) -> bytes:
    """Argon2i, for protocols that have it; see `argon2id`.

    >>> from sealstone.kdf import argon2i
    >>> len(argon2i("password", b"a random salt 16", memory_kib=8, passes=1))
    32
    """
    return _argon2(Argon2Cost(memory_kib, passes, lanes, "argon2i"), password, salt, **options)


def argon2d(
    password: "str | Buffer",
    salt: "Buffer",
    *,
    memory_kib: int = Argon2Cost.memory_kib,
    passes: int = Argon2Cost.passes,
    lanes: int = Argon2Cost.lanes,
    **options: Unpack[Argon2Options],
) -> bytes:
    """Argon2d, for protocols that have it: which memory it reads depends on the password. See `argon2id`.

    >>> from sealstone.kdf import argon2d
    >>> len(argon2d("password", b"a random salt 16", memory_kib=8, passes=1))
    32
    """
    return _argon2(Argon2Cost(memory_kib, passes, lanes, "argon2d"), password, salt, **options)


def scrypt(
    password: "str | Buffer",
    salt: "Buffer",
    *,
    log_n: int = ScryptCost.log_n,
    r: int = ScryptCost.r,
    p: int = ScryptCost.p,
    **options: Unpack[DeriveOptions],
) -> bytes:
    """scrypt (RFC 7914), in 128 * `r` * 2 ** `log_n` bytes of memory; see `argon2id`. The options are those of `DeriveOptions`.

    >>> from sealstone.kdf import scrypt
    >>> len(scrypt("password", b"a random salt 16", log_n=14, length=64))
    64
    """
    return _derived(ScryptCost(log_n, r, p), password, salt, **options)


def pbkdf2(
    hash: HmacHash,
    password: "str | Buffer",
    salt: "Buffer",
    *,
    iterations: int = Pbkdf2Cost.iterations,
    **options: Unpack[DeriveOptions],
) -> bytes:
    """PBKDF2 (RFC 8018) over HMAC; see `argon2id`. The options are those of `DeriveOptions`.

    It needs no memory, so that guessing on many machines is far cheaper than with the others: take it where a standard asks for it.

    >>> from sealstone.kdf import pbkdf2
    >>> len(pbkdf2("sha512", "password", b"a random salt 16", iterations=1000, length=64))
    64
    """
    return _derived(Pbkdf2Cost(iterations, hash), password, salt, **options)


def _argon2(
    cost: Argon2Cost,
    password: "str | Buffer",
    salt: "Buffer",
    *,
    secret: "Buffer" = b"",
    associated_data: "Buffer" = b"",
    **options: Unpack[DeriveOptions],
) -> bytes:
    return _derived(cost, password, salt, secret, associated_data, **options)


def _derived(
    cost: Cost,
    password: "str | Buffer",
    salt: "Buffer",
    secret: "Buffer" = b"",
    associated_data: "Buffer" = b"",
    /,
    *,
    length: int = 32,
    allow_high_cost: bool = False,
    cache: KeyCache | None = None,
) -> bytes:
    return derive(named(cost), password, salt, secret, associated_data, length, allow_high_cost, cache)


__all__ = [
    "Argon2Options",
    "DeriveOptions",
    "KeyCache",
    "argon2d",
    "argon2i",
    "argon2id",
    "blake3_derive_key",
    "concat_kdf",
    "hkdf",
    "hkdf_expand",
    "hkdf_extract",
    "pbkdf2",
    "scrypt",
]
