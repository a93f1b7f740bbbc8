"""Identifies a sealed file: by its head, which rewrapping replaces, and its payload, which stays."""

import hashlib
from typing import Any, NamedTuple

from .. import _native, errors
from ..hash import Hasher

MAGIC = b"\x89SEAL\r\n\x1a"
_PAYLOAD_HEAD_LEN = 56
"""Bytes of a payload before its first chunk: salt and commitment. They count as part of the head."""
_COMMITMENT_LEN = 32
_LONGEST_HEAD = 16 << 20
"""The most bytes of a head: the format allows no more."""


class Content(NamedTuple):
    """The identity of a sealed file, wherever the file is."""

    head: str
    """SHA-256 of all bytes before the first chunk, in hexadecimal digits; empty if the file has armour or is no sealed file."""
    length: int
    """Bytes of the file."""
    commitment: str
    """32 bytes in hexadecimal digits that name the key of the payload, and its salt."""
    payload: str
    """BLAKE3 of all bytes behind the header, in hexadecimal digits; empty if unknown."""


def content_of(head: bytes, length: int, payload: str = "") -> Content:
    """The content of a file that begins with a whole head."""
    head = head[: _native.read_head_len(head)]
    return Content(hashlib.sha256(head).hexdigest(), length, head[-_COMMITMENT_LEN:].hex(), payload)


class Digesting:
    """Takes a file part by part, and gives its content. With armour, or for another file, there is no content to compare."""

    def __init__(self) -> None:
        self._start = b""
        self._hasher: Hasher | None = None
        self._is_sealed = True
        self._length = 0

    def update(self, part: Any) -> None:
        """Takes the next part."""
        self._length += len(part)
        if self._hasher is not None:
            self._hasher.update(part)
        elif self._is_sealed:
            self._start += bytes(part)
            self._begin()

    def _begin(self) -> None:
        """Checks whether the head is complete. Small parts may be slow: in practice, the head comes with the first part."""
        if not self._start.startswith(MAGIC[: len(self._start)]) or len(self._start) > _LONGEST_HEAD:
            self._is_sealed = False
            return
        try:
            head_len = _native.read_head_len(self._start)
        except errors.Truncated:
            return
        except errors.Error:
            self._is_sealed = False
            return
        if len(self._start) >= head_len:
            self._hasher = Hasher("blake3")
            self._hasher.update(memoryview(self._start)[head_len - _PAYLOAD_HEAD_LEN :])
            self._start = self._start[:head_len]

    def content(self) -> Content:
        """The content of all bytes so far."""
        if self._hasher is None:
            return Content("", self._length, "", "")
        return content_of(self._start, self._length, self._hasher.digest().hex())


def digested(data: bytes) -> Content:
    """The content of a file in memory."""
    digesting = Digesting()
    digesting.update(data)
    return digesting.content()


class Taken:
    """A source or a target that takes the content of the bytes as they pass."""

    def __init__(self, stream: Any, digesting: Digesting) -> None:
        self._stream = stream
        self._digesting = digesting

    def read(self, length: int, /) -> bytes:
        part: bytes = self._stream.read(length)
        self._digesting.update(part)
        return part

    def write(self, data: Any, /) -> int:
        taken: int = self._stream.write(data)
        self._digesting.update(memoryview(data)[:taken])
        return taken
