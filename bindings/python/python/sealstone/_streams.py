"""Files that are read and written a part at a time: `open`, and streams in constant memory."""

import io
import os
import threading
import warnings
from collections.abc import Callable
from typing import Any, Protocol, Unpack

from . import _native, _options
from ._files import Path, Processed
from ._options import DecryptOptions, EncryptOptions
from .errors import NotSealstone, NotSeekable, Truncated

CHUNK_LEN = 16384
_TAG_LEN = 16
_SEALED_LEN = CHUNK_LEN + _TAG_LEN
_AHEAD = 64
"""Chunks that a sequential reader gets in one turn: 1 MiB."""
_MOST = 1024
"""Chunks that are opened at once: 16 MiB."""
_START = 4096
"""Bytes that are read first: most heads are shorter."""
_TURN = 4 << 20
"""Bytes that a stream reads in one turn."""
_LOST = ": what was written is lost, since only a file that is closed is complete"


class Source(Protocol):
    """Bytes at positions."""

    @property
    def is_held(self) -> bool:
        """Whether it has a file open that somebody must close."""
        ...

    def size(self) -> int: ...
    def read_at(self, position: int, length: int) -> bytes: ...
    def close(self) -> None: ...


class PathSource:
    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    @property
    def is_held(self) -> bool:
        return self._file >= 0

    def size(self) -> int:
        return os.fstat(self._file).st_size

    def read_at(self, position: int, length: int) -> bytes:
        part = os.pread(self._file, length, position)
        if len(part) == length or not part:
            return part
        parts = [part]
        while length > (done := sum(map(len, parts))):
            part = os.pread(self._file, length - done, position + done)
            if not part:
                break
            parts.append(part)
        return b"".join(parts)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class _ObjectSource:
    """An object with `read` and `seek`, which stays its owner's to close."""

    is_held = False

    def __init__(self, file: Any) -> None:
        self._file = file

    def size(self) -> int:
        size: int = self._file.seek(0, os.SEEK_END)
        return size

    def read_at(self, position: int, length: int) -> bytes:
        self._file.seek(position)
        parts: list[bytes] = []
        while length > 0:
            part = self._file.read(length)
            if not part:
                break
            parts.append(part)
            length -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        pass


class Opened:
    """A sealed file whose head is read: where its chunks are, and what they hold."""

    def __init__(self, decryptor: _native.Decryptor, head: bytes, file_len: int) -> None:
        self._chunks = _native.Chunks(decryptor, head)
        self._head_len = len(head)
        self._file_len = file_len
        self.length = self._chunks.plaintext_len(file_len)
        """Bytes of the plaintext, once the last chunk has opened: it is the one that says so."""
        self.last = self.length // CHUNK_LEN
        """The number of the last chunk."""

    @classmethod
    def of(cls, decryptor: _native.Decryptor, source: Source) -> "Opened":
        file_len = source.size()
        return cls(decryptor, head_to_open(source.read_at, source.read_at(0, min(_START, file_len))), file_len)

    def place(self, first: int, end: int) -> tuple[int, int]:
        """Where chunks from number `first` up to `end` are in the sealed file."""
        at = self._head_len + first * _SEALED_LEN
        return at, min(self._head_len + end * _SEALED_LEN, self._file_len)

    def chunks(self, sealed: bytes, first: int, end: int) -> bytes:
        """The plaintext of these chunks, of the bytes at their place."""
        start, stop = self.place(first, end)
        if len(sealed) != stop - start:
            raise Truncated("the file became shorter while it was read")
        return self._chunks.open(first, sealed)


def read_head(read_at: Callable[[int, int], bytes], start: bytes) -> bytes:
    """The head of a file that begins with `start`: what is before the first chunk."""
    head_len = _native.read_head_len(start)
    if head_len > len(start):
        start += read_at(len(start), head_len - len(start))
    return start[:head_len]


def head_to_open(read_at: Callable[[int, int], bytes], start: bytes) -> bytes:
    """As `read_head`, of a file that somebody opens: armour is named."""
    try:
        return read_head(read_at, start)
    except NotSealstone:
        look_len = _native.armour_look_len(start)
        if not _native.is_armoured(start if len(start) >= look_len else read_at(0, look_len)):
            raise
    raise NotSeekable(None, "a file with armour has no positions: decrypt it with decrypt_file or decrypt_stream")


