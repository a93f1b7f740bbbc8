"""What a worker does: one object after the other, each with a row that says what became of it."""

import contextlib
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
from ._source import check_length, check_unchanged, head_of, reading, whole, whole_head
from ._store import OBJECT_STORES, Publication, etag_of, is_local, is_of_job, publication

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
    errno.EREMOTEIO,
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


class _Undone(Exception):
    """What is not done, for a reason that no error of the package has."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Skipped(_Undone):
    """What there is nothing to do with."""


class Refused(_Undone):
    """What must not be done, and so has failed."""


def _already_sealed() -> Skipped:
    return Skipped("already_sealed", "it is a sealed file already")


class _FileSystems:
    """Finds the file systems of URLs: one for all that begin as the job's do, since names of objects may look like URLs of others."""

    def __init__(self, root: str, options: dict[str, Any]) -> None:
        self._options = options
        self._kind = root.partition("://")[0]
        self._fs: AbstractFileSystem | None = None
        if root and "::" not in root:
            self._fs = url_to_fs(root, **options)[0]

    def __call__(self, url: str) -> tuple[AbstractFileSystem, str]:
        """The file system of a URL, and the path in it."""
        if self._fs is not None and url.partition("://")[0] == self._kind:
            return self._fs, self._fs._strip_protocol(url)
        found: tuple[AbstractFileSystem, str] = url_to_fs(url, **self._options)
        return found


