"""A folder of data keys, on any file system: each is a Sealstone file of 32 bytes, `ID.seal`, which the keys' recipients open.

A key is there, complete, before anything is sealed under it, and nothing replaces it. `sealstone rewrap` gives the files to other
recipients; the data that are sealed under the keys stay as they are.
"""

import errno
import os
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from fsspec.core import url_to_fs

from . import errors, providers
from ._cells import ALGORITHM, ID_LEN, DataKey
from ._data import decrypt_batch, encrypt
from ._streams import write_all
from .aead import AeadKey, generate_key
from .jobs._store import publication

_KEPT = 16_384
"""Opened keys that a process keeps, of about 1 KB each: rows of a table that was shuffled have the keys of all its tasks."""
_FILE_LEN = 128 << 10
"""Bytes that are read of the file of a key, at most."""


class KeyFolder:
    """Makes data keys, and finds them again."""

    def __init__(self, url: str, options: Mapping[str, Any]) -> None:
        self._url = url.rstrip("/")
        self._fs, root = url_to_fs(url, **options)
        self._root = root.rstrip("/")

    def new(self, recipients: Sequence[str], allow_mixed: bool) -> DataKey:
        """Draws a key. Its file is there when this returns."""
        id, secret = os.urandom(ID_LEN), generate_key(ALGORITHM)
        target = publication(self._fs, self._path(id), id.hex())
        try:
            write_all(target, encrypt(secret, recipients=recipients, allow_mixed=allow_mixed))
        except BaseException:
            target.abandon()
            raise
        target.publish()
        return DataKey(id, AeadKey(ALGORITHM, secret))

    def keys(self, ids: Sequence[bytes], identities: str) -> dict[bytes, AeadKey]:
        """The keys of these ids, opened with the identities that a provider gives. The process keeps them."""
        found, missing = {}, []
        for id in ids:
            key = _opened.get((self._url, identities, id))
            if key is None:
                missing.append(id)
            else:
                found[id] = key
        if missing:
            found.update(self._read(missing, identities))
        return found

    def _read(self, ids: Sequence[bytes], identities: str) -> dict[bytes, AeadKey]:
        # The store is asked for all at once, and all cores open what it gives.
        paths = [self._path(id) for id in ids]
        files = []
        for path, content in zip(paths, self._fs.cat_ranges(paths, 0, _FILE_LEN, on_error="return"), strict=True):
            if isinstance(content, FileNotFoundError):
                raise errors.NotFound(errno.ENOENT, "the file of a data key is missing", f"{path}")
            if isinstance(content, Exception):
                raise content
            files.append(content)
        found = {}
        opened = decrypt_batch(files, identities=providers.identities(identities))
        for id, path, secret in zip(ids, paths, opened, strict=True):
            if isinstance(secret, errors.Error):
                raise type(secret)(f"{path}: {secret}")
            if len(secret) != 32:
                raise errors.WrongLength(f"{path}: a data key has 32 bytes, and this has {len(secret)}")
            found[id] = AeadKey(ALGORITHM, secret)
            _opened.put((self._url, identities, id), found[id])
        return found

    def _path(self, id: bytes) -> str:
        return f"{self._root}/{id.hex()}.seal"


class _Opened:
    """Keys that this process has opened; of too many the one that was used least recently goes."""

    def __init__(self) -> None:
        self._keys: OrderedDict[tuple[str, str, bytes], AeadKey] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: tuple[str, str, bytes]) -> AeadKey | None:
        with self._lock:
            key = self._keys.get(name)
            if key is not None:
                self._keys.move_to_end(name)
            return key

    def put(self, name: tuple[str, str, bytes], key: AeadKey) -> None:
        with self._lock:
            self._keys[name] = key
            while len(self._keys) > _KEPT:
                self._keys.popitem(last=False)


_opened = _Opened()


def _forked() -> None:
    # A thread that the child does not have may have held the lock.
    global _opened
    _opened = _Opened()


os.register_at_fork(after_in_child=_forked)