def _warn_of(file: io.IOBase, what: str = "") -> None:
    """Warns of a file that nobody has closed, as Python warns of its own. The `__del__` of the file calls it."""
    warnings.warn(f"unclosed {file!r}{what}", ResourceWarning, stacklevel=3, source=file)


def _joined(parts: list[memoryview]) -> bytes:
    """Parts of windows as one; a whole window is not copied, since nobody changes it."""
    if len(parts) != 1:
        return b"".join(parts)
    window: bytes = parts[0].obj  # type: ignore[assignment]
    return window if len(parts[0]) == len(window) else bytes(parts[0])


class SealedReader(io.BufferedIOBase):
    """The plaintext of a sealed file, as a file that you can read and seek in. `sealstone.open` makes one.

    Threads may share one as they share any file of Python's: each call is whole, and whoever seeks and then reads holds a lock.
    """

    name: Any = None
    mode = "rb"

    def __init__(self, source: Source, opened: Opened, ahead: int = _AHEAD) -> None:
        self._source = source
        self._opened = opened
        self._ahead = ahead
        self._lock = threading.RLock()
        self._position = 0
        self._next = 0
        self._length = opened.length
        # The length is proved by the chunk that says that it is the last.
        self._window = self._chunks_at(opened.last, opened.last + 1)
        self._window_at = opened.last * CHUNK_LEN

    def _chunks_at(self, first: int, end: int) -> bytes:
        """The plaintext of consecutive chunks."""
        start, stop = self._opened.place(first, end)
        return self._opened.chunks(self._source.read_at(start, stop - start), first, end)

    def _fill(self, length: int) -> memoryview:
        """Some plaintext from the position on: as much as there is at hand, else of the chunks that hold `length` bytes."""
        offset = self._position - self._window_at
        if not 0 <= offset < len(self._window):
            first = self._position // CHUNK_LEN
            last = self._opened.last
            end = min((self._position + length - 1) // CHUNK_LEN, last) + 1
            if self._position == self._next and self._position > 0:
                # Who reads on where the last read has ended will read more.
                end = min(max(end, first + self._ahead), last + 1)
            # Its memory is what the next one takes: memory that the system gives anew costs more than opening what it will hold.
            self._window = b""
            self._window = self._chunks_at(first, min(end, first + _MOST))
            self._window_at = first * CHUNK_LEN
            offset = self._position - self._window_at
        return memoryview(self._window)[offset : offset + length]

    def _check(self) -> None:
        if self.closed:
            raise ValueError("the file is closed")

    def _begin(self) -> None:
        """Begins each read, once it is its turn."""
        self._check()

    def _take(self, length: int) -> list[memoryview]:
        length = min(length, max(self._length - self._position, 0))
        parts = []
        while length > 0:
            part = self._fill(length)
            parts.append(part)
            self._position += len(part)
            self._next = self._position
            length -= len(part)
        return parts

    def read(self, size: int | None = -1, /) -> bytes:
        with self._lock:
            self._begin()
            length = self._length if size is None or size < 0 else size
            return _joined(self._take(length))

    def read1(self, size: int = -1, /) -> bytes:
        with self._lock:
            self._begin()
            length = min(io.DEFAULT_BUFFER_SIZE if size < 0 else size, max(self._length - self._position, 0))
            if length == 0:
                return b""
            part = bytes(self._fill(length))
            self._position += len(part)
            self._next = self._position
            return part

    def readinto(self, buffer: Any, /) -> int:
        """Reads into a buffer of the caller's; returns how many bytes."""
        with self._lock:
            self._begin()
            with memoryview(buffer).cast("B") as view:
                at = 0
                for part in self._take(len(view)):
                    view[at : at + len(part)] = part
                    at += len(part)
                return at

    readinto1 = readinto

    def peek(self, size: int = 0, /) -> bytes:
        """Bytes that a read would give, of which none is consumed."""
        with self._lock:
            self._begin()
            if self._position >= self._length:
                return b""
            offset = self._position - self._window_at
            if not 0 <= offset < len(self._window):
                self._fill(1)
                offset = self._position - self._window_at
            return self._window[offset:]

    def readline(self, size: int | None = -1, /) -> bytes:
        with self._lock:
            self._begin()
            parts = []
            left = self._length if size is None or size < 0 else size
            while left > 0 and self._position < self._length:
                if not self._window_at <= self._position < self._window_at + len(self._window):
                    self._fill(1)
                offset = self._position - self._window_at
                end = self._window.find(b"\n", offset, offset + left) + 1
                part = self._window[offset : end or offset + left]
                parts.append(part)
                self._position += len(part)
                self._next = self._position
                left -= len(part)
                if end:
                    break
            return parts[0] if len(parts) == 1 else b"".join(parts)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        with self._lock:
            self._check()
            base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._length}.get(whence)
            if base is None:
                raise ValueError(f"whence is 0, 1 or 2, not {whence}")
            if base + offset < 0:
                raise ValueError("a position is not negative")
            self._position = base + offset
            return self._position

    def tell(self) -> int:
        with self._lock:
            self._check()
            return self._position

    def readable(self) -> bool:
        self._check()
        return True

    def seekable(self) -> bool:
        self._check()
        return True

    @property
    def size(self) -> int:
        """Bytes of the plaintext."""
        return self._length

    def close(self) -> None:
        with self._lock:
            if not self.closed:
                self._window = b""
                self._source.close()
            super().close()

    def __del__(self) -> None:
        is_left = hasattr(self, "_lock") and not self.closed and self._source.is_held
        super().__del__()
        if is_left:
            _warn_of(self)

    def __repr__(self) -> str:
        return f"<sealstone.SealedReader name={self.name!r}>"


