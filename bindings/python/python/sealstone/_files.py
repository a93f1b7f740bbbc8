"""Files by name."""

import os
from typing import NamedTuple, TypeAlias, Unpack

from . import _native, _options
from ._data import OnProgress
from ._inspection import Inspection
from ._options import DecryptOptions, EncryptOptions, RewrapOptions

Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]


class Processed(NamedTuple):
    """The lengths that work on a file has read or written."""

    plaintext: int
    """Bytes of the plaintext."""
    ciphertext: int
    """Bytes of the sealed file."""


def encrypt_file(
    input: Path,
    output: Path,
    *,
    replace: bool = False,
    allow_special: bool = False,
    on_progress: OnProgress | None = None,
    **options: Unpack[EncryptOptions],
) -> Processed:
    """Encrypts a file into a new one, on all cores and in constant memory.

    The output appears complete or not at all. One that exists is an error, `OutputExists`, unless `replace` is true. A FIFO or a device
    is `NotRegularFile`, unless `allow_special` is true.
    """
    done = _options.encryptor(**options).encrypt_file(
        os.fsencode(input), os.fsencode(output), replace, allow_special, on_progress
    )
    return Processed(*done)


def decrypt_file(
    input: Path,
    output: Path,
    *,
    replace: bool = False,
    allow_special: bool = False,
    on_progress: OnProgress | None = None,
    **options: Unpack[DecryptOptions],
) -> Processed:
    """Decrypts a file into a new one, which appears when all of it is authentic."""
    done = _options.decryptor(**options).decrypt_file(
        os.fsencode(input), os.fsencode(output), replace, allow_special, on_progress
    )
    return Processed(*done)


def verify_file(
    input: Path,
    *,
    allow_special: bool = False,
    on_progress: OnProgress | None = None,
    **options: Unpack[DecryptOptions],
) -> Processed:
    """Decrypts a file and writes nothing: without an error all of it is authentic. Of an archive it also checks the members and the index."""
    done = _options.decryptor(**options).verify_file(os.fsencode(input), allow_special, on_progress)
    return Processed(*done)


def rewrap_file(
    file: Path,
    *,
    split_links: bool = False,
    on_progress: OnProgress | None = None,
    **options: Unpack[RewrapOptions],
) -> Processed:
    """Gives a file to other recipients, in its place; its content is copied as it is. It revokes nothing.

    A file that has other names (hard links) is `HardLinks`, unless `split_links` is true: the other names keep the old content, which
    opens with the keys that it had before. A symbolic link is `NotRegularFile`: name the file that the link points to.
    """
    done = _options.rewrapper(**options).rewrap_file(os.fsencode(file), on_progress, split_links)
    return Processed(*done)


def decrypt_range_file(
    file: Path,
    start: int,
    end: int,
    *,
    allow_special: bool = False,
    on_progress: OnProgress | None = None,
    **options: Unpack[DecryptOptions],
) -> bytes:
    """As `decrypt_range`, of a file by its name; it reads only what it needs."""
    return _options.decryptor(**options).decrypt_range_file(os.fsencode(file), start, end, allow_special, on_progress)


def inspect_file(file: Path, *, allow_special: bool = False) -> Inspection:
    """Returns the fields of a file that anybody can see, by its name."""
    return _native.inspect_file(os.fsencode(file), allow_special)
