"""One key of a file of keys."""

import contextlib
import os
from collections.abc import Callable
from typing import TypeVar

from . import _native
from ._errors import named
from ._names import KeyForm
from ._native import Identity, Recipient
from .errors import Error, InvalidIdentity, InvalidRecipient, OutputExists

Keys = TypeVar("Keys", Identity, list[Recipient])


def import_identity(key: "str | bytes", *, passphrase: str | None = None) -> Identity:
    """Reads a private key: a string of age, PEM, DER, JWK, SM2 digits, or a file of one that a passphrase seals.

    It is `InvalidIdentity` where the file has several: `import_identities` reads them all.
    """
    found = _native.import_identities(key, passphrase=passphrase)
    if len(found) != 1:
        raise InvalidIdentity(f"one identity is expected, and there are {len(found)}")
    return found[0]


def import_recipient(key: "str | bytes") -> Recipient:
    """Reads a public key: a string of age, PEM, DER, JWK or SM2 digits."""
    found = _native.import_recipients(key)
    if len(found) != 1:
        raise InvalidRecipient(f"one recipient is expected, and there are {len(found)}")
    return found[0]


def read_identity(path: "str | os.PathLike[str]", *, passphrase: str | None = None) -> Identity:
    """Reads the private key of a file, as `write_identity` writes it: in whatever form `import_identity` reads.

    The errors are those of `import_identity`, with the name of the file, and those of the system.

    >>> import sealstone
    >>> sealstone.write_identity(sealstone.generate_identity(), "mine.txt")
    >>> sealstone.read_identity("mine.txt")
    Identity(hybrid)
    """
    return _of_file(path, lambda key: import_identity(key, passphrase=passphrase))


def read_recipients(path: "str | os.PathLike[str]") -> list[Recipient]:
    """Reads all public keys of a file, in whatever form `import_recipients` reads.

    The errors are those of `import_recipients`, with the name of the file, and those of the system.

    >>> import sealstone
    >>> with open("alice.pub", "w") as file:
    ...     _ = file.write(str(sealstone.recipient_of(sealstone.generate_identity("x25519"))))
    >>> sealstone.read_recipients("alice.pub")
    [Recipient(x25519)]
    """
    return _of_file(path, _native.import_recipients)


def write_identity(
    identity: Identity, path: "str | os.PathLike[str]", form: KeyForm = "age", *, passphrase: str | None = None
) -> None:
    """Writes a private key, in a form of `export_identity`, to a new file that its owner alone may read.

    `OutputExists` where there is a file of that name: it may be the only copy of another key.

    >>> import sealstone
    >>> sealstone.write_identity(sealstone.generate_identity(), "identity.txt")
    >>> sealstone.read_identity("identity.txt")
    Identity(hybrid)
    """
    key = _native.export_identity(identity, form, passphrase=passphrase)
    if isinstance(key, str):
        key = f"{key.rstrip()}\n".encode()
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise OutputExists(f"the file {os.fspath(path)!r} exists, and may be the only copy of a key") from None
    made = os.fstat(number)
    try:
        with open(number, "wb") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        # The name may stand for another file by now, which is not this one's to remove.
        with contextlib.suppress(OSError):
            if os.path.samestat(os.lstat(path), made):
                os.unlink(path)
        raise


def _of_file(path: "str | os.PathLike[str]", read: Callable[[bytes], Keys]) -> Keys:
    with open(path, "rb") as file:
        content = file.read()
    try:
        return read(content)
    except Error as error:
        raise named(os.fspath(path), error) from None
