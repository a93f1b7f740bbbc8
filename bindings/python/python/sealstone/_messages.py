"""A message that one of several identities opens."""

from collections.abc import Iterable

from . import errors
from ._native import Identity, open_message


def open_by_any(identities: Iterable[Identity], message: bytes, aad: bytes) -> bytes:
    """Opens a message with the identity that it is for.

    `NoMatchingIdentity` where none is of its kind. Whatever else is wrong is `NotAuthentic`, as a message does not say whose it is.
    """
    wrong: errors.Error = errors.NoMatchingIdentity("no identity has the kind that opens it")
    for identity in identities:
        try:
            return open_message(identity, message, aad=aad)
        except errors.NoMatchingIdentity:
            continue
        except errors.Error:
            wrong = errors.NotAuthentic(
                "it is not authentic: it was changed, or belongs to another key or another place"
            )
    raise wrong