class SealedWriter(io.BufferedIOBase):
    """A sealed file that is encrypted as it is written. `sealstone.open` makes one.

    Closed, it is complete. With an exception in a `with` block, or `discard`, there is no file; a target that is an object keeps what it
    got by then, which nobody can open. One that nobody closes is discarded, with a `ResourceWarning`. In a fork of the process every
    use is a `ValueError`, since both would write under one key and the same nonces.
    """

    name: Any = None
    mode = "wb"

    def __init__(self, writer: _native.Writer) -> None:
        self._writer = writer
        self._position = 0
        self._pending = bytearray()
        self.processed: Processed | None = None
        """The lengths that were written, once the file is complete."""

    def write(self, data: Any, /) -> int:
        if self.closed:
            raise ValueError("the file is closed")
        length = data.nbytes if isinstance(data, memoryview) else len(memoryview(data).cast("B"))
        if length < io.DEFAULT_BUFFER_SIZE:
            self._pending += data
            if len(self._pending) >= 8 * io.DEFAULT_BUFFER_SIZE:
                self._drain()
        else:
            self._drain()
            self._writer.write(data)
        self._position += length
        return length

    def _drain(self) -> None:
        if self._pending:
            pending, self._pending = self._pending, bytearray()
            self._writer.write(pending)

    def flush(self) -> None:
        """Writes nothing: only the last chunk of a file may be short, so what is less than a chunk waits."""
        if self.closed:
            raise ValueError("the file is closed")

    @property
    def is_here(self) -> bool:
        """Whether this process began the file. A fork of it cannot write to the file, close it or discard it."""
        return self._writer.is_here

    def tell(self) -> int:
        return self._position

    def writable(self) -> bool:
        return True

    def close(self) -> None:
        if self.closed:
            return
        try:
            self._complete()
        finally:
            self._abandon()
            super().close()

    def discard(self) -> None:
        """Leaves no file."""
        if not self.closed:
            self._abandon()
            super().close()

    def _complete(self) -> None:
        self._drain()
        self.processed = Processed(*self._writer.finish())

    def _abandon(self) -> None:
        """Ends what is not complete."""
        self._pending = bytearray()
        self._writer.discard()

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def __del__(self) -> None:
        if hasattr(self, "_writer"):
            is_left = not self.closed and self._writer.is_here
            # Who forgets to close it did not say that it is complete.
            self.discard()
            if is_left:
                _warn_of(self, _LOST)

    def __repr__(self) -> str:
        return f"<sealstone.SealedWriter name={self.name!r}>"


class SealedText(io.TextIOWrapper):
    """Text of a sealed file; with an exception in a `with` block there is no file."""

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None and isinstance(self.buffer, SealedWriter):
            self.buffer.discard()
        else:
            self.close()

    def __del__(self) -> None:
        buffer = getattr(self, "buffer", None)
        if isinstance(buffer, SealedWriter) and not buffer.closed:
            buffer.discard()
            if buffer.is_here:
                _warn_of(buffer, _LOST)


