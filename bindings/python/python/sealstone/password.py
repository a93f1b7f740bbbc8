"""Passwords that are kept for a later login: as texts that name their algorithm, cost and salt (PHC strings).

>>> from sealstone.password import hash_password, needs_rehash, verify_password
>>> stored = hash_password("correct horse battery staple")
>>> stored[:30]
'$argon2id$v=19$m=65536,t=3,p=1'
>>> verify_password("correct horse battery staple", stored)
>>> needs_rehash(stored)
False

`verify_password` returns nothing, and raises `NotAuthentic`. Whoever steals such a text tries passwords, and its cost is what each try
takes. A password is taken as it is: text as its UTF-8, without a normalization. Ctrl-C ends the work.
"""

from typing import TYPE_CHECKING, NamedTuple

from ._cost import Argon2Cost, Cost, Pbkdf2Cost, ScryptCost, cost_of, named
from ._native import password as _native

if TYPE_CHECKING:
    from typing_extensions import Buffer

_USUAL = Argon2Cost()


def hash_password(password: "str | Buffer", cost: Cost = _USUAL) -> str:
    """Hashes a password with a new salt, as the text to be stored.

    >>> from sealstone.password import ScryptCost, hash_password
    >>> hash_password("correct horse", ScryptCost(log_n=14))[:22]
    '$scrypt$ln=14,r=8,p=1$'

    `InvalidPassphrase` for an empty password; `InvalidCost`, also for Argon2 or scrypt with under 1 MiB, and for PBKDF2 with under 1,000
    iterations or with MD5; `CostTooHigh` for what `verify_password` would refuse.
    """
    return _native.hash(password, named(cost))


def verify_password(password: "str | Buffer", stored: str, *, allow_high_cost: bool = False) -> None:
    """Checks a password against a stored hash: a PHC string of Argon2, scrypt or PBKDF2, a PBKDF2 string of passlib, or a bcrypt hash.

    >>> from sealstone.errors import NotAuthentic
    >>> from sealstone.password import verify_password
    >>> try:
    ...     verify_password("a guess", "$2b$04$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm")
    ... except NotAuthentic as error:
    ...     error.code
    'not_authentic'

    `NotAuthentic` for another password. For the stored hash, before any work: `InvalidEncoding`, `UnknownAlgorithm`, `InvalidCost`, and
    `CostTooHigh` over 10,000,000 iterations of PBKDF2, 1 GiB, 16 lanes or an r of 8192 of scrypt, 1 GiB, 16 passes or 16 lanes of Argon2,
    or 2^16 rounds of bcrypt, unless `allow_high_cost` is true. For bcrypt `InvalidPassphrase` for a password with a zero byte; it reads the
    first 72 bytes of a password, and Ctrl-C ends it when it is done.
    """
    _native.verify(password, stored, allow_high_cost)


def needs_rehash(stored: str, cost: Cost = _USUAL) -> bool:
    """Whether what was stored should be made anew when its password is known.

    It should where it is of another algorithm, costs less than `cost` or more than `verify_password` takes, or has a shorter salt or hash.
    bcrypt's always should.

    >>> from sealstone.password import needs_rehash
    >>> needs_rehash("$2b$04$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm")
    True

    Errors of `cost` are those of `hash_password`; of what was stored `InvalidEncoding`, `UnknownAlgorithm` and `InvalidCost`.
    """
    return _native.needs_rehash(stored, named(cost))


class Calibrated(NamedTuple):
    """The result of `calibrate`."""

    cost: Cost
    """A cost that takes about as long as was asked for."""
    seconds: float
    """About how many seconds a hash takes with it. That is more than was asked for where the cost to begin with takes more, and less than half
    of it where the usual bounds end before: more memory takes longer then."""


def calibrate(target: float = 0.25, cost: Cost = _USUAL) -> Calibrated:
    """A cost that takes about `target` seconds on this machine, and is no less than `cost`. It hashes three times.

    It has more passes of Argon2, a higher N of scrypt or more iterations of PBKDF2, within the usual bounds.

    >>> from sealstone.password import ScryptCost, calibrate, hash_password
    >>> cost, seconds = calibrate(0.05, ScryptCost(log_n=10))
    >>> hash_password("correct horse", cost)[:11]
    '$scrypt$ln='
    """
    found, seconds = _native.calibrate(target, named(cost))
    return Calibrated(cost_of(found), seconds)


__all__ = [
    "Argon2Cost",
    "Calibrated",
    "Pbkdf2Cost",
    "ScryptCost",
    "calibrate",
    "hash_password",
    "needs_rehash",
    "verify_password",
]
