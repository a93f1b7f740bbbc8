"""Keys by name: where a process finds them, so that none is pickled, logged or sent to another machine.

>>> import os, sealstone, sealstone.providers
>>> os.environ["BACKUP_KEY"] = sealstone.export_identity(sealstone.generate_identity())
>>> sealstone.providers.identities("env:BACKUP_KEY")
[Identity(hybrid)]

A provider is `file:PATH`, a file of identities; `env:NAME`, a variable of the environment that holds one; `exec:PROGRAM ARGS`, a program
that prints one; or `module:function`, a function of Python that returns one, as text, bytes or `Identity`. What it gives is kept for 15
minutes.
"""

import importlib
import os
import shlex
import subprocess
import threading
import time

from . import _native, _options
from ._native import Identity

_KEPT_SECONDS = 15 * 60
_kept: dict[tuple[int, str], tuple[float, list[Identity]]] = {}
_lock = threading.Lock()


def identities(provider: str) -> list[Identity]:
    """The identities that a provider gives. What is wrong with it is a `ValueError` or an `OSError`, which shows no key."""
    key = (os.getpid(), provider)
    with _lock:
        begun, found = _kept.get(key, (0.0, []))
        if not found or time.monotonic() - begun > _KEPT_SECONDS:
            found = _found(provider)
            _kept[key] = (time.monotonic(), found)
        return list(found)


def forget() -> None:
    """Forgets all keys that are kept."""
    with _lock:
        _kept.clear()


def _found(provider: str) -> list[Identity]:
    kind, _, name = provider.partition(":")
    if not name or "SECRET-KEY" in provider.upper() or "\n" in provider:
        raise ValueError(
            "identities are named, as file:PATH, env:NAME, exec:PROGRAM or module:function, and not given as text"
        )
    if kind == "file":
        with open(name, "rb") as file:
            return _native.import_identities(file.read())
    if kind == "env":
        text = os.environ.get(name)
        if not text:
            raise ValueError(f"the environment has no variable {name}")
        return _native.import_identities(text)
    if kind == "exec":
        done = subprocess.run(
            shlex.split(name), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False, timeout=60
        )
        if done.returncode != 0:
            raise OSError(f"the program of exec:{name} ended with status {done.returncode}")
        return _native.import_identities(done.stdout)
    given = getattr(importlib.import_module(kind), name)()
    if isinstance(given, (bytes, bytearray)):
        return _native.import_identities(given)
    return _options.identities_of(given)


__all__ = ["forget", "identities"]
