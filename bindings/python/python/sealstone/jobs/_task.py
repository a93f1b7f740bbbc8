"""What a worker does: one object after the other, each with a row that says what became of it."""

import errno
import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from fsspec import AbstractFileSystem
from fsspec.core import url_to_fs

from .. import _native, _options, errors, providers
from .._streams import SealedWriter, decrypt_between, part_of, write_all
from ._entry import Entry, Job, Row, State
from ._head import replace_head
from ._source import reading
from ._store import etag_of, is_local, is_of_job, publication

MAGIC_LEN = 8
_HEAD_LEN = 1 << 16
"""Bytes that are read of an object first; of most it is the whole head."""
_LOCAL_HEAD_LEN = 4096
"""The same of a local file, where a second read costs little."""
_AT_ONCE = 16
"""Objects of a task that are in flight: most of the time of a small one is spent waiting for its store."""
_LARGE = 64 << 20
"""From so many bytes on, an object has a task's threads for itself."""
_WHOLE = 16 << 20
"""Bytes up to which an object of a store is read in one request, and written in one."""
_TRIES = 3
_PASSING = {
    errno.EAGAIN,
    errno.EBUSY,
    errno.ECONNREFUSED,
    errno.ECONNRESET,
    errno.EIO,
    errno.ENETUNREACH,
    errno.EPIPE,
    errno.ESTALE,
    errno.ETIMEDOUT,
}


def run(job: Job, entries: Sequence[Entry], attempt: str = "") -> list[Row]:
    """Works on all objects of a task. It raises nothing of theirs: a failure is a row."""
    worker = _Worker(job, attempt or f"{os.getpid()}")
    large = [entry for entry in entries if entry.size >= _LARGE]
    small = [entry for entry in entries if entry.size < _LARGE]
    rows = {entry.input: worker.row(entry) for entry in large}
    if len(small) == 1:
        rows[small[0].input] = worker.row(small[0])
    elif small:
        with ThreadPoolExecutor(min(_AT_ONCE, len(small)), thread_name_prefix="sealstone") as pool:
            rows.update(zip((entry.input for entry in small), pool.map(worker.row, small), strict=True))
    return [rows[entry.input] for entry in entries]


class Skipped(Exception):
    """What there is nothing to do with."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def _already_sealed() -> Skipped:
    return Skipped("already_sealed", "it is a sealed file already")


def _not_sealed() -> Skipped:
    return Skipped("not_sealstone", "it is no sealed file")


class _FileSystems:
    """Finds the file systems of URLs. A local one is found once: to look for it takes longer than to open a file."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._local: AbstractFileSystem | None = None

    def __call__(self, url: str) -> tuple[AbstractFileSystem, str]:
        """The file system of a URL, and the path in it."""
        is_local = url.startswith("file://") and "::" not in url
        if is_local and self._local is not None:
            return self._local, self._local._strip_protocol(url)
        found: tuple[AbstractFileSystem, str] = url_to_fs(url, **self._options)
        if is_local:
            self._local = found[0]
        return found


