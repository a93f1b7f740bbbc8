"""Envelopes and frames of FISE, which hide data from a glance. **This is not encryption**: whoever has an envelope can open it, and nothing
here detects changes that somebody makes on purpose. To keep data from others use `sealstone.encrypt`.

>>> from sealstone.fise import Profile
>>> profile = Profile.random("2026-11-28")
>>> profile.decode_text(profile.encode_text("not a secret"))
'not a secret'

A `Profile` is rules as data, which programs in other languages follow too: they open the envelopes of this module, and it opens theirs.
Frames hide a stream of any length in constant memory: `encode_frames` and `decode_frames` for files and iterables, `FrameEncoder` and
`FrameDecoder` for messages as they come, `FrameReader` for any part of a file. Each error is a `FiseError` of `sealstone.errors`.

`spec/fise-frames.md` has every byte, and `docs/guide/fise.md` examples in JavaScript.
"""

import io
import os
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ._files import Path
from ._native import fise as _native
from ._native.fise import FrameDecoder, FrameEncoder, Profile

if TYPE_CHECKING:
    from typing_extensions import Buffer


class _Readable(Protocol):
    def read(self, size: int, /) -> "Buffer": ...


class _Seekable(_Readable, Protocol):
    def seek(self, offset: int, whence: int, /) -> int: ...


Rule: TypeAlias = "Profile | dict[str, Any] | str"
"""The rules of a frame: a profile, or its members as a `dict` or as JSON text."""
Rules: TypeAlias = "Rule | Iterable[Rule]"
"""The rules of a stream: those of all frames, or several that are used in turn."""
Source: TypeAlias = "Buffer | _Readable | Iterable[Buffer]"
"""Bytes, a file object that is read to its end and stays open, or parts of any length."""

_TURN = 1 << 18
"""Bytes that a file is asked for at once."""


@dataclass(frozen=True)
class Frame:
    """A frame that was read."""

    number: int
    """Its number, from 0."""
    rule: int
    """The number of its rule, from 0."""
    metadata: bytes
    """The bytes that its writer put beside the content."""
    content: bytes = field(repr=False)
    """Its part of the content."""
    is_last: bool
    """Whether it is the last."""


class FrameReader:
    """Reads any part of a stream that has an index, without the frames before it.

    >>> import io
    >>> from sealstone.fise import FrameReader, encode_frames
    >>> file = io.BytesIO(b"".join(encode_frames(b"attack at dawn", {"fise": 1}, index=True)))
    >>> reader = FrameReader(file, {"fise": 1})
    >>> reader.content_length
    14
    >>> reader.read(10, 14)
    b'dawn'

    `file` is a path, or an object with `read` and `seek`, which stays open. `close`, or the end of a `with` block, closes the file of a path.
    Threads take turns. An index that does not fit its stream is `FiseMalformed`, and so is a stream without one; `FiseTruncated` for a file
    that is cut short.
    """

    def __init__(self, file: "Path | _Seekable", rules: Rules, *, timestamp: int = 0) -> None:
        self._file = io.FileIO(file) if isinstance(file, (str, bytes, os.PathLike)) else None
        try:
            self._reader = _native.Reader(self._file or file, rules, timestamp)
        except BaseException:
            self.close()
            raise
        self._lock = threading.RLock()

    @property
    def frames(self) -> int:
        """The number of frames."""
        return self._reader.frames

    @property
    def content_length(self) -> int:
        """Bytes of the content."""
        return self._reader.content_length

    def frame(self, number: int) -> Frame:
        """Reads one frame. `RangeOutOfBounds` if there is none with this number; otherwise the errors of `FrameDecoder.next_frame`."""
        with self._lock:
            return self._reader.frame(number)

    def read(self, start: int, end: int) -> bytes:
        """Reads the bytes of the content from `start` up to `end`. `RangeOutOfBounds` if they are not all in it."""
        with self._lock:
            return self._reader.read(start, end)

    def close(self) -> None:
        """Closes the file of a path. Then a read is a `ValueError`."""
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> "FrameReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def encode_frames(
    source: Source, rules: Rules, *, timestamp: int = 0, frame_length: int = _native.FRAME_LENGTH, index: bool = False
) -> Iterator[bytes]:
    """Hides a stream in frames, in constant memory. **This does not encrypt it.** The arguments are those of `FrameEncoder`.

    >>> from sealstone.fise import decode_frames, encode_frames
    >>> with open("video", "wb") as file:
    ...     _ = file.write(b"action" * 100_000)
    >>> with open("video", "rb") as video, open("video.fise", "wb") as hidden:
    ...     hidden.writelines(encode_frames(video, {"fise": 1}))
    >>> with open("video.fise", "rb") as hidden, open("copy", "wb") as copy:
    ...     copy.writelines(decode_frames(hidden, {"fise": 1}))
    """
    encoder = FrameEncoder(rules, timestamp=timestamp, frame_length=frame_length, index=index)
    return _encoded(_parts(source), encoder, frame_length)


def decode_frames(source: Source, rules: Rules, *, timestamp: int = 0) -> Iterator[bytes]:
    """Reads a stream of frames, in constant memory: the content of each frame that is whole and in its place.

    `rules` and `timestamp` are those of the writer. The errors are those of `FrameDecoder`. The contents before an error are right, but only the
    end of the iteration says that there are no more.

    >>> from sealstone.fise import decode_frames, encode_frames
    >>> b"".join(decode_frames(encode_frames([b"a feed, ", b"in parts"], {"fise": 1}), {"fise": 1}))
    b'a feed, in parts'
    """
    return _decoded(_parts(source), FrameDecoder(rules, timestamp=timestamp))


def _encoded(parts: "Iterator[Buffer]", encoder: FrameEncoder, frame_length: int) -> Iterator[bytes]:
    held = bytearray()
    for part in parts:
        # Given back before the next part comes, so that a source may use its memory again.
        with _bytes_of(part) as view:
            at = 0
            while at < view.nbytes:
                # A full frame waits for a byte behind it, since it may be the last.
                if len(held) == frame_length:
                    yield encoder.frame(held)
                    held.clear()
                end = at + frame_length - len(held)
                held += view[at:end]
                at = end
    yield encoder.last_frame(held)


def _bytes_of(part: "Buffer") -> memoryview:
    view = memoryview(part)
    return view.cast("B") if view.nbytes else view


def _decoded(parts: "Iterator[Buffer]", decoder: FrameDecoder) -> Iterator[bytes]:
    for part in parts:
        decoder.push(part)
        for frame in decoder:
            if frame.content:
                yield frame.content
    decoder.finish()


def _parts(source: Source) -> "Iterator[Buffer]":
    """The parts of a source. A file gives the bytes that it has at once: the next ones of a feed may come late."""
    if isinstance(source, str):
        raise TypeError("the source is a str: open the file that it names, or encode the text")
    read = getattr(source, "read1", None) or getattr(source, "read", None)
    if read is not None:
        return _read(read)
    try:
        return iter((memoryview(source),))  # type: ignore[arg-type]
    except TypeError:
        return iter(source)  # type: ignore[arg-type]


def _read(read: Any) -> "Iterator[Buffer]":
    while part := read(_TURN):
        yield part
    # Of a stream that has nothing yet, this would be taken for its end.
    if part is None:
        raise BlockingIOError("the source has nothing to read yet: make it wait")


__all__ = [
    "Frame",
    "FrameDecoder",
    "FrameEncoder",
    "FrameReader",
    "Profile",
    "decode_frames",
    "encode_frames",
]