class _Worker:
    """The keys and the file systems of a task."""

    def __init__(self, job: Job, attempt: str) -> None:
        self._job = job
        self._attempt = attempt
        self._source, self._target = _FileSystems(job.input, job.source), _FileSystems(job.output, job.target)
        self._folders: set[str] = set()
        self._work: Callable[[Entry], dict[str, str]] = getattr(self, f"_{job.operation}")
        options = {name: value for name, value in job.options.items() if value is not None}
        self._encryptor = self._decryptor = self._rewrapper = None
        if job.operation == "encrypt":
            self._encryptor = _options.encryptor(job.recipients, **options)
        elif job.operation in ("decrypt", "verify"):
            self._decryptor = _options.decryptor(_identities(job), **options)
        elif job.operation == "rewrap":
            self._rewrapper = _options.rewrapper(_identities(job), job.recipients, **options)

    def row(self, entry: Entry) -> Row:
        begun = time.monotonic()
        state: State = "done"
        said: dict[str, str] = {}
        try:
            self._check_name(entry)
            for tries in range(1, _TRIES + 1):
                try:
                    try:
                        self._check_existing(entry)
                        said = self._work(entry)
                    except FileExistsError:
                        said = self._adopted(entry)
                        state = "failed" if "code" in said else "adopted"
                    break
                except Exception as error:
                    if tries == _TRIES or not _may_pass(error):
                        raise
                    time.sleep(0.2 * 4**tries)
        except Skipped as skipped:
            state, said = "skipped", {"code": skipped.code, "message": str(skipped)}
        except (Refused, errors.Error) as error:
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

    def _check_name(self, entry: Entry) -> None:
        """Refuses names by which an object of the source would be another one, or come to lie outside of the target."""
        if "?versionId=" in entry.input and entry.input.startswith(("s3://", "s3a://")):
            raise Refused("unsafe_name", f"s3fs takes the name {entry.input} for a version of another object")
        if entry.output and self._job.output:
            root = self._job.output.rstrip("/") + "/"
            parts = entry.output.removeprefix(root).split("/")
            is_flat = root.partition("://")[0] in OBJECT_STORES
            if (
                not entry.output.startswith(root)
                or any(part in (".", "..") or (not part and not is_flat) for part in parts)
                or "\0" in entry.output
            ):
                raise Refused(
                    "unsafe_name", f"{entry.output} is not below the target, or has no place of its own there"
                )

    def _check_existing(self, entry: Entry) -> None:
        if self._job.skip_existing and entry.output:
            fs, path = self._target(entry.output)
            if fs.isfile(path):
                raise Skipped("output_exists", "its output is there already")

    def _not_sealed(self, entry: Entry) -> Exception:
        """What an object is that is no sealed file: damaged if its name says that it was one, or the job is to find what is damaged."""
        if self._job.operation == "verify" or (self._job.suffix and entry.input.endswith(self._job.suffix)):
            return errors.NotSealstone(f"{entry.input} is no sealed file: it is damaged, or was replaced")
        return Skipped("not_sealstone", "it is no sealed file")

    def _places(self, entry: Entry) -> tuple[str, str] | None:
        """The paths of an input and an output that are local: core has the fastest and the safest way from one to the other."""
        (source_fs, source_path), (target_fs, target_path) = self._source(entry.input), self._target(entry.output)
        if not (is_local(source_fs) and is_local(target_fs)):
            return None
        check_unchanged(entry, source_fs.info(source_path))
        folder = os.path.dirname(target_path)
        if folder not in self._folders:
            os.makedirs(folder, exist_ok=True)
            self._folders.add(folder)
        return source_path, target_path

    def _encrypt(self, entry: Entry) -> dict[str, str]:
        assert self._encryptor is not None
        encryptor = self._encryptor
        fs, path = self._source(entry.input)
        if (is_local(fs) or entry.size > _WHOLE) and _is_sealed(fs, path, head_of(fs, path, MAGIC_LEN), entry):
            raise _already_sealed()
        if places := self._places(entry):
            source_path, target_path = places
            encryptor.encrypt_file(os.fsencode(source_path), os.fsencode(target_path), False, False, None)
            fs, path = self._target(entry.output)
            head = whole_head(fs, path, head_of(fs, path, _LOCAL_HEAD_LEN))
            return {"output_etag": etag_of(fs.info(path)), "commitment": commitment_of(head)}
        if entry.size <= _WHOLE:
            data = whole(fs, path, entry)
            if _is_sealed(fs, path, data[:_HEAD_LEN], entry):
                raise _already_sealed()
            sealed = encryptor.encrypt(data, None)
            return {
                **self._publish(entry, lambda target: write_all(target, sealed)),
                "commitment": commitment_of(sealed),
            }
        taken = _Tee()

        def work(source: Any, target: Any) -> None:
            with SealedWriter(_native.Writer.into(encryptor, taken.into(target))) as writer:
                _copy(source, writer, entry)

        return {**self._transform(entry, work), "commitment": commitment_of(taken.head)}

    def _decrypt(self, entry: Entry) -> dict[str, str]:
        assert self._decryptor is not None
        decryptor = self._decryptor
        fs, path = self._source(entry.input)
        head, is_whole = self._sealed(fs, path, entry)
        if places := self._places(entry):
            source_path, target_path = places
            decryptor.decrypt_file(os.fsencode(source_path), os.fsencode(target_path), False, False, None)
            said = {"output_etag": etag_of(self._target(entry.output)[0].info(target_path))}
        elif is_whole:
            data = decryptor.decrypt(head, None)
            said = self._publish(entry, lambda target: write_all(target, data))
        else:
            said = self._transform(entry, partial(decrypt_between, decryptor))
        return {**said, "commitment": commitment_of(head)}

    def _verify(self, entry: Entry) -> dict[str, str]:
        assert self._decryptor is not None
        fs, path = self._source(entry.input)
        head, is_whole = self._sealed(fs, path, entry)
        if is_whole:
            self._decryptor.decrypt(head, None)
        elif is_local(fs):
            check_unchanged(entry, fs.info(path))
            self._decryptor.verify_file(os.fsencode(path), False, None)
        else:
            with reading(fs, path, entry) as source:
                decrypt_between(self._decryptor, source, _Nowhere())
        return {"commitment": commitment_of(head)}

    def _inspect(self, entry: Entry) -> dict[str, str]:
        fs, path = self._source(entry.input)
        head = self._whole_head(fs, path, entry)
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
        head = self._whole_head(fs, path, entry)
        head_len = _native.read_head_len(head)
        if entry.output == entry.input:
            try:
                etag = replace_head(fs, path, self._rewrapper, head, entry.size, entry.etag, self._job)
            except (errors.Error, FileExistsError):
                raise
            except Exception as error:
                # The store may have replaced it, and its answer is lost.
                if not is_local(fs) and is_of_job(fs, path, self._job.id, self._job.begun):
                    raise FileExistsError(f"{entry.output} has its new head already") from error
                check_unchanged(entry, fs.info(path))
                raise
            return {"output_etag": etag, "commitment": commitment_of(head)}
        moved = self._rewrapper.rewrap_head(head[:head_len])

        def work(source: Any, target: Any) -> None:
            write_all(target, moved)
            _copy(source, target, entry, head_len)

        return {**self._transform(entry, work), "commitment": commitment_of(head)}

    def _whole_head(self, fs: AbstractFileSystem, path: str, entry: Entry) -> bytes:
        """The head of a sealed object without armour, and what was read behind it."""
        head = head_of(fs, path, _HEAD_LEN)
        if not head.startswith(MAGIC):
            raise self._not_sealed(entry)
        return whole_head(fs, path, head)

    def _sealed(self, fs: AbstractFileSystem, path: str, entry: Entry) -> tuple[bytes, bool]:
        """The first bytes of a sealed object, and whether they are all of it: a short one of a store is read in one request."""
        is_whole = not is_local(fs) and entry.size <= _WHOLE
        head = whole(fs, path, entry) if is_whole else head_of(fs, path, _HEAD_LEN)
        if not head.startswith((MAGIC, ARMOUR)):
            raise self._not_sealed(entry)
        return head, is_whole

    def _transform(self, entry: Entry, work: Callable[[Any, Any], object]) -> dict[str, str]:
        """Has `work` read the input and write the output, which appears if nothing is wrong."""
        fs, path = self._target(entry.output)
        if fs.isfile(path):
            raise FileExistsError(f"{entry.output} already exists")

        def written(target: Publication) -> None:
            with reading(*self._source(entry.input), entry) as source:
                work(source, target)

        return self._publish(entry, written)

    def _publish(self, entry: Entry, write: Callable[[Publication], object]) -> dict[str, str]:
        """Publishes what is written as the output, which appears if nothing is wrong."""
        fs, path = self._target(entry.output)
        target = publication(fs, path, self._job.id, is_private=self._job.operation == "decrypt")
        is_written = False
        try:
            write(target)
            is_written = True
            said = target.publish()
        except BaseException as error:
            # The first error is the one to tell.
            with contextlib.suppress(Exception):
                target.abandon()
            if is_written and isinstance(error, Exception) and fs.isfile(path):
                # The store may have published it, and its answer is lost.
                raise FileExistsError(f"{entry.output} already exists") from error
            raise
        return {"output_etag": etag_of(said or fs.info(path))}

    def _check_sibling(self, entry: Entry) -> None:
        """Refuses an output that another object has as well: one with the suffix and one without become the same."""
        fs, path = self._source(entry.input)
        suffix = self._job.suffix
        sibling = path.removesuffix(suffix) if path.endswith(suffix) else f"{path}{suffix}"
        if sibling != path and fs.isfile(sibling):
            raise Refused("output_exists", f"{entry.output} is the output of {sibling} as well")

    def _adopted(self, entry: Entry) -> dict[str, str]:
        """What an output that exists is: that of an attempt of this job, whose report was lost, or somebody else's."""
        try:
            fs, path = self._target(entry.output)
            info = fs.info(path)
            if is_of_job(fs, path, self._job.id, self._job.begun):
                said = {"output_etag": etag_of(info)}
                if self._job.operation == "decrypt":
                    self._check_sibling(entry)
                    head = head_of(*self._source(entry.input), _HEAD_LEN)
                    head = whole_head(*self._source(entry.input), head)
                    length, expected = info["size"], _native.inspect_head(head, entry.size).plaintext_len
                else:
                    head = whole_head(fs, path, head_of(fs, path, _HEAD_LEN))
                    length, expected = _native.inspect_head(head, info["size"]).plaintext_len, entry.size
                if length == expected or self._job.operation == "rewrap":
                    return {**said, "commitment": commitment_of(head)}
        except (errors.Error, OSError) as error:
            if _may_pass(error):
                raise
            return {"code": "output_exists", "message": f"{entry.output} already exists, and cannot be read: {error}"}
        return {"code": "output_exists", "message": f"{entry.output} already exists, and is not this job's"}


