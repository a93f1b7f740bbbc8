"""Bytes in memory."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Unpack

from . import _native, _options
from ._inspection import Inspection
from ._options import DecryptOptions, EncryptOptions, RewrapOptions
from ._progress import Progress
from .errors import Error

if TYPE_CHECKING:
    from typing_extensions import Buffer

OnProgress = Callable[[Progress], object]


def encrypt(data: "Buffer", *, on_progress: OnProgress | None = None, **options: Unpack[EncryptOptions]) -> bytes:
    """Encrypts bytes to recipients, to a passphrase or under a key.

    >>> import sealstone
    >>> identity = sealstone.generate_identity()
    >>> file = sealstone.encrypt(b"attack at dawn", recipients=sealstone.recipient_of(identity))
    >>> sealstone.decrypt(file, identities=identity)
    b'attack at dawn'

    From 1 MiB on it uses all cores, or `threads`. Other threads of Python run meanwhile, but not while it copies a buffer that is
    not `bytes`. What raises in `on_progress` ends the work, and so does Ctrl-C.
    """
    return _options.encryptor(**options).encrypt(data, on_progress)


def decrypt(file: "Buffer", *, on_progress: OnProgress | None = None, **options: Unpack[DecryptOptions]) -> bytes:
    """Decrypts a file in memory, with armour or without.

    Nothing is returned unless all of it is authentic: `NoMatchingIdentity`, `HeaderNotAuthentic`, `NotAuthentic` and `Truncated` say
    what is wrong. A service that decrypts for others shows them one error for all of these.
    """
    return _options.decryptor(**options).decrypt(file, on_progress)


def encrypt_into(data: "Buffer", out: "Buffer", **options: Unpack[EncryptOptions]) -> int:
    """As `encrypt`, into memory that has room for `encrypted_length`; returns how many bytes the file has.

    Armour needs more room than that: a third more, and a line end for each 64 characters.
    """
    return _options.encryptor(**options).encrypt_into(data, out)


def decrypt_into(file: "Buffer", out: "Buffer", **options: Unpack[DecryptOptions]) -> int:
    """As `decrypt`, into memory that has room for the plaintext; returns how many bytes that has.

    After an error what was written is zero.
    """
    return _options.decryptor(**options).decrypt_into(file, out)


def encrypted_length(length: int, **options: Unpack[EncryptOptions]) -> int:
    """Bytes of the file that a plaintext of `length` bytes becomes with these options, without armour.

    >>> import sealstone
    >>> sealstone.encrypted_length(1_000_000, key=bytes(32))
    1001172
    """
    return _options.encryptor(**options).encrypted_length(length)


def decrypt_range(file: "Buffer", start: int, end: int, **options: Unpack[DecryptOptions]) -> bytes:
    """Decrypts the bytes of the plaintext from `start` up to `end`, as a slice has them.

    Only the chunks that hold them are authenticated: each byte is authentic, at its place.
    """
    return _options.decryptor(**options).decrypt_range(file, start, end)


def rewrap(file: "Buffer", **options: Unpack[RewrapOptions]) -> bytes:
    """Gives a file in memory to other recipients, without decrypting its content.

    It revokes nothing: whoever could open the file keeps the key of its content.
    """
    return _options.rewrapper(**options).rewrap(file)


def inspect(file: "Buffer") -> Inspection:
    """Returns the fields of a file that anybody can see, without a key. None of them is authenticated."""
    return _native.inspect(file)


def encrypt_batch(
    items: "Iterable[Buffer]", *, on_progress: OnProgress | None = None, **options: Unpack[EncryptOptions]
) -> list[bytes | Error]:
    """Encrypts each of many small plaintexts into a file of its own, on all cores."""
    return _options.encryptor(**options).encrypt_batch(list(items), on_progress)


def decrypt_batch(
    files: "Iterable[Buffer]", *, on_progress: OnProgress | None = None, **options: Unpack[DecryptOptions]
) -> list[bytes | Error]:
    """Decrypts each of many small files, on all cores. In the place of each that failed there is its `Error`."""
    return _options.decryptor(**options).decrypt_batch(list(files), on_progress)
