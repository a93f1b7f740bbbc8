"""The costs of passwords, as callers say them and as they cross."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ._names import HmacHash

Named: TypeAlias = tuple[str, tuple[int, int, int]]
"""A name, and up to three numbers."""


@dataclass(frozen=True)
class Argon2Cost:
    """The cost of Argon2. Of its variants `argon2id` is the usual one (RFC 9106)."""

    memory_kib: int = 65_536
    """Memory in KiB: at least 8 for each lane."""
    passes: int = 3
    """Passes over the memory."""
    lanes: int = 1
    """Lanes that are computed in parallel, on as many threads as there are."""
    variant: Literal["argon2id", "argon2i", "argon2d"] = "argon2id"

    def _named(self) -> Named:
        return self.variant, (self.memory_kib, self.passes, self.lanes)


@dataclass(frozen=True)
class ScryptCost:
    """The cost of scrypt (RFC 7914): 128 * `r` * 2 ** `log_n` bytes of memory."""

    log_n: int = 17
    """log2 of N."""
    r: int = 8
    """Block size, r."""
    p: int = 1
    """Parallelization, p."""

    def _named(self) -> Named:
        return "scrypt", (self.log_n, self.r, self.p)


@dataclass(frozen=True)
class Pbkdf2Cost:
    """The cost of PBKDF2 (RFC 8018). It needs no memory, so that guessing on many machines is far cheaper than with the others."""

    iterations: int = 600_000
    """Iterations."""
    hash: HmacHash = "sha256"
    """The hash under the HMAC."""

    def _named(self) -> Named:
        return f"pbkdf2-{self.hash}", (self.iterations, 0, 0)


Cost: TypeAlias = Argon2Cost | ScryptCost | Pbkdf2Cost


def named(cost: Cost) -> Named:
    """A cost as it crosses."""
    if not isinstance(cost, Cost):
        raise TypeError(f"a cost is an Argon2Cost, a ScryptCost or a Pbkdf2Cost, not '{type(cost).__name__}'")
    return cost._named()


def cost_of(named: Named) -> Cost:
    """A cost of a name and numbers."""
    name, (first, second, third) = named
    if name.startswith("argon2"):
        return Argon2Cost(first, second, third, name)  # type: ignore[arg-type]
    if name == "scrypt":
        return ScryptCost(first, second, third)
    return Pbkdf2Cost(first, name.removeprefix("pbkdf2-"))  # type: ignore[arg-type]