class _Worker:
    """The keys and the file systems of a task."""

    def __init__(self, job: Job, attempt: str) -> None:
        self._job = job
        self._attempt = attempt
        self._source, self._target = _FileSystems(job.source), _FileSystems(job.target)
        self._folders: set[str] = set()
        self._work: Callable[[Entry], dict[str, str]] = getattr(self, f"_{job.operation}")
        options = {name: value for name, value in job.options.items() if value is not None}
        self._encryptor = self._decryptor = self._rewrapper = None
        if job.operation == "encrypt":
            self._encryptor = _options.encryptor(job.recipients, **options)
        elif job.operation in ("decrypt", "verify"):
            self._decryptor = _options.decryptor(providers.identities(job.identities), **options)
        elif job.operation == "rewrap":
            self._rewrapper = _options.rewrapper(providers.identities(job.identities), job.recipients, **options)

    def row(self, entry: Entry) -> Row:
        begun = time.monotonic()
        state: State = "done"
        said: dict[str, str] = {}
        try:
            for tries in range(1, _TRIES + 1):
                try:
                    said = self._work(entry)
                    break
                except OSError as error:
                    if tries == _TRIES or not _may_pass(error):
                        raise
                    time.sleep(0.2 * 4**tries)
        except Skipped as skipped:
            state, said = "skipped", {"code": skipped.code, "message": str(skipped)}
        except FileExistsError:
            adopted = self._adopted(entry)
            state = "failed" if "code" in adopted else "adopted"
            said = adopted
        except errors.Error as error:
            state, said = "failed", {"code": error.code, "message": str(error)}
        except Exception as error:
            # A library of the store's may raise anything; its text is what helps whoever reads the manifest.
            state, said = "failed", {"code": "io", "message": f"{type(error).__name__}: {error}"}
        return Row(
            entry.input,
            entry.size,
            entry.etag,
            entry.output,
            said.get("output_etag", ""),
            said.get("commitment", ""),
            state,
            said.get("code", ""),
            said.get("message", ""),
            self._attempt,
            round(time.monotonic() - begun, 6),
            said.get("detail", ""),
        )

    def _places(self, entry: Entry) -> tuple[str, str] | None:
        """The paths of an input and an output that are local: core has the fastest and the safest way from one to the other."""
        (source_fs, source_path), (target_fs, target_path) = self._source(entry.input), self._target(entry.output)
        if not (is_local(source_fs) and is_local(target_fs)):
            return None
        folder = os.path.dirname(target_path)
        if folder not in self._folders:
            os.makedirs(folder, exist_ok=True)
            self._folders.add(folder)
        return source_path, target_path

    def _encrypt(self, entry: Entry) -> dict[str, str]:
        assert self._encryptor is not None
        encryptor = self._encryptor
        if places := self._places(entry):
            source_path, target_path = places
            if entry.size >= MAGIC_LEN and _is_sealed(_head(*self._source(entry.input), MAGIC_LEN)):
                raise _already_sealed()
            encryptor.encrypt_file(os.fsencode(source_path), os.fsencode(target_path), False, False, None)
            fs, path = self._target(entry.output)
            head = _whole_head(fs, path, _head(fs, path, _LOCAL_HEAD_LEN))
            return {"output_etag": etag_of(fs.info(path)), "commitment": commitment_of(head)}
        if entry.size <= _WHOLE:
            data = self._whole(entry)
            if _is_sealed(data):
                raise _already_sealed()
            sealed = encryptor.encrypt(data, None)
            return {**self._put(entry, sealed), "commitment": commitment_of(sealed)}
        if _is_sealed(_head(*self._source(entry.input), MAGIC_LEN)):
            raise _already_sealed()
        taken = _Tee()

        def work(source: Any, target: Any) -> None:
            with SealedWriter(_native.Writer.into(encryptor, taken.into(target))) as writer:
                _copy(source, writer, entry)

        return {**self._publish(entry, work), "commitment": commitment_of(taken.head)}

    def _decrypt(self, entry: Entry) -> dict[str, str]:
        assert self._decryptor is not None
        decryptor = self._decryptor
        if places := self._places(entry):
            source_path, target_path = places
            head = self._sealed_head(entry)
            decryptor.decrypt_file(os.fsencode(source_path), os.fsencode(target_path), False, False, None)
            etag = etag_of(self._target(entry.output)[0].info(target_path))
            return {"output_etag": etag, "commitment": commitment_of(head)}
        if entry.size <= _WHOLE:
            sealed = self._whole(entry)
            if not _is_readable(sealed):
                raise _not_sealed()
            return {**self._put(entry, decryptor.decrypt(sealed, None)), "commitment": commitment_of(sealed)}
        head = self._sealed_head(entry)
        return {**self._publish(entry, partial(decrypt_between, decryptor)), "commitment": commitment_of(head)}

    def _verify(self, entry: Entry) -> dict[str, str]:
        assert self._decryptor is not None
        fs, path = self._source(entry.input)
        if is_local(fs):
            head = self._sealed_head(entry)
            self._decryptor.verify_file(os.fsencode(path), False, None)
        elif entry.size <= _WHOLE:
            head = self._whole(entry)
            if not _is_readable(head):
                raise _not_sealed()
            self._decryptor.decrypt(head, None)
        else:
            head = self._sealed_head(entry)
            with reading(fs, path) as source:
                decrypt_between(self._decryptor, source, _Nowhere())
        return {"commitment": commitment_of(head)}

    def _inspect(self, entry: Entry) -> dict[str, str]:
        fs, path = self._source(entry.input)
        head = _head(fs, path, _HEAD_LEN)
        if not head.startswith(MAGIC):
            raise Skipped("not_sealstone", "it is no sealed file without armour")
        head = _whole_head(fs, path, head)
        seen = _native.inspect_head(head, entry.size)
        detail = {
            "suite": seen.suite,
            "context_bound": seen.context_bound,
            "plaintext_len": seen.plaintext_len,
            "stanzas": [one.kind for one in seen.stanzas],
            "header_sha256": hashlib.sha256(head[: seen.header_len]).hexdigest(),
        }
        return {"commitment": commitment_of(head), "detail": json.dumps(detail)}

    def _rewrap(self, entry: Entry) -> dict[str, str]:
        assert self._rewrapper is not None
        fs, path = self._source(entry.input)
        head = _head(fs, path, _HEAD_LEN)
        if not head.startswith(MAGIC):
            raise Skipped("not_sealstone", "it is no sealed file without armour")
        head = _whole_head(fs, path, head)
        head_len = _native.read_head_len(head)
        if entry.output == entry.input:
            etag = replace_head(fs, path, self._rewrapper, head, entry.size, entry.etag, self._job)
            return {"output_etag": etag, "commitment": commitment_of(head)}
        moved = self._rewrapper.rewrap_head(head[:head_len])

        def work(source: Any, target: Any) -> None:
            write_all(target, moved)
            _copy(source, target, entry, head_len)

        return {**self._publish(entry, work), "commitment": commitment_of(head)}

    def _sealed_head(self, entry: Entry) -> bytes:
        """The first bytes of a sealed object."""
        head = _head(*self._source(entry.input), _HEAD_LEN)
        if not _is_readable(head):
            raise _not_sealed()
        return head

    def _whole(self, entry: Entry) -> bytes:
        """All of a short object, which must have the length that was planned."""
        fs, path = self._source(entry.input)
        # A byte more is asked for, so that one that has grown is seen. No range is one of an object without bytes.
        data: bytes = fs.cat_file(path, start=0, end=entry.size + 1) if entry.size else fs.cat_file(path)
        _check_length(entry, len(data))
        return data

    def _put(self, entry: Entry, data: bytes) -> dict[str, str]:
        """Publishes bytes as the output."""
        fs, path = self._target(entry.output)
        target = publication(fs, path, self._job.id)
        try:
            write_all(target, data)
            said = target.publish()
        except BaseException:
            target.abandon()
            raise
        return {"output_etag": etag_of(said or fs.info(path))}

    def _publish(self, entry: Entry, work: Callable[[Any, Any], object]) -> dict[str, str]:
        """Has `work` read the input and write the output, which appears if nothing is wrong."""
        target_fs, target_path = self._target(entry.output)
        if target_fs.exists(target_path):
            raise FileExistsError(f"{entry.output} already exists")
        target = publication(target_fs, target_path, self._job.id)
        try:
            with reading(*self._source(entry.input)) as source:
                work(source, target)
            said = target.publish()
        except BaseException:
            target.abandon()
            raise
        return {"output_etag": etag_of(said or target_fs.info(target_path))}

    def _adopted(self, entry: Entry) -> dict[str, str]:
        """What an output that exists is: that of an attempt of this job, whose report was lost, or somebody else's."""
        try:
            fs, path = self._target(entry.output)
            info = fs.info(path)
            if is_of_job(fs, path, self._job.id, self._job.begun):
                said = {"output_etag": etag_of(info)}
                if self._job.operation == "decrypt":
                    head = _head(*self._source(entry.input), _HEAD_LEN)
                    head = _whole_head(*self._source(entry.input), head)
                    length, expected = info["size"], _native.inspect_head(head, entry.size).plaintext_len
                else:
                    head = _whole_head(fs, path, _head(fs, path, _HEAD_LEN))
                    length, expected = _native.inspect_head(head, info["size"]).plaintext_len, entry.size
                if length == expected or self._job.operation == "rewrap":
                    return {**said, "commitment": commitment_of(head)}
        except (errors.Error, OSError) as error:
            return {"code": "output_exists", "message": f"{entry.output} already exists, and cannot be read: {error}"}
        return {"code": "output_exists", "message": f"{entry.output} already exists, and is not this job's"}