def open(
    source: Any,
    mode: str = "rb",
    *,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    **options: Any,
) -> Any:
    """Opens a sealed file as Python's `open` opens any: to read with `rb` or `rt`, to write with `wb`, `xb`, `wt` or `xt`.

    >>> import sealstone, tempfile, os
    >>> identity = sealstone.generate_identity()
    >>> path = os.path.join(tempfile.mkdtemp(), "log.seal")
    >>> with sealstone.open(path, "wt", recipients=sealstone.recipient_of(identity)) as log:
    ...     _ = log.write("attack at dawn")
    >>> with sealstone.open(path, identities=identity) as log:
    ...     _ = log.seek(-4, os.SEEK_END)
    ...     log.read()
    b'dawn'

    `source` is a path, or an object: to read with `read` and `seek`, to write with `write`. Such an object stays open. The options are
    those of `decrypt`, or of `encrypt`.

    A reader decrypts what is read and no more. Every byte that it gives is authentic, at its place; its length is proved when it is
    opened. A file that is compressed is an `UnsupportedVersion`: `decrypt` and `decrypt_file` read it. A writer gives a file its name when it is closed: an exception in the `with` block leaves none. Nor does a writer that nobody
    closes, which is a `ResourceWarning`. `w` replaces a file, `x` is `OutputExists` where there is one.
    """
    kind, is_text = mode.replace("b", "").replace("t", ""), "t" in mode
    if kind not in ("r", "w", "x") or ("b" in mode and is_text) or len(mode) > 2:
        raise ValueError(f"mode is rb, rt, wb, wt, xb or xt, not {mode!r}")
    if not is_text and (encoding, errors, newline) != (None, None, None):
        raise ValueError("encoding, errors and newline are for text")
    is_path = isinstance(source, (str, bytes, os.PathLike))
    file: SealedReader | SealedWriter
    if kind == "r":
        decryptor = _options.decryptor(**options)
        place: Source = PathSource(source) if is_path else _ObjectSource(source)
        try:
            file = SealedReader(place, Opened.of(decryptor, place))
        except BaseException:
            place.close()
            raise
    else:
        encryptor = _options.encryptor(**options)
        if is_path:
            file = SealedWriter(_native.Writer.file(encryptor, os.fsencode(source), kind == "w"))
        else:
            file = SealedWriter(_native.Writer.into(encryptor, source))
        file.mode = kind + "b"
    file.name = os.fspath(source) if is_path else getattr(source, "name", None)
    if is_text:
        return SealedText(file, encoding or "utf-8", errors, newline)
    return file


def encrypt_stream(source: Any, target: Any, **options: Unpack[EncryptOptions]) -> Processed:
    """Encrypts what `source.read` gives into `target.write`, in constant memory. Neither is closed."""
    with SealedWriter(_native.Writer.into(_options.encryptor(**options), target)) as writer:
        while part := part_of(source):
            writer.write(part)
    assert writer.processed is not None
    return writer.processed


def decrypt_stream(source: Any, target: Any, **options: Unpack[DecryptOptions]) -> Processed:
    """Decrypts what `source.read` gives into `target.write`, in constant memory, with armour or without.

    The target gets authentic bytes alone, but only the end shows that they were all: when it raises, discard what was written. A file
    that is compressed is an `UnsupportedVersion`: `decrypt` and `decrypt_file` read it.
    """
    return decrypt_between(_options.decryptor(**options), source, target)


def decrypt_between(decryptor: _native.Decryptor, source: Any, target: Any) -> Processed:
    """As `decrypt_stream`, with options that were read."""
    opener = _native.StreamOpener(decryptor)
    plaintext = ciphertext = 0
    is_end = False
    while not is_end:
        part = part_of(source)
        is_end = not part
        ciphertext += len(part)
        opened, failure = opener.finish() if is_end else opener.update(part)
        plaintext += len(opened)
        write_all(target, opened)
        if failure is not None:
            raise failure
    return Processed(plaintext, ciphertext)


def part_of(source: Any) -> bytes:
    """Reads the next bytes of a source; none at its end. A source that has no bytes yet is refused: this would be taken for its end."""
    part: bytes | None = source.read(_TURN)
    if part is None:
        raise BlockingIOError("the source has nothing to read yet: make it wait")
    return part


def write_all(target: Any, data: bytes) -> None:
    """Writes all of it, also to a target that takes a part at a time."""
    view = memoryview(data)
    while view:
        taken = target.write(view)
        view = view[len(view) if taken is None else taken :]
