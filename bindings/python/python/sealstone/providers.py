"""Secrets by name: a provider says where a key is, and is read where the key is used.

>>> import os
>>> import sealstone
>>> from sealstone import providers
>>> os.environ["IDENTITY"] = sealstone.export_identity(sealstone.generate_identity())
>>> providers.identities("env:IDENTITY")
[Identity(hybrid)]

Every function takes `file:PATH` or `env:NAME` in the place of the text of a key. Options of file systems and of jobs are remembered,
pickled, hashed and logged on the way to other machines. A key is not to be among them, so these options have the name of a provider alone:

- `file:PATH`, a file;
- `env:NAME`, a variable of the environment;
- `exec:PROGRAM ARGUMENT…`, what a program writes to its standard output; its words are quoted as a shell's, and no shell runs it;
- `module:function`, what a function of Python's returns: an `Identity`, several of them, or text or bytes. One that asks a KMS is
  called once in each process. What it raises is shown, so it raises nothing secret.

The last two run something, which text that a stranger gave must not do. So functions that are no options of others take what
`identities("exec:…")` returns, and not that text.

An identity that a provider gave is kept for 15 minutes in the process that asked. A secret that is given in the place of a provider is
refused, and no exception repeats it.
"""

import importlib
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable

from ._keys import import_identity
from ._native import (
    Identity,
    Recipient,
    identity_from_key,
    identity_from_passphrase,
    import_identities,
    import_recipients,
    looks_like_file_name,
)

__all__ = ["check", "file_hint", "identities", "is_place", "is_provider", "key", "passphrase", "recipients"]

_KEPT = 15 * 60
"""Seconds that an answer is kept."""
_PATIENCE = 60
"""Seconds that a program has."""
_VARIABLE = re.compile(r"[A-Za-z_]\w*")
_FUNCTION = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
_GRAMMAR = "file:PATH, env:NAME, exec:PROGRAM ARGUMENT… or module:function"

_lock = threading.RLock()
_answers: dict[tuple[str, str], tuple[float, list[Identity]]] = {}


def _forked() -> None:
    # A thread that the child does not have may have held the lock.
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_forked)


def is_place(text: str) -> bool:
    """Whether a text is `file:PATH` or `env:NAME`: where a key is, and nothing runs to get it."""
    kind, _, rest = text.partition(":")
    return bool(_VARIABLE.fullmatch(rest)) if kind == "env" else kind == "file" and bool(rest.strip())


def is_provider(text: str) -> bool:
    """Whether a text is the name of a provider."""
    kind, _, rest = text.partition(":")
    return is_place(text) or (kind == "exec" and bool(rest.strip())) or bool(_FUNCTION.fullmatch(text))


def check(provider: object) -> None:
    """Raises `ValueError` for what is no provider, and `TypeError` for what is no text, without repeating it: it may be the secret itself."""
    if not isinstance(provider, str):
        given = f"and not given as '{type(provider).__name__}'{file_hint(provider)}"
        raise TypeError(f"a secret is named by its provider, {_GRAMMAR}, {given}")
    if not is_provider(provider):
        raise ValueError(f"a secret is named by its provider: {_GRAMMAR}{file_hint(provider)}")


def file_hint(given: object) -> str:
    """Of what looks like the name of a file, in the place of a key, what to write; of anything else nothing."""
    is_name = isinstance(given, os.PathLike) or (isinstance(given, str) and looks_like_file_name(given))
    return "; this looks like the name of a file: write file: before it" if is_name else ""


def recipients(place: str) -> list[Recipient]:
    """The recipients of a place, `file:PATH` or `env:NAME`: those of a file of public keys, as `import_recipients` reads it.

    They are public, so they are read anew each time.
    """
    if not is_place(place):
        raise ValueError("name recipients with file:PATH or env:NAME")
    return import_recipients(_read(place))


def identities(provider: str) -> list[Identity]:
    """The identities that a provider gives: those of a file of keys, as `import_identities` reads it."""
    return _answer("identities", provider, import_identities)


def passphrase(provider: str) -> Identity:
    """The passphrase that a provider gives: one line."""
    return _answer("passphrase", provider, _passphrase_in)[0]


def key(provider: str) -> Identity:
    """The symmetric key that a provider gives: 32 bytes, or a file of `sealstone keygen --kind key`."""
    return _answer("key", provider, _key_in)[0]


def _passphrase_in(secret: bytes) -> list[Identity]:
    line = secret.removesuffix(b"\n").removesuffix(b"\r")
    if b"\n" in line:
        raise ValueError("a passphrase is one line, and its provider returned more")
    return [identity_from_passphrase(line)]


def _key_in(secret: bytes) -> list[Identity]:
    if len(secret) == 32:
        return [identity_from_key(secret)]
    found = import_identity(secret)
    if found.kind != "key":
        raise ValueError(f"the provider of a symmetric key gave one of kind {found.kind}")
    return [found]


def _answer(what: str, provider: str, read: Callable[[bytes], list[Identity]]) -> list[Identity]:
    check(provider)
    kind, _, rest = provider.partition(":")
    # Of a program that goes into another folder the same name is another file.
    asked = what, f"file:{os.path.abspath(rest)}" if kind == "file" else provider
    # One thread asks, and the others wait for its answer: a program or a KMS is called once.
    with _lock:
        until, found = _answers.get(asked, (0.0, []))
        if time.monotonic() >= until:
            given = _ask(provider)
            if isinstance(given, Identity):
                found = [given]
            elif isinstance(given, (str, bytes)):
                # Bytes alone are read: an exception about text holds the text.
                found = read(given.encode(errors="surrogateescape") if isinstance(given, str) else given)
            else:
                found = list(given) if isinstance(given, Iterable) else []
                if not found or not all(isinstance(one, Identity) for one in found):
                    raise TypeError("a provider's function returns an Identity, some of them, text or bytes")
            _answers[asked] = time.monotonic() + _KEPT, found
        return list(found)


def _ask(provider: str) -> "str | bytes | Identity | list[Identity]":
    if is_place(provider):
        return _read(provider)
    kind, _, rest = provider.partition(":")
    if kind == "exec":
        return _output_of(rest)
    return _called(kind, rest)


def _read(place: str) -> bytes:
    kind, _, rest = place.partition(":")
    if kind == "file":
        with open(rest, "rb") as file:
            return file.read()
    value = os.environb.get(os.fsencode(rest))
    if value is None:
        raise ValueError(f"the variable {rest} is not set")
    return value


def _output_of(line: str) -> bytes:
    # Few programs ask others, and all import this.
    import shlex
    import subprocess

    command = shlex.split(line)
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        # That exception holds what the program wrote.
        raise TimeoutError(f"the provider {command[0]} took longer than {_PATIENCE} seconds") from None
    if done.returncode != 0:
        raise ChildProcessError(f"the provider {command[0]} ended with status {done.returncode}")
    return done.stdout


def _called(module: str, function: str) -> "str | bytes | Identity | list[Identity]":
    try:
        found = getattr(importlib.import_module(module), function, None)
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):
            raise
        found = None
    if found is None:
        # A passphrase with a colon looks like this, so neither the text nor the chain of exceptions repeats it.
        wrong = (
            "module has no such function"
            if module in sys.modules
            else "module is not on this process's path (PYTHONPATH)"
        )
        raise ValueError(f"a provider names a function that is not there: its {wrong}")
    answer: str | bytes | Identity | list[Identity] = found()
    return answer
