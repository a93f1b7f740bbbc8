"""Sealed files in a bucket, on a disk or wherever fsspec reaches: pandas, pyarrow, DuckDB, polars and zarr read and write them.

>>> import os, tempfile
>>> import fsspec, sealstone
>>> identity = sealstone.generate_identity()
>>> os.environ["IDENTITY"] = sealstone.export_identity(identity)
>>> folder = tempfile.mkdtemp()
>>> options = {"identities": "env:IDENTITY", "recipients": str(sealstone.recipient_of(identity))}
>>> with fsspec.open(f"sealstone::file://{folder}/log.seal", "wt", **options) as log:
...     _ = log.write("attack at dawn")
>>> with fsspec.open(f"sealstone::file://{folder}/log.seal", **options) as log:
...     _ = log.seek(-4, os.SEEK_END)
...     log.read()
b'dawn'

The protocol is `sealstone`, before that of the place: `sealstone::s3://bucket/t.parquet.seal`. A cache below it keeps ciphertext on the
disk, `sealstone::filecache::s3://…`; one above it keeps plaintext. In pandas:

    pd.read_parquet("sealstone::s3://bucket/t.parquet.seal", storage_options={"sealstone": {"identities": "file:/etc/keys/id.txt"}})

fsspec remembers, pickles and logs options, so keys are named by their provider: see `sealstone.providers`.
"""

import io
import os
import sys
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fsspec import filesystem
from fsspec.callbacks import DEFAULT_CALLBACK
from fsspec.implementations.cached import CachingFileSystem
from fsspec.implementations.chained import ChainedFileSystem
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem
from fsspec.utils import isfilelike

from . import _native, _options, providers
from ._errors import named
from ._files import decrypt_file, encrypt_file
from ._names import Profile, Suite
from ._native import Identity
from ._options import Identities, Recipients
from ._streams import (
    CHUNK_LEN,
    Opened,
    PathSource,
    SealedReader,
    SealedText,
    SealedWriter,
    Source,
    head_to_open,
    read_head,
)
from ._upload import Upload
from .errors import Error, NotSeekable, OutputExists

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["SealedFileSystem"]

_START = 64 << 10
"""Bytes of a file that are read to open it: its head, and all of a small file."""
_HEAD = 4096
"""Bytes that are read of each of many files of which only the size is asked: most heads are shorter."""
_TAIL = 5 * (CHUNK_LEN + 16)
"""Bytes that are read of the end: they hold the last 64 KiB of plaintext, which readers of Parquet ask for first."""
_KNOWN = 64
"""Files of which start and end are remembered, which takes 9 MiB."""
_BATCH = 256
"""Heads that are read at a time."""
_ABREAST = 32
"""Requests at a time for what the target has no batch for."""


@dataclass
class _Known:
    """The facts that were read of a file. They hold while the target reports the same version of it."""

    version: str
    size: int
    pieces: list[tuple[int, bytes]]
    """Where they are in the file: its start, and of one that was opened its end."""
    opened: Opened | None = None

    @property
    def start(self) -> bytes:
        return self.pieces[0][1]


class _Opened(Opened):
    """An opened file whose errors say which of many it is."""

    def __init__(self, path: str, decryptor: _native.Decryptor, head: bytes, file_len: int) -> None:
        self._path = path
        super().__init__(decryptor, head, file_len)

    def chunks(self, sealed: bytes, first: int, end: int) -> bytes:
        try:
            return super().chunks(sealed, first, end)
        except Error as error:
            raise named(self._path, error) from None


class _TargetSource:
    """A sealed file on another file system, of which some pieces are at hand."""

    is_held = False

    def __init__(self, fs: Any, path: str, size: int, pieces: list[tuple[int, bytes]]) -> None:
        self._fs = fs
        self._path = path
        self._size = size
        self._pieces = pieces

    def size(self) -> int:
        return self._size

    def read_at(self, position: int, length: int) -> bytes:
        for at, piece in self._pieces:
            if at <= position and position + length <= at + len(piece):
                return piece[position - at : position - at + length]
        part: bytes = self._fs.cat_file(self._path, start=position, end=position + length)
        return part

    def close(self) -> None:
        self._pieces = []


