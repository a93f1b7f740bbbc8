"""Passwords that are kept for a later login: a text that holds algorithm, cost, salt and hash.

>>> from sealstone.password import Argon2Cost, hash_password, verify_password
>>> stored = hash_password("correct horse", Argon2Cost(memory_kib=1024))
>>> stored[:30]
'$argon2id$v=19$m=1024,t=3,p=1$'
>>> verify_password("correct horse", stored)
>>> verify_password("wrong horse", stored)
Traceback (most recent call last):
    ...
sealstone.errors.NotAuthentic: not authentic

It reads what other programs have stored as well: Argon2, scrypt, PBKDF2 and bcrypt, in the PHC's format and crypt's.
"""

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ._native import password as _password

if TYPE_CHECKING:
    from typing_extensions import Buffer


@dataclass(frozen=True)
class Argon2Cost:
    """What Argon2 costs."""

    memory_kib: int = 65_536
    """Memory in KiB, at least 8 for each lane."""
    passes: int = 3
    """How often it is gone through."""
    lanes: int = 1
    """Parts that can be computed side by side."""
    variant: str = "id"
    """`id`, `i` or `d`."""

    def _crossing(self) -> tuple[str, tuple[int, int, int]]:
        return f"argon2{self.variant}", (self.memory_kib, self.passes, self.lanes)

    def _raised(self, number: int) -> "Argon2Cost":
        return replace(self, passes=number)


@dataclass(frozen=True)
class ScryptCost:
    """What scrypt costs: 128 * `r` * 2^`log_n` bytes of memory."""

    log_n: int = 17
    r: int = 8
    p: int = 1

    def _crossing(self) -> tuple[str, tuple[int, int, int]]:
        return "scrypt", (self.log_n, self.r, self.p)

    def _raised(self, number: int) -> "ScryptCost":
        return replace(self, log_n=number)


@dataclass(frozen=True)
class Pbkdf2Cost:
    """What PBKDF2 costs, over the HMAC of a hash."""

    hash: str = "sha256"
    iterations: int = 600_000

    def _crossing(self) -> tuple[str, tuple[int, int, int]]:
        return f"pbkdf2-{self.hash}", (self.iterations, 0, 0)

    def _raised(self, number: int) -> "Pbkdf2Cost":
        return replace(self, iterations=number)


Cost: TypeAlias = Argon2Cost | ScryptCost | Pbkdf2Cost


def hash_password(password: "str | Buffer", cost: Cost = Argon2Cost()) -> str:
    """A text to be stored, with a salt that is drawn. It takes a tenth of a second; Ctrl-C ends it."""
    return _password.hash(password, cost._crossing())


def verify_password(password: "str | Buffer", stored: str, *, allow_high_cost: bool = False) -> None:
    """Checks a password: without an exception it is the right one.

    `NotAuthentic` for another one; `InvalidEncoding` for a text that is no stored password; `CostTooHigh` for one that costs more than is
    accepted, unless `allow_high_cost` is true.
    """
    _password.verify(password, stored, allow_high_cost)


def needs_rehash(stored: str, cost: Cost = Argon2Cost()) -> bool:
    """Whether a stored password costs less than `cost`, or is of another algorithm: hash it anew at the next login."""
    return _password.needs_rehash(stored, cost._crossing())


class Calibrated(NamedTuple):
    """A cost, and about how many seconds a hash takes with it on this machine."""

    cost: Cost
    seconds: float


def calibrate(seconds: float = 0.25, cost: Cost = Argon2Cost()) -> Calibrated:
    """A cost that takes about so long on this machine, and is no less than `cost`: with more passes, a higher N or more iterations."""
    took = min(_timed(cost) for _ in range(3))
    found = cost._raised(_password.raised(cost._crossing(), seconds, took))
    return Calibrated(found, took if found == cost else _timed(found))


def _timed(cost: Cost) -> float:
    begun = time.perf_counter()
    hash_password(b"any password", cost)
    return time.perf_counter() - begun


__all__ = [
    "Argon2Cost",
    "Calibrated",
    "Cost",
    "Pbkdf2Cost",
    "ScryptCost",
    "calibrate",
    "hash_password",
    "needs_rehash",
    "verify_password",
]
