"""How an object appears in a store: complete or not at all, and never in place of another."""

import errno
import hashlib
import os
import uuid
from datetime import datetime
from string import hexdigits
from typing import Any, Protocol

from fsspec import AbstractFileSystem
from fsspec.asyn import sync
from fsspec.implementations.local import LocalFileSystem

from .. import errors
from .._upload import Upload

OBJECT_STORES = ("s3", "s3a", "gs", "gcs", "abfs", "az")
"""Stores that publish on a condition and keep metadata. Their names are no paths: two slashes are another name than one."""
JOB_KEY = "sealstone-job"
"""Metadata of an object that a job has written: the job's id."""

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
_REFUSED = {errno.EEXIST, errno.EINVAL}
"""What s3fs says where the condition of a request does not hold."""
_OF_NETWORKS = {
    "aiohttp.client_exceptions.ClientError",
    "azure.core.exceptions.AzureError",
    "botocore.exceptions.ConnectionError",
    "botocore.exceptions.HTTPClientError",
    "gcsfs.retry.HttpError",
}
"""What libraries of stores raise for a connection that ended, and is no `OSError`."""


class Publication(Protocol):
    """An object that is being written."""

    def write(self, data: Any, /) -> int: ...

    def publish(self) -> dict[str, Any]:
        """Publishes it, or raises `FileExistsError`. It returns what the store says of it, of which some say nothing."""

    def abandon(self) -> None:
        """Leaves nothing, after an error at any time."""


def is_local(fs: AbstractFileSystem) -> bool:
    return isinstance(fs, LocalFileSystem)


def is_s3(fs: AbstractFileSystem) -> bool:
    return protocol(fs) in ("s3", "s3a")


def body_of(fs: AbstractFileSystem, answer: dict[str, Any]) -> bytes:
    """What S3 has answered to a GET. s3fs reads a body on a thread of its own."""
    body: bytes = sync(fs.loop, answer["Body"].read)
    return body


def publication(fs: AbstractFileSystem, path: str, job: str, is_private: bool = False) -> Publication:
    """Begins an object in the way that its store has. A private local file is for its owner alone, as core makes those of plaintext."""
    if is_local(fs):
        return _Unnamed(path, 0o600 if is_private else 0o666)
    if protocol(fs) in OBJECT_STORES:
        metadata = {"Metadata": {JOB_KEY: job}} if is_s3(fs) else {"metadata": {JOB_KEY.replace("-", "_"): job}}
        return Upload(fs, path, "xb", metadata)
    return _Renamed(fs, path)


def state_of(fs: AbstractFileSystem, path: str) -> tuple[int, str]:
    """The length of an object, and what changes with its content, as they are now."""
    if is_local(fs):
        stat = os.stat(path)
        return stat.st_size, local_etag(stat)
    fs.invalidate_cache(fs._parent(path))
    info = fs.info(path)
    return info["size"], etag_of(info)


def local_etag(stat: os.stat_result) -> str:
    """What changes with a local file's content: which file it is, and its times. Nobody can set the time of its last change back."""
    return f"{stat.st_ino:x}-{stat.st_mtime_ns:x}-{stat.st_ctime_ns:x}"


def etag_of(info: dict[str, Any]) -> str:
    """What changes with an object's content, of what its store says of it; of a local file, see `local_etag`."""
    for name in ("ETag", "etag", "generation", "md5", "checksum", "mtime", "created"):
        if said := info.get(name):
            # A time of creation is a number in listings of fsspec's memory, and a date elsewhere.
            return str(said.timestamp() if isinstance(said, datetime) else said).strip('"')
    return ""


def etag_of_parts(parts: list[str]) -> str:
    """The ETag that S3 gives an object of these parts. Of a store that does otherwise no object with a lost answer can be told from others."""
    digests = b"".join(bytes.fromhex(part.strip('"')) for part in parts if set(part.strip('"')) <= set(hexdigits))
    return f"{hashlib.md5(digests, usedforsecurity=False).hexdigest()}-{len(parts)}"


def may_pass(error: Exception) -> bool:
    """Whether another try may mend it: stores say that they are busy with errors without a number, or as failed I/O."""
    if isinstance(error, OSError):
        is_final = isinstance(error, (FileExistsError, FileNotFoundError, PermissionError, errors.Error))
        return error.errno in _PASSING or (error.errno is None and not is_final)
    return any(f"{kind.__module__}.{kind.__qualname__}" in _OF_NETWORKS for kind in type(error).__mro__)


def is_refused(error: Exception) -> bool:
    """Whether the condition of a request did not hold."""
    return isinstance(error, OSError) and error.errno in _REFUSED


def sync_folder(folder: str) -> None:
    """Returns when the names in a local folder would outlive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def protocol(fs: AbstractFileSystem) -> str:
    """The name by which a file system is known."""
    return fs.protocol if isinstance(fs.protocol, str) else fs.protocol[0]


class _Unnamed:
    """A local file without a name until it is complete; where the file system has none such, one with a name of its own."""

    def __init__(self, path: str, mode: int) -> None:
        self._path = path
        self._temporary = ""
        folder = os.path.dirname(path) or "."
        os.makedirs(folder, exist_ok=True)
        try:
            self._file = os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, mode)
        except OSError:
            self._temporary = os.path.join(folder, f".sealstone-{uuid.uuid4().hex}")
            self._file = os.open(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)

    def write(self, data: Any, /) -> int:
        return os.write(self._file, data)

    def publish(self) -> dict[str, Any]:
        os.fsync(self._file)
        if self._temporary:
            os.link(self._temporary, self._path)
        else:
            descriptors = os.open("/proc/self/fd", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                # The name stands for the file that it leads to only where a folder is given.
                os.link(str(self._file), self._path, src_dir_fd=descriptors, follow_symlinks=True)
            finally:
                os.close(descriptors)
        self.abandon()
        sync_folder(os.path.dirname(self._path) or ".")
        return {}

    def abandon(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        if self._temporary:
            os.unlink(self._temporary)
            self._temporary = ""


class _Renamed:
    """An object under a name of this attempt, which is moved to its own where nothing is."""

    def __init__(self, fs: AbstractFileSystem, path: str) -> None:
        self._fs, self._path = fs, path
        fs.makedirs(fs._parent(path), exist_ok=True)
        self._temporary = f"{path}.sealstone-{uuid.uuid4().hex}"
        self._file = fs.open(self._temporary, "wb")

    def write(self, data: Any, /) -> int:
        taken: int = self._file.write(data)
        return taken

    def publish(self) -> dict[str, Any]:
        self._file.close()
        if self._fs.exists(self._path):
            self.abandon()
            raise FileExistsError(f"{self._path} already exists")
        if type(self._fs).mv is AbstractFileSystem.mv:
            # That one takes names for patterns.
            self._fs.cp_file(self._temporary, self._path)
            self._fs.rm_file(self._temporary)
        else:
            self._fs.mv(self._temporary, self._path)
        return {}

    def abandon(self) -> None:
        if not self._file.closed:
            self._file.close()
        if self._fs.exists(self._temporary):
            self._fs.rm_file(self._temporary)