class _Input(SealedReader):
    """A sealed file that is read through fsspec.

    DuckDB's threads seek and read one file, and hold no lock in between. Where a thread that is not Python's takes part, each reads where
    it has sought itself. Threads of Python's share the position as in any file.
    """

    def __init__(self, source: Source, opened: Opened, ahead: int) -> None:
        self._sought: dict[int, int] = {}
        self._is_foreign = False
        super().__init__(source, opened, ahead)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        with self._lock:
            found = self._sought[threading.get_ident()] = super().seek(offset, whence)
            self._is_foreign |= isinstance(threading.current_thread(), threading._DummyThread)
            return found

    def _begin(self) -> None:
        super()._begin()
        sought = self._sought.pop(threading.get_ident(), None)
        if sought is None or not self._is_foreign:
            # Who has not sought reads on where the last one was, and so do all after that.
            self._sought.clear()
        else:
            self._position = sought


class _Output(SealedWriter):
    """A sealed file that is written through fsspec."""

    def __init__(self, writer: _native.Writer, upload: Upload | None, autocommit: bool) -> None:
        self._upload = upload
        self._autocommit = autocommit
        self._exception = sys.exception()
        super().__init__(writer)

    def close(self) -> None:
        if self.closed:
            return
        # fsspec and pandas close their files in `with` blocks alike, whether an exception has ended the block or not.
        if sys.exception() not in (None, self._exception):
            self.discard()
        elif self._autocommit:
            super().close()
        else:
            self._drain()
            io.BufferedIOBase.close(self)

    def commit(self) -> None:
        """Publishes the file; a transaction of fsspec's calls it."""
        try:
            self._complete()
        finally:
            self.discard()

    def discard(self) -> None:
        """Leaves no file."""
        self._abandon()
        io.BufferedIOBase.close(self)

    def _complete(self) -> None:
        super()._complete()
        if self._upload is not None:
            self._upload.publish()

    def _abandon(self) -> None:
        super()._abandon()
        if self._upload is not None and self.is_here:
            self._upload.abandon()


