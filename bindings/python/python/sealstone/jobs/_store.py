"""Publishes objects in a store: complete or not at all, and never in place of another object."""

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
"""Stores with conditional writes and metadata. Their names are no paths: `a//b` and `a/b` are different names."""
JOB_KEY = "sealstone-job"
"""The name of the metadata with the job's id, on each object that a job has written."""

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
"""The error numbers of s3fs if the condition of a request does not hold."""
_OF_NETWORKS = {
    "aiohttp.client_exceptions.ClientError",
    "azure.core.exceptions.AzureError",
    "botocore.exceptions.ConnectionError",
    "botocore.exceptions.HTTPClientError",
    "gcsfs.retry.HttpError",
}
"""Errors of stores' libraries for a lost connection that are no `OSError`."""


class Publication(Protocol):
    """An object that is being written."""

    def write(self, data: Any, /) -> int: ...

    def publish(self) -> dict[str, Any]:
        """Publishes the object, or raises `FileExistsError`. Returns the store's description of it, which is empty for some stores."""

    def abandon(self) -> None:
        """Removes everything, after an error at any time."""


def is_local(fs: AbstractFileSystem) -> bool:
    return isinstance(fs, LocalFileSystem)


def is_s3(fs: AbstractFileSystem) -> bool:
    return protocol(fs) in ("s3", "s3a")


def body_of(fs: AbstractFileSystem, answer: dict[str, Any]) -> bytes:
    """The body of S3's answer to a GET. s3fs reads it on its own thread."""
    body: bytes = sync(fs.loop, answer["Body"].read)
    return body


def publication(fs: AbstractFileSystem, path: str, job: str, is_private: bool = False) -> Publication:
    """Begins an object in the way of its store. Only its owner can read a private local file, as with plaintext files of core."""
    if is_local(fs):
        return _Unnamed(path, 0o600 if is_private else 0o666)
    if protocol(fs) in OBJECT_STORES:
        metadata = {"Metadata": {JOB_KEY: job}} if is_s3(fs) else {"metadata": {JOB_KEY.replace("-", "_"): job}}
        return Upload(fs, path, "xb", metadata)
    return _Renamed(fs, path)


def state_of(fs: AbstractFileSystem, path: str) -> tuple[int, str]:
    """The present length and ETag of an object."""
    if is_local(fs):
        stat = os.stat(path)
        return stat.st_size, local_etag(stat)
    fs.invalidate_cache(fs._parent(path))
    info = fs.info(path)
    return info["size"], etag_of(info)


def local_etag(stat: os.stat_result) -> str:
    """The ETag of a local file: its inode and its times. The time of its last change (ctime) cannot be set back."""
    return f"{stat.st_ino:x}-{stat.st_mtime_ns:x}-{stat.st_ctime_ns:x}"


def etag_of(info: dict[str, Any]) -> str:
    """The ETag of an object, from the description of its store. For local files, see `local_etag`."""
    for name in ("ETag", "etag", "generation", "md5", "checksum", "mtime", "created"):
        if said := info.get(name):
            # In fsspec's memory file system, the time of creation is a number in listings, and a date elsewhere.
            return str(said.timestamp() if isinstance(said, datetime) else said).strip('"')
    return ""


def etag_of_parts(parts: list[str]) -> str:
    """The ETag that S3 gives an object of these parts. If a store computes it differently, a lost answer leaves the job's object unknown."""
    digests = b"".join(bytes.fromhex(part.strip('"')) for part in parts if set(part.strip('"')) <= set(hexdigits))
    return f"{hashlib.md5(digests, usedforsecurity=False).hexdigest()}-{len(parts)}"


def may_pass(error: Exception) -> bool:
    """Whether a retry may help: busy stores raise errors without a number, or failed I/O."""
    if isinstance(error, OSError):
        is_final = isinstance(error, (FileExistsError, FileNotFoundError, PermissionError, errors.Error))
        return error.errno in _PASSING or (error.errno is None and not is_final)
    return any(f"{kind.__module__}.{kind.__qualname__}" in _OF_NETWORKS for kind in type(error).__mro__)


def is_refused(error: Exception) -> bool:
    """Whether the condition of a request did not hold."""
    return isinstance(error, OSError) and error.errno in _REFUSED


def sync_folder(folder: str) -> None:
    """Returns when the names in a local folder would survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def protocol(fs: AbstractFileSystem) -> str:
    """The name of a file system's protocol."""
    return fs.protocol if isinstance(fs.protocol, str) else fs.protocol[0]


class _Unnamed:
    """A local file that has no name until it is complete, or a temporary name if the file system has no unnamed files."""

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
                # `os.link` follows the link to the file only with `src_dir_fd`.
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
    """An object under a temporary name, which is then moved to its own name if no object has it."""

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
            # The generic `mv` interprets names as patterns.
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