def _may_pass(error: Exception) -> bool:
    """Whether another try may mend it: stores say that they are busy with errors without a number, or as failed I/O."""
    if isinstance(error, OSError):
        is_final = isinstance(error, (FileExistsError, FileNotFoundError, PermissionError, errors.Error))
        return error.errno in _PASSING or (error.errno is None and not is_final)
    return any(f"{kind.__module__}.{kind.__qualname__}" in _OF_NETWORKS for kind in type(error).__mro__)


_OF_NETWORKS = {
    "aiohttp.client_exceptions.ClientError",
    "azure.core.exceptions.AzureError",
    "botocore.exceptions.ConnectionError",
    "botocore.exceptions.HTTPClientError",
    "gcsfs.retry.HttpError",
}
"""What libraries of stores raise for a connection that ended, and is no `OSError`."""
MAGIC = b"\x89SEAL\r\n\x1a"
ARMOUR = b"-----BEGIN SEALSTONE FILE-----"


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
    check_length(entry, length)


def _is_sealed(fs: AbstractFileSystem, path: str, head: bytes, entry: Entry) -> bool:
    """Whether an object is a sealed file, and does not only begin as one."""
    if not head.startswith(MAGIC):
        return False
    try:
        head = whole_head(fs, path, head if len(head) > MAGIC_LEN else head_of(fs, path, _HEAD_LEN))
        _native.inspect_head(head, entry.size)
    except errors.Error:
        return False
    return True


def _identities(job: Job) -> list[_native.Identity]:
    found = providers.identities(job.identities)
    if any(one.kind == "passphrase" for one in found):
        # Each file says how much memory its passphrase takes, and a worker has sixteen files at a time.
        raise ValueError("jobs take keys, and no passphrases")
    return found


def commitment_of(head: bytes) -> str:
    """What names the payload, of a file's head; nothing of what is none or is armoured."""
    try:
        length = _native.read_head_len(head)
    except errors.Error:
        return ""
    return head[length - 32 : length].hex() if len(head) >= length else ""
