"""A long object of a store, of which several ranges are on their way at once: one request gives a tenth of what a network can."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from fsspec import AbstractFileSystem
from fsspec.spec import AbstractBufferedFile

_RANGE = 8 << 20
"""Bytes of a request."""
_ABREAST = 8
"""Requests at once, and ranges that are held."""


@contextmanager
def reading(fs: AbstractFileSystem, path: str) -> Iterator[Any]:
    """An object, from its begin to its end. One that is replaced meanwhile is an error where the store has ETags."""
    with fs.open(path, "rb", cache_type="none") as file:
        if not isinstance(file, AbstractBufferedFile):
            yield file
            return
        with ThreadPoolExecutor(_ABREAST, thread_name_prefix="sealstone-range") as pool:
            source = _Ranges(file, pool)
            try:
                yield source
            finally:
                source.close()


class _Ranges:
    """A file that gives its ranges in their order, while later ones are fetched."""

    def __init__(self, file: AbstractBufferedFile, pool: ThreadPoolExecutor) -> None:
        self._file, self._pool = file, pool
        self._next = 0
        self._fetched: deque[Future[bytes]] = deque()
        self._part = memoryview(b"")
        self._ask()

    def read(self, length: int, /) -> bytes:
        """The next bytes, at most so many; none at the end."""
        if not self._part and self._fetched:
            self._part = memoryview(self._fetched.popleft().result())
            self._ask()
        taken = bytes(self._part[:length])
        self._part = self._part[length:]
        return taken

    def close(self) -> None:
        for one in self._fetched:
            one.cancel()
        self._fetched.clear()

    def _ask(self) -> None:
        while self._next < self._file.size and len(self._fetched) < _ABREAST:
            end = min(self._next + _RANGE, self._file.size)
            self._fetched.append(self._pool.submit(self._file._fetch_range, self._next, end))
            self._next = end
