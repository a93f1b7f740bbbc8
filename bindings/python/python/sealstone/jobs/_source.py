"""Reads objects for a worker: the object that was listed, never another one that has its name by now.

It requests several ranges of a long object at once, because one request uses only a tenth of what a network can carry.
"""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from fsspec import AbstractFileSystem
from fsspec.spec import AbstractBufferedFile

from .. import _native, errors
from ._entry import Entry
from ._store import body_of, etag_of, is_local, is_refused, is_s3, may_pass, state_of

_RANGE = 8 << 20
"""The bytes of a request."""
_ABREAST = 8
"""The number of simultaneous requests, and of ranges in memory."""


def head_of(fs: AbstractFileSystem, path: str, length: int, entry: Entry) -> bytes:
    """The first bytes of an object. If the object was replaced since the listing, it is an error, as far as the store can tell."""
    if is_local(fs):
        with open(path, "rb", buffering=0) as file:
            return file.read(length)
    if is_s3(fs) and entry.etag and entry.size:
        return _of_listed(fs, path, entry, Range=f"bytes=0-{min(length, entry.size) - 1}")
    head: bytes = fs.cat_file(path, start=0, end=length)
    return head


def whole_head(fs: AbstractFileSystem, path: str, head: bytes, entry: Entry) -> bytes:
    """The whole head of a sealed object, whose beginning was read already."""
    length = _native.read_head_len(head)
    return head if len(head) >= length else head_of(fs, path, length, entry)


def whole(fs: AbstractFileSystem, path: str, entry: Entry) -> bytes:
    """All of a short object, in one request."""
    if is_s3(fs) and entry.etag:
        data = _of_listed(fs, path, entry)
    else:
        entry = check_unchanged(entry, fs, path)
        # Reads one byte more, to notice an object that has grown. An empty object has no valid range.
        data = fs.cat_file(path, start=0, end=entry.size + 1) if entry.size else fs.cat_file(path)
        check_unchanged(entry, fs, path)
    check_length(entry, len(data))
    return data


def _of_listed(fs: AbstractFileSystem, path: str, entry: Entry, **given: str) -> bytes:
    """Reads the listed object from S3, in one request."""
    bucket, key, _ = fs.split_path(path)
    for is_last in (False, True):
        try:
            return body_of(fs, fs.call_s3("get_object", Bucket=bucket, Key=key, IfMatch=f'"{entry.etag}"', **given))
        except Exception as error:
            if is_refused(error):
                raise changed(entry) from error
            # s3fs repeats a failed request, but not one whose body ends early.
            if is_last or not may_pass(error):
                raise
    raise AssertionError("the last try returns or raises")


def check_length(entry: Entry, length: int) -> None:
    """Raises `InputChanged` unless an object has the length of the listing."""
    if length != entry.size:
        raise changed(entry)


def check_unchanged(entry: Entry, fs: AbstractFileSystem, path: str) -> Entry:
    """Raises `InputChanged` if an object changed since the listing. If the listing had no ETag, the returned entry has the present one."""
    return check_state(entry, *state_of(fs, path))


def check_state(entry: Entry, size: int, etag: str) -> Entry:
    """As `check_unchanged`, with the length and ETag that the store reports."""
    if size != entry.size or (entry.etag and etag and etag != entry.etag):
        raise changed(entry)
    return entry._replace(etag=entry.etag or etag)


def changed(entry: Entry) -> errors.InputChanged:
    """The error for an object that was changed."""
    return errors.InputChanged(f"{entry.input} was changed after it was listed")


@contextmanager
def reading(fs: AbstractFileSystem, path: str, entry: Entry) -> Iterator[Any]:
    """Reads an object from beginning to end. If it is replaced meanwhile, it is an error, if the store has ETags."""
    with fs.open(path, "rb", cache_type="none") as file:
        if not isinstance(file, AbstractBufferedFile):
            entry = check_unchanged(entry, fs, path)
            yield file
            check_unchanged(entry, fs, path)
            return
        entry = check_state(entry, file.details["size"], etag_of(file.details))
        with ThreadPoolExecutor(_ABREAST, thread_name_prefix="sealstone-range") as pool:
            source = _Ranges(file, pool)
            try:
                yield source
            finally:
                source.close()
        if not is_s3(fs):
            # s3fs sends the ETag with each range.
            check_unchanged(entry, fs, path)


class _Ranges:
    """A file that gives its ranges in order, while it fetches later ranges."""

    def __init__(self, file: AbstractBufferedFile, pool: ThreadPoolExecutor) -> None:
        self._file, self._pool = file, pool
        self._next = 0
        self._fetched: deque[Future[bytes]] = deque()
        self._part = memoryview(b"")
        self._ask()

    def read(self, length: int, /) -> bytes:
        """At most `length` next bytes; empty at the end."""
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
