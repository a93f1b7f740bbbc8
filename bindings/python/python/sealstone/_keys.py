"""One key of a file of keys."""

from . import _native
from ._native import Identity, Recipient
from .errors import InvalidIdentity, InvalidRecipient


def import_identity(key: "str | bytes", *, passphrase: str | None = None) -> Identity:
    """Reads a private key: a string of age, PEM, DER, JWK, SM2 digits, or a file of one that a passphrase seals.

    It is `InvalidIdentity` where the file has several: `import_identities` reads them all.
    """
    found = _native.import_identities(key, passphrase=passphrase)
    if len(found) != 1:
        raise InvalidIdentity(f"one identity is wanted, and there are {len(found)}")
    return found[0]


def import_recipient(key: "str | bytes") -> Recipient:
    """Reads a public key: a string of age, PEM, DER, JWK or SM2 digits."""
    found = _native.import_recipients(key)
    if len(found) != 1:
        raise InvalidRecipient(f"one recipient is wanted, and there are {len(found)}")
    return found[0]
