"""What names a sealed file: its head, which rewrapping replaces, and its payload, which stays."""

import hashlib
from typing import Any, NamedTuple

from .. import _native, errors
from ..hash import Hasher

MAGIC = b"\x89SEAL\r\n\x1a"
_PAYLOAD_HEAD_LEN = 56
"""Bytes of a payload before its first chunk, which are a part of the head: salt and commitment."""
_COMMITMENT_LEN = 32
_LONGEST_HEAD = 16 << 20
"""Bytes after which what comes is no head: the format allows fewer."""


class Content(NamedTuple):
    """A sealed file, whoever has it and wherever it is."""

    head: str
    """SHA-256 of all before the first chunk, in hexadecimal digits; empty of what is no sealed file without armour."""
    length: int
    """Bytes of the file."""
    commitment: str
    """32 bytes in hexadecimal digits that name the key of the payload, and its salt."""
    payload: str
    """BLAKE3 of all behind the header, in hexadecimal digits; empty where it is not known."""


def content_of(head: bytes, length: int, payload: str = "") -> Content:
    """The content of a file that begins with a whole head."""
    head = head[: _native.read_head_len(head)]
    return Content(hashlib.sha256(head).hexdigest(), length, head[-_COMMITMENT_LEN:].hex(), payload)


class Digesting:
    """Takes a file part by part, and says its content. What has armour, or is no sealed file, has none that could be compared."""

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
        """Looks whether the head is whole. Who gives a few bytes at a time is no concern: heads come with the first part."""
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
        """The content of all that was taken."""
        if self._hasher is None:
            return Content("", self._length, "", "")
        return content_of(self._start, self._length, self._hasher.digest().hex())


def digested(data: bytes) -> Content:
    """The content of a file in memory."""
    digesting = Digesting()
    digesting.update(data)
    return digesting.content()


class Taken:
    """A source or a target whose content is taken as it passes."""

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