class SealedFileSystem(ChainedFileSystem):
    """Sealed files on another file system of fsspec's, which sees ciphertext only; names and folders are as they are there.

    The target is `fs`, or what `target_protocol` and `target_options` make, as fsspec does for `sealstone::s3://…`; without either it is
    the local one. The options are those of `sealstone.encrypt` and `sealstone.decrypt`, but the text of a secret is refused, since fsspec
    remembers and logs it: `identities`, `passphrase` and `key` name a provider of `sealstone.providers`. An `Identity` works as well, and
    such a file system is neither pickled nor written as JSON.
    With `suffix`, such as ".seal", names have it on the target only: it is added when a file is opened, and what does not have it is not
    listed.

    Reading: `open` costs one question for the file's size and one request of at most 64 KiB, and for a longer file a second one for its
    end, at the same time where the target can. It authenticates the head and the last chunk, which proves the length; each byte that is
    read is authentic, at its place. `cat_file` with bounds and `cat_ranges` ask the target once for all the chunks that they need.

    Sizes: `info`, `size`, `sizes` and `du` say the plaintext's. They compute it from the head, for which they read it, and nothing of it
    is authenticated: only an open file's length is. `ls`, `find`, `walk` and `glob` would cost a request a file, so `size` is None there,
    unless they are called with `sizes=True`. `sealed_size` is always the size on the target.

    Writing: `wb` and `xb`. A file is published as a whole when it is closed: an exception before leaves nothing, and no unfinished
    upload. A file that is closed while an exception is handled is discarded, since `with fsspec.open(…)` and pandas close it so. One that
    nobody closes is discarded, too, with a `ResourceWarning`.
    """

    protocol = "sealstone"
    # An instance holds opened files, and fsspec tells instances apart by options as text, where identities look alike.
    cachable = False

    def __init__(
        self,
        target_protocol: str | None = None,
        target_options: dict[str, Any] | None = None,
        fs: Any = None,
        fo: Any = None,
        *,
        identities: Identities = (),
        recipients: Recipients = (),
        passphrase: str | None = None,
        key: str | None = None,
        suite: Suite | None = None,
        context: "str | Buffer | None" = None,
        profile: Profile | None = None,
        allow_mixed: bool = False,
        threads: int | None = None,
        suffix: str | None = None,
        asynchronous: bool = False,
        loop: Any = None,
    ) -> None:
        # The arguments that fsspec gives every file system: a chain's path, and how to wait, which the target decides.
        del fo, asynchronous, loop
        super().__init__()
        self.fs = filesystem(target_protocol or "file", **(target_options or {})) if fs is None else fs
        self._identities = _options.each(identities)
        for one in (*self._identities, passphrase, key):
            if not (one is None or isinstance(one, Identity)):
                providers.check(one)
        self._passphrase = passphrase
        self._key = key
        self._recipients = recipients
        self._suite = suite
        self._context = context.encode() if isinstance(context, str) else context
        self._profile = profile
        self._allow_mixed = allow_mixed
        self._threads = threads
        self._suffix = suffix or ""
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._lock = threading.Lock()

        kind: Any = type(self)

        def strip(path: Any) -> Any:
            if isinstance(path, list):
                return [strip(one) for one in path]
            return self.fs._strip_protocol(kind._strip_protocol(path))

        # fsspec strips by a method of the class, which does not know the target.
        self._strip_protocol = strip
        self._parent = self.fs._parent

    # Keys

    def _shared_secrets(self) -> list[Identity]:
        found = [] if self._passphrase is None else [providers.passphrase(self._passphrase)]
        return found if self._key is None else [*found, providers.key(self._key)]

    def _decrypt_options(self) -> _options.DecryptOptions:
        found = self._shared_secrets()
        for one in self._identities:
            found += providers.identities(one) if isinstance(one, str) else [one]
        return {"identities": found, "context": self._context, "profile": self._profile, "threads": self._threads}

    def _encrypt_options(self) -> _options.EncryptOptions:
        recipients = _options.recipients_of(self._recipients)
        recipients += [_native.recipient_of(one) for one in self._shared_secrets()]
        return {
            "recipients": recipients,
            "suite": self._suite,
            "context": self._context,
            "allow_mixed": self._allow_mixed,
            "profile": self._profile,
            "threads": self._threads,
        }

    # Names

    def _local(self, path: Any) -> str | None:
        """The local file of this name, if the target is the local file system or a folder of it."""
        fs, file = self.fs, self._file(path)
        while isinstance(fs, DirFileSystem):
            fs, file = fs.fs, fs._join(file)
        return file if isinstance(fs, LocalFileSystem) else None

    def _file(self, path: Any) -> str:
        """Where the target has the file of this name."""
        return f"{self._strip_protocol(path)}{self._suffix}"

    def _at(self, path: Any) -> str:
        """Where the target has the file or the folder of this name."""
        file = self._file(path)
        if self._suffix and not self.fs.isfile(file):
            return file.removesuffix(self._suffix)
        return file

    def _listed(self, infos: Iterable[dict[str, Any]], sizes: bool) -> list[dict[str, Any]]:
        """The target's entries, as this file system lists them."""
        found = [one for one in infos if one["type"] == "directory" or one["name"].endswith(self._suffix)]
        files = [one for one in found if one["type"] != "directory"]
        lengths = iter(self._lengths(files, _HEAD) if sizes else [None] * len(files))
        return [one if one["type"] == "directory" else self._shown(one, next(lengths)) for one in found]

    def _shown(self, info: dict[str, Any], size: int | None) -> dict[str, Any]:
        return {**info, "name": info["name"].removesuffix(self._suffix), "size": size, "sealed_size": info["size"]}

    # Facts of a file

    def _fetched(self, ranges: list[tuple[str, int | None, int | None]]) -> list[bytes | Exception]:
        """Ranges of files, in one batch of the target's."""
        if not ranges:
            return []
        paths, starts, ends = (list(column) for column in zip(*ranges, strict=True))
        found: list[bytes | Exception] = self.fs.cat_ranges(paths, starts, ends, on_error="return")
        return found

    def _recalled(self, info: dict[str, Any]) -> _Known | None:
        with self._lock:
            known = self._known.get(info["name"])
            if known is None or known.version != repr(info):
                return None
            self._known.move_to_end(info["name"])
            return known

    def _remembered(self, info: dict[str, Any], start: bytes) -> _Known:
        known = _Known(repr(info), info["size"], [(0, start)])
        with self._lock:
            self._known[info["name"]] = known
            self._known.move_to_end(info["name"])
            if len(self._known) > _KNOWN:
                self._known.popitem(last=False)
        return known

    def _starts(self, infos: list[dict[str, Any]], length: int) -> list[_Known | Exception]:
        """The starts of files, of which those that are not known are read in one batch."""
        found: list[_Known | Exception | None] = [self._recalled(one) for one in infos]
        missing = [index for index, one in enumerate(found) if one is None]
        parts = self._fetched([(infos[index]["name"], 0, min(infos[index]["size"], length)) for index in missing])
        for index, part in zip(missing, parts, strict=True):
            found[index] = part if isinstance(part, Exception) else self._remembered(infos[index], part)
        return [one for one in found if one is not None]

    def _reads(self, path: str) -> Callable[[int, int], bytes]:
        return lambda at, length: self.fs.cat_file(path, start=at, end=at + length)

    def _opened(self, known: _Known, path: str) -> Opened:
        if known.opened is None:
            decryptor = _options.decryptor(**self._decrypt_options())
            try:
                known.opened = _Opened(path, decryptor, head_to_open(self._reads(path), known.start), known.size)
            except Error as error:
                raise named(path, error) from None
        return known.opened

    def _lengths(self, infos: list[dict[str, Any]], length: int) -> list[int | None]:
        """The plaintexts' lengths, as the heads have them."""
        lengths: list[int | None] = []
        for at in range(0, len(infos), _BATCH):
            some = infos[at : at + _BATCH]
            for info, known in zip(some, self._starts(some, length), strict=True):
                if isinstance(known, Exception):
                    raise known
                try:
                    head = read_head(self._reads(info["name"]), known.start)
                    seen = _native.inspect_head(head, known.size)
                    # How long the content of a compressed file is does not show.
                    lengths.append(None if seen.compressed else seen.plaintext_len)
                except Error:
                    # It is no sealed file, or one with armour: whoever opens it is told.
                    lengths.append(None)
        return lengths

    def _infos(self, paths: list[str]) -> list[dict[str, Any] | Exception]:
        """The target's facts of files, or the exception of each."""

        def info(path: str) -> dict[str, Any] | Exception:
            try:
                found: dict[str, Any] = self.fs.info(path)
                if found["type"] == "directory":
                    return IsADirectoryError(path)
                if found["size"] is None:
                    return NotSeekable(None, "the target does not know how long the file is")
                return found
            except Exception as error:
                return error

        if len(paths) > 1 and self.fs.async_impl:
            with ThreadPoolExecutor(min(len(paths), _ABREAST)) as threads:
                return list(threads.map(info, paths))
        return [info(path) for path in paths]

    # Reading

    def cat_file(self, path: Any, start: int | None = None, end: int | None = None, **kwargs: Any) -> bytes:
        """The bytes of the plaintext from `start` up to `end`, as a slice has them; without bounds all, authenticated as a whole."""
        [found] = self.cat_ranges([path], [start], [end], on_error="raise", **kwargs)
        assert isinstance(found, bytes)
        return found

    def cat(self, path: Any, recursive: bool = False, on_error: str = "raise", **kwargs: Any) -> Any:
        """The contents of a file, or by name those of several, which are asked for in one batch."""
        paths = self.expand_path(path, recursive=recursive)
        if len(paths) == 1 and not isinstance(path, list) and paths[0] == self._strip_protocol(path):
            return self.cat_file(paths[0], **kwargs)
        # Of a tree, the folders are among the names as well.
        folders = {one[:at] for one in paths for at, letter in enumerate(one) if letter == "/"}
        paths = [one for one in paths if one not in folders]
        found = self.cat_ranges(paths, None, None, on_error="raise" if on_error == "raise" else "return", **kwargs)
        pairs = zip(paths, found, strict=True)
        return {name: one for name, one in pairs if not (on_error == "omit" and isinstance(one, Exception))}

    def cat_ranges(
        self, paths: list[Any], starts: Any, ends: Any, max_gap: None = None, on_error: str = "return", **kwargs: Any
    ) -> list[bytes | Exception]:
        """Ranges of plaintexts; the chunks that hold them are asked for in one batch, each of them once."""
        if max_gap is not None or kwargs:
            raise NotImplementedError(f"cat_ranges has no option {', '.join(kwargs) or 'max_gap'}")
        if not isinstance(paths, list):
            raise TypeError("paths is a list")
        starts, ends = ([one] * len(paths) if one is None or isinstance(one, int) else one for one in (starts, ends))
        asked = [(self._file(path), start, end) for path, start, end in zip(paths, starts, ends, strict=True)]
        found = self._read(asked)
        if on_error == "raise":
            for one in found:
                if isinstance(one, Exception):
                    raise one
        return found

    def _read(self, asked: list[tuple[str, int | None, int | None]]) -> list[bytes | Exception]:
        whole = list(dict.fromkeys(path for path, start, end in asked if start is end is None))
        others = list(dict.fromkeys(path for path, start, end in asked if not start is end is None))
        known: dict[str, Any] = dict(zip(others, self._openings(others), strict=True))
        wanted: dict[str, list[tuple[int, int]]] = {}
        for path, start, end in asked:
            opened = known.get(path)
            if isinstance(opened, Opened):
                wanted.setdefault(path, []).extend(_chunks_of(opened, start, end))
        spans = [(path, *span) for path, some in wanted.items() for span in _merged(some)]
        ranges: list[tuple[str, int | None, int | None]] = [(path, None, None) for path in whole]
        ranges += [(path, *known[path].place(first, last)) for path, first, last in spans]
        parts = self._fetched(ranges)
        texts: dict[str, bytes | Exception] = {}
        if whole:
            decryptor = _options.decryptor(**self._decrypt_options())
            for path, part in zip(whole, parts, strict=False):
                text = _or_error(decryptor.decrypt, part, None)
                texts[path] = named(path, text) if isinstance(text, Error) else text
        pieces: dict[str, list[tuple[int, int, bytes | Exception]]] = {}
        for (path, first, last), part in zip(spans, parts[len(whole) :], strict=True):
            text = _or_error(known[path].chunks, part, first, last)
            pieces.setdefault(path, []).append((first, last, text))

        def result(path: str, start: int | None, end: int | None) -> bytes | Exception:
            if start is end is None:
                return texts[path]
            opened = known[path]
            if isinstance(opened, Exception):
                return opened
            begin, stop, _ = slice(start, end).indices(opened.length)
            found = b""
            for first, last in _chunks_of(opened, start, end):
                at, _, piece = next(one for one in pieces[path] if one[0] <= first and last <= one[1])
                if isinstance(piece, Exception):
                    return piece
                if begin // CHUNK_LEN == first and begin < stop:
                    found = piece[begin - at * CHUNK_LEN : stop - at * CHUNK_LEN]
            return found

        return [result(*one) for one in asked]

    def _openings(self, paths: list[str]) -> list[Opened | Exception]:
        """Files whose heads are read, in one batch."""
        found: list[Any] = self._infos(paths)
        infos = [one for one in found if not isinstance(one, Exception)]
        starts = iter(self._starts(infos, _START))
        found = [one if isinstance(one, Exception) else next(starts) for one in found]
        return [_or_error(self._opened, one, path) for path, one in zip(paths, found, strict=True)]

    def _reader(self, path: str, local: str | None, block_size: int | None) -> _Input:
        [info] = self._infos([path])
        if isinstance(info, Exception):
            raise info
        known = self._recalled(info)
        source: Source
        if local is not None:
            source = PathSource(local)
            known = known or self._remembered(info, source.read_at(0, _START))
        else:
            known = self._at_hand(info, known)
            source = _TargetSource(self.fs, path, info["size"], known.pieces)
        try:
            ahead = max((block_size or self.blocksize) // CHUNK_LEN, 1)
            reader = _Input(source, self._opened(known, path), ahead)
        except BaseException:
            source.close()
            raise
        reader.name = path
        return reader

    def _at_hand(self, info: dict[str, Any], known: _Known | None) -> _Known:
        """A file of the target's whose start and end are read, in one batch."""
        size = info["size"]
        pieces = [] if known is None else known.pieces
        is_short = size <= _START + _TAIL
        if is_short:
            # All that is missing of it is one request.
            ranges = [(sum(len(piece) for _, piece in pieces), size)]
        else:
            ranges = [(0, _START), (size - _TAIL, size)][len(pieces) :]
        ranges = [(start, end) for start, end in ranges if start < end]
        for (start, _), part in zip(ranges, self._fetched([(info["name"], *one) for one in ranges]), strict=True):
            if isinstance(part, Exception):
                raise part
            pieces = [*pieces, (start, part)]
        if is_short:
            pieces = [(0, b"".join(piece for _, piece in pieces))]
        known = known or self._remembered(info, pieces[0][1])
        known.pieces = pieces
        return known

    def _open(
        self,
        path: str,
        mode: str = "rb",
        block_size: int | None = None,
        autocommit: bool = True,
        cache_options: Any = None,
        cache_type: str | None = None,
        **kwargs: Any,
    ) -> _Input | _Output:
        # A reader caches chunks: what fsspec has for that is not used.
        del cache_options, cache_type
        file, local = self._file(path), self._local(path)
        if mode == "rb":
            if kwargs:
                raise TypeError(f"a sealed file is not opened with {', '.join(kwargs)}")
            return self._reader(file, local, block_size)
        if mode not in ("wb", "xb"):
            raise io.UnsupportedOperation(f"a sealed file is read, or written as a whole: rb, wb or xb, not {mode!r}")
        if mode == "xb" and isinstance(self.fs, CachingFileSystem):
            raise io.UnsupportedOperation("fsspec's caches replace what there is: xb is for the target without a cache")
        encryptor = _options.encryptor(**self._encrypt_options())
        upload = None
        if local is not None:
            self._make_parent(local)
            writer = _native.Writer.file(encryptor, os.fsencode(local), mode == "wb")
        else:
            if mode == "xb" and self.fs.exists(file):
                # Whoever writes is told before the work. What comes meanwhile, the target refuses when the file is published.
                raise OutputExists(f"{file} already exists")
            upload = Upload(self.fs, file, mode, {"block_size": block_size, **kwargs})
            writer = _native.Writer.into(encryptor, upload)
        output = _Output(writer, upload, autocommit)
        output.name = file
        output.mode = mode
        return output

    def _make_parent(self, local: str) -> None:
        fs = self.fs
        while isinstance(fs, DirFileSystem):
            fs = fs.fs
        if fs.auto_mkdir:
            os.makedirs(os.path.dirname(local), exist_ok=True)

    def open(self, path: Any, mode: str = "rb", *args: Any, **kwargs: Any) -> Any:
        """Opens a file to read or to write it as a whole: modes `r`, `w` and `x`, in bytes or text."""
        if "b" in mode:
            return super().open(path, mode, *args, **kwargs)
        of_text = {name: kwargs.pop(name) for name in ("encoding", "errors", "newline") if name in kwargs}
        return SealedText(super().open(path, mode.replace("t", "") + "b", *args, **kwargs), **of_text)

    def get_file(
        self, rpath: Any, lpath: Any, callback: Any = DEFAULT_CALLBACK, outfile: Any = None, **kwargs: Any
    ) -> None:
        """Decrypts a file into a local one, which appears when all of it is authentic."""
        if outfile is not None or isfilelike(lpath):
            super().get_file(rpath, lpath, callback=callback, outfile=outfile, **kwargs)
        elif self.isdir(rpath):
            os.makedirs(lpath, exist_ok=True)
        else:
            folder = os.path.dirname(os.path.abspath(lpath))
            os.makedirs(folder, exist_ok=True)
            local = self._local(rpath)
            if local is not None:
                decrypt_file(local, lpath, replace=True, **self._decrypt_options())
                return
            sealed, name = tempfile.mkstemp(prefix=".", suffix=".seal", dir=folder)
            os.close(sealed)
            try:
                self.fs.get_file(self._file(rpath), name, callback=callback, **kwargs)
                decrypt_file(name, lpath, replace=True, **self._decrypt_options())
            finally:
                os.unlink(name)

    # Writing

    def pipe_file(self, path: Any, value: "Buffer", mode: str = "overwrite", **kwargs: Any) -> None:
        """Encrypts bytes into a file; with the mode `create` there must be none."""
        with self.open(path, "xb" if mode == "create" else "wb", **kwargs) as file:
            file.write(value)

    def put_file(
        self, lpath: Any, rpath: Any, callback: Any = DEFAULT_CALLBACK, mode: str = "overwrite", **kwargs: Any
    ) -> None:
        """Encrypts a local file into one on the target; with the mode `create` there must be none."""
        if os.path.isdir(lpath):
            self.makedirs(rpath, exist_ok=True)
            return
        if not self.fs.async_impl:
            # An object store has no folders to make.
            self.makedirs(self._parent(self._strip_protocol(rpath)), exist_ok=True)
        local = self._local(rpath)
        if local is not None and not self._intrans:
            encrypt_file(lpath, local, replace=mode != "create", **self._encrypt_options())
            return
        with open(lpath, "rb") as source, self.open(rpath, "xb" if mode == "create" else "wb", **kwargs) as file:
            callback.set_size(os.fstat(source.fileno()).st_size)
            while part := source.read(self.blocksize):
                file.write(part)
                callback.relative_update(len(part))

    # Files and folders

    def info(self, path: Any, **kwargs: Any) -> dict[str, Any]:
        """Returns the facts of this name: for a file also the plaintext's `size`, which is not authenticated, and its `sealed_size`."""
        info: dict[str, Any] = self.fs.info(self._at(path), **kwargs)
        if info["type"] == "directory":
            return info
        # A file of the target's own name has another one here, or none.
        if info["name"] != self._file(path):
            raise FileNotFoundError(path)
        [length] = self._lengths([info], _START)
        return self._shown(info, length)

    def sizes(self, paths: list[Any]) -> list[int | None]:
        """The sizes of plaintexts, which are not authenticated; the heads of the files are read in batches."""
        infos = []
        for one in self._infos([self._file(path) for path in paths]):
            if isinstance(one, Exception):
                raise one
            infos.append(one)
        return self._lengths(infos, _HEAD)

    def ls(self, path: Any, detail: bool = True, sizes: bool = False, **kwargs: Any) -> list[Any]:
        """Lists a folder. `size` is None unless `sizes` asks for it, which costs a request a file."""
        found = self._listed(self.fs.ls(self._at(path), detail=True, **kwargs), sizes and detail)
        return found if detail else [one["name"] for one in found]

    def find(
        self,
        path: Any,
        maxdepth: int | None = None,
        withdirs: bool = False,
        detail: bool = False,
        sizes: bool = False,
        **kwargs: Any,
    ) -> Any:
        """All files below a folder; `size` is None unless `sizes` asks for it, which costs a request a file."""
        found = self.fs.find(self._at(path), maxdepth=maxdepth, withdirs=withdirs, detail=True, **kwargs)
        # Of a file that is asked for by its name fsspec says nothing.
        infos = [info or self.fs.info(name) for name, info in found.items()]
        listed = {one["name"]: one for one in self._listed(infos, sizes and detail)}
        return dict(sorted(listed.items())) if detail else sorted(listed)

    def du(
        self, path: Any, total: bool = True, maxdepth: int | None = None, withdirs: bool = False, **kwargs: Any
    ) -> Any:
        """The plaintexts' sizes below a folder, or their sum; what is no sealed file counts nothing."""
        found = self.find(path, maxdepth=maxdepth, withdirs=withdirs, detail=True, sizes=True, **kwargs)
        sizes = {name: one["size"] or 0 for name, one in found.items()}
        return sum(sizes.values()) if total else sizes

    def exists(self, path: Any, **kwargs: Any) -> bool:
        """Whether there is a file or a folder of this name."""
        return bool(self.fs.exists(self._file(path), **kwargs) or (self._suffix and self.isdir(path)))

    def isfile(self, path: Any) -> bool:
        """Whether there is a file of this name."""
        return bool(self.fs.isfile(self._file(path)))

    def isdir(self, path: Any) -> bool:
        """Whether there is a folder of this name."""
        return bool(self.fs.isdir(self._strip_protocol(path)))

    def modified(self, path: Any) -> Any:
        """When the file was changed, as the target says."""
        return self.fs.modified(self._at(path))

    def created(self, path: Any) -> Any:
        """When the file was made, as the target says."""
        return self.fs.created(self._at(path))

    def checksum(self, path: Any) -> Any:
        """Returns the target's mark of the version of the sealed file."""
        return self.fs.checksum(self._at(path))

    def ukey(self, path: Any) -> Any:
        """Returns the target's mark of the version of the sealed file."""
        return self.fs.ukey(self._at(path))

    def invalidate_cache(self, path: Any = None) -> None:
        """Forgets what was listed and read."""
        super().invalidate_cache(path)
        with self._lock:
            self._known.clear()
        self.fs.invalidate_cache(path)

    # Files and folders as they are on the target

    def cp_file(self, path1: Any, path2: Any, **kwargs: Any) -> None:
        """Copies a sealed file as it is, for the same recipients."""
        if self.isdir(path1):
            self.makedirs(path2, exist_ok=True)
        else:
            self.fs.cp_file(self._file(path1), self._file(path2), **kwargs)

    def mv(self, path1: Any, path2: Any, recursive: bool = False, maxdepth: int | None = None, **kwargs: Any) -> None:
        """Moves a sealed file as it is, or a folder."""
        source = self._at(path1)
        is_file = self._suffix and source.endswith(self._suffix)
        target = self._file(path2) if is_file else self._strip_protocol(path2)
        self.fs.mv(source, target, recursive=recursive, maxdepth=maxdepth, **kwargs)

    def rm_file(self, path: Any) -> None:
        """Removes a file."""
        self.fs.rm_file(self._file(path))

    def rm(self, path: Any, recursive: bool = False, maxdepth: int | None = None) -> None:
        """Removes files, and with `recursive` folders with all that the target has in them."""
        options = {} if maxdepth is None else {"maxdepth": maxdepth}
        for one in self.expand_path(path):
            self.fs.rm(self._at(one), recursive=recursive, **options)

    def mkdir(self, path: Any, create_parents: bool = True, **kwargs: Any) -> None:
        """Makes a folder."""
        self.fs.mkdir(self._strip_protocol(path), create_parents=create_parents, **kwargs)

    def makedirs(self, path: Any, exist_ok: bool = False) -> None:
        """Makes a folder and those above it."""
        self.fs.makedirs(self._strip_protocol(path), exist_ok=exist_ok)

    def rmdir(self, path: Any) -> None:
        """Removes an empty folder."""
        self.fs.rmdir(self._strip_protocol(path))


def _chunks_of(opened: Opened, start: int | None, end: int | None) -> list[tuple[int, int]]:
    """The chunks that a range needs: those that hold it, and the last where a bound is counted from the end or is behind it."""
    begin, stop, _ = slice(start, end).indices(opened.length)
    needed = [(begin // CHUNK_LEN, (stop - 1) // CHUNK_LEN + 1)] if begin < stop else []
    if end is None or end != stop or (start is not None and start != begin):
        needed.append((opened.last, opened.last + 1))
    return needed


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of which those that touch are one."""
    merged: list[tuple[int, int]] = []
    for first, end in sorted(spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((first, end))
    return merged


def _or_error(work: Any, part: Any, *others: Any) -> Any:
    """The work's result, or the exception that it raised or was given."""
    if isinstance(part, Exception):
        return part
    try:
        return work(part, *others)
    except Exception as error:
        return error
