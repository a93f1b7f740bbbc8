"""An object on its way to a file system of fsspec's: a short one is one request, and none is there before it is published."""

import sys
from typing import Any

from fsspec import AbstractFileSystem
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.spec import AbstractBufferedFile

_PUT = 16 << 20
"""Bytes up to which an object is one request, and so is published by that."""


class Upload:
    """An object that is written in the mode `wb`, or `xb` where there must be none; the options are those of its file system."""

    def __init__(self, fs: AbstractFileSystem, path: str, mode: str, options: dict[str, Any]) -> None:
        self._fs = fs
        self._path = path
        self._mode = mode
        self._options = options
        # That one publishes a file when it is opened.
        self._most = sys.maxsize if isinstance(fs, MemoryFileSystem) else _PUT
        self._held = bytearray()
        self._handle: Any = None
        self.parts: list[str] = []
        """The ETags of the parts that S3 has taken, when it is published."""

    def write(self, data: Any, /) -> int:
        """Takes all of it."""
        if self._handle is None and len(self._held) + len(data) > self._most:
            self._handle = self._fs.open(self._path, self._mode, autocommit=False, **self._options)
            self._handle.write(bytes(self._held))
            self._held.clear()
        if self._handle is None:
            self._held += data
        else:
            self._handle.write(data)
        return len(data)

    def publish(self) -> dict[str, Any]:
        """Publishes it, or raises `FileExistsError`. It returns what the store says of it, of which some say nothing."""
        said: Any = None
        if self._handle is None:
            self._options.pop("block_size", None)
            if self._mode == "xb":
                self._options["mode"] = "create"
            said = self._fs.pipe_file(self._path, bytes(self._held), **self._options)
        else:
            self._handle.close()
            # Of s3fs's; others have none.
            parts = getattr(self._handle, "parts", None) or []
            self.parts = [part["ETag"] for part in parts if isinstance(part, dict) and "ETag" in part]
            if not getattr(self._handle, "autocommit", True):
                self._handle.commit()
        self._handle = None
        return said if isinstance(said, dict) else {}

    def abandon(self) -> None:
        """Leaves nothing: no object, and no parts of one, which a store keeps and wants to be paid for."""
        self._held.clear()
        handle, self._handle = self._handle, None
        if handle is None:
            return
        if isinstance(handle, AbstractBufferedFile):
            try:
                handle.discard()
            finally:
                # Some have a `discard` that does nothing, and all would send what they hold when they are closed.
                handle.closed = True
        elif hasattr(handle, "discard") and self._mode == "wb":
            handle.discard()
            handle.close()
        else:
            # It is there since it was opened.
            handle.close()
            self._fs.rm_file(self._path)
