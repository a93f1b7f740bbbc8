"""An open file that is read: sealed, by `sealstone.open`, or plain, by Python's own `open`."""

import os
import random
from collections.abc import Callable, Iterator
from typing import Any

from files import remove
from protocol import Input, Setup, Trial, choose, read_options

_PART_LEN = 1 << 20
_RANDOM_LEN = 64 << 10
_PLACES = 256
"""Positions that take turns."""


def _sealed(place: Input) -> Callable[[], Any]:
    import sealstone

    identity = sealstone.generate_identity("x25519")
    path = os.path.join(place.folder, "sealed")
    remove(path)
    sealstone.encrypt_file(place.path, path, recipients=sealstone.recipient_of(identity))
    return lambda: sealstone.open(path, identities=identity)


def _plain(place: Input) -> Callable[[], Any]:
    return lambda: open(place.path, "rb")


_LIBRARIES = {"sealstone": _sealed, "python": _plain}


def _read(opener: Callable[[], Any], length: int) -> Trial:
    """From its beginning to its end, a part at a time; opening it is in the time."""

    def run() -> int:
        read = 0
        with opener() as file:
            while part := file.read(_PART_LEN):
                read += len(part)
        return read

    def reveal(read: int) -> Iterator[bytes]:
        with opener() as file:
            while part := file.read(_PART_LEN):
                yield part

    return Trial(run, reveal=reveal, length=lambda read: read)


def _random(opener: Callable[[], Any], length: int) -> Trial:
    """64 KiB at a position of an open file, none of them at the beginning of a chunk but by chance."""
    drawn = random.Random(42)
    positions = [drawn.randrange(max(length - _RANDOM_LEN, 1)) for _ in range(_PLACES)]
    file = opener()
    turn = 0

    def run() -> bytes:
        nonlocal turn
        file.seek(positions[turn])
        turn = (turn + 1) % _PLACES
        part: bytes = file.read(_RANDOM_LEN)
        return part

    def reveal(first: bytes) -> Iterator[bytes]:
        nonlocal turn
        yield first
        for _ in range(_PLACES - 1):
            yield run()

    return Trial(run, reveal=reveal)


def _operation(prepare: Callable[[Callable[[], Any], int], Trial]) -> Setup:
    def setup(place: Input, options: dict[str, str]) -> Trial:
        chosen = read_options(options, library="sealstone")
        opener = choose(_LIBRARIES, chosen["library"], "library")(place)
        return prepare(opener, os.path.getsize(place.path))

    return setup


OPERATIONS = {"open/read": _operation(_read), "open/random": _operation(_random)}
