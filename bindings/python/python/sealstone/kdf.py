"""Keys of secrets (HKDF, SP 800-56C, BLAKE3) and of passwords (Argon2, scrypt, PBKDF2).

>>> from sealstone.kdf import argon2id, hkdf
>>> key = hkdf("sha256", b"what two sides share", length=32, info=b"example.com v1")
>>> len(argon2id("correct horse battery staple", b"a salt of its own", memory_kib=1024))
32

To store a password for a later login use `sealstone.password`; to encrypt with one, `sealstone.encrypt(data, passphrase=...)`.
"""

from typing import TYPE_CHECKING

from ._native import kdf as _kdf
from ._native.kdf import blake3_derive_key, concat_kdf, hkdf, hkdf_expand, hkdf_extract

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ._names import HmacHash


def argon2id(
    password: "str | Buffer",
    salt: "Buffer",
    *,
    length: int = 32,
    memory_kib: int = 65_536,
    passes: int = 3,
    lanes: int = 1,
    secret: "Buffer | None" = None,
    associated_data: "Buffer | None" = None,
    allow_high_cost: bool = False,
) -> bytes:
    """A key of a password, by Argon2id: the choice for new data. It takes a tenth of a second; Ctrl-C ends it.

    `salt` has 8 bytes or more, and is another one for each password. `CostTooHigh` for more than 1 GiB, 16 passes or 16 lanes, unless
    `allow_high_cost` is true. RFC 9106.
    """
    return _derived(
        "argon2id", (memory_kib, passes, lanes), password, salt, length, secret, associated_data, allow_high_cost
    )


def argon2i(
    password: "str | Buffer",
    salt: "Buffer",
    *,
    length: int = 32,
    memory_kib: int = 65_536,
    passes: int = 3,
    lanes: int = 1,
    secret: "Buffer | None" = None,
    associated_data: "Buffer | None" = None,
    allow_high_cost: bool = False,
) -> bytes:
    """As `argon2id`, by Argon2i, whose accesses to memory do not depend on the password."""
    return _derived(
        "argon2i", (memory_kib, passes, lanes), password, salt, length, secret, associated_data, allow_high_cost
    )


def argon2d(
    password: "str | Buffer",
    salt: "Buffer",
    *,
    length: int = 32,
    memory_kib: int = 65_536,
    passes: int = 3,
    lanes: int = 1,
    secret: "Buffer | None" = None,
    associated_data: "Buffer | None" = None,
    allow_high_cost: bool = False,
) -> bytes:
    """As `argon2id`, by Argon2d, whose accesses to memory depend on the password: where nobody else is on the machine."""
    return _derived(
        "argon2d", (memory_kib, passes, lanes), password, salt, length, secret, associated_data, allow_high_cost
    )


def scrypt(
    password: "str | Buffer",
    salt: "Buffer",
    *,
    length: int = 32,
    log_n: int = 17,
    r: int = 8,
    p: int = 1,
    allow_high_cost: bool = False,
) -> bytes:
    """A key of a password, by scrypt, with 128 * `r` * 2^`log_n` bytes of memory. Ctrl-C ends it.

    `CostTooHigh` for more than 1 GiB, unless `allow_high_cost` is true. RFC 7914.
    """
    return _derived("scrypt", (log_n, r, p), password, salt, length, None, None, allow_high_cost)


def pbkdf2(
    hash: "HmacHash",
    password: "str | Buffer",
    salt: "Buffer",
    *,
    iterations: int = 600_000,
    length: int = 32,
    allow_high_cost: bool = False,
) -> bytes:
    """A key of a password, by PBKDF2 over the HMAC of a hash: for protocols that have it. Ctrl-C ends it. RFC 8018.

    `CostTooHigh` for more than 10 million iterations, unless `allow_high_cost` is true.
    """
    return _derived(f"pbkdf2-{hash}", (iterations, 0, 0), password, salt, length, None, None, allow_high_cost)


def _derived(
    name: str,
    numbers: tuple[int, int, int],
    password: "str | Buffer",
    salt: "Buffer",
    length: int,
    secret: "Buffer | None",
    associated_data: "Buffer | None",
    allow_high_cost: bool,
) -> bytes:
    return _kdf.derive((name, numbers), password, salt, length, secret, associated_data, allow_high_cost)


__all__ = [
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
