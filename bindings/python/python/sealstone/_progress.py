from typing import NamedTuple


class Progress(NamedTuple):
    """How far work has come: what `on_progress` is called with, ten times a second and at the end."""

    bytes: int
    """Bytes that are done."""
    total: int | None
    """Of how many, where that is known."""
    rate: float
    """Bytes a second."""
    eta: float | None
    """Seconds that are left, about, where the total is known."""

    @classmethod
    def _of(cls, done: int, total: int | None, seconds: float) -> "Progress":
        rate = done / seconds if seconds > 0 else 0.0
        eta = (total - done) / rate if total is not None and rate > 0 else None
        return cls(done, total, rate, eta)