def _may_pass(error: OSError) -> bool:
    """Whether another try may mend it: stores say that they are busy with errors without a number, or as failed I/O."""
    is_final = isinstance(error, (FileExistsError, FileNotFoundError, PermissionError, errors.Error))
    return error.errno in _PASSING or (error.errno is None and not is_final)


MAGIC = b"\x89SEAL\r\n\x1a"
ARMOUR = b"-----BEGIN"


class _Tee:
    """Keeps the head of what passes."""

    def __init__(self) -> None:
        self.head = b""
        self._target: Any = None

    def into(self, target: Any) -> "_Tee":
        self._target = target
        return self

    def write(self, data: bytes, /) -> int:
        taken: int = self._target.write(data)
        if len(self.head) < _HEAD_LEN:
            self.head += bytes(data[: min(taken, _HEAD_LEN - len(self.head))])
        return taken


class _Nowhere:
    def write(self, data: Any, /) -> int:
        return len(data)


def _copy(source: Any, target: Any, entry: Entry, without: int = 0) -> None:
    """Copies all of an object but its first bytes, and checks that it has the length that was planned."""
    length = 0
    while part := part_of(source):
        write_all(target, part[max(without - length, 0) :])
        length += len(part)
    _check_length(entry, length)


def _check_length(entry: Entry, length: int) -> None:
    if length != entry.size:
        found = "more" if length > entry.size else f"{length}"
        raise errors.InputChanged(f"{entry.input} has {found} bytes, and had {entry.size} when it was listed")


def _is_sealed(head: bytes) -> bool:
    return head.startswith(MAGIC)


def _is_readable(head: bytes) -> bool:
    return head.startswith((MAGIC, ARMOUR))


def _head(fs: AbstractFileSystem, path: str, length: int) -> bytes:
    if is_local(fs):
        with open(path, "rb", buffering=0) as file:
            return file.read(length)
    head: bytes = fs.cat_file(path, start=0, end=length)
    return head


def _whole_head(fs: AbstractFileSystem, path: str, head: bytes) -> bytes:
    length = _native.read_head_len(head)
    return head if len(head) >= length else _head(fs, path, length)


def commitment_of(head: bytes) -> str:
    """What names the payload, of a file's head; nothing of what is none or is armoured."""
    try:
        length = _native.read_head_len(head)
    except errors.Error:
        return ""
    return head[length - 32 : length].hex() if len(head) >= length else ""
