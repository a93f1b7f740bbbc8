"""Who encrypts and who decrypts, from the options that all functions share."""

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, TypeVar

from . import _native, providers
from ._names import Profile, Suite
from ._native import Identity, Recipient
from .errors import InvalidIdentity, InvalidRecipient

if TYPE_CHECKING:
    from typing_extensions import Buffer

Recipients: TypeAlias = Recipient | str | Iterable[Recipient | str]
Identities: TypeAlias = Identity | str | Iterable[Identity | str]
Key = TypeVar("Key", Identity, Recipient)


def recipients_of(recipients: Recipients) -> list[Recipient]:
    """Recipients, of which those that are text are read: a string of age, PEM, or lines of them; or `file:PATH` or `env:NAME`."""
    read = _native.import_recipients
    return _keys(recipients, Recipient, read, providers.recipients, InvalidRecipient, "a recipient is a Recipient")


def identities_of(identities: Identities) -> list[Identity]:
    """Identities, of which those that are text are read, as of `recipients_of`."""
    read = _native.import_identities
    return _keys(identities, Identity, read, providers.identities, InvalidIdentity, "an identity is an Identity")


def each(keys: Any) -> tuple[Any, ...]:
    """One key or several, as several."""
    is_one = isinstance(keys, (Identity, Recipient, str, bytes, bytearray, memoryview, os.PathLike))
    return (keys,) if is_one else tuple(keys)


def _keys(
    given: Any,
    kind: type[Key],
    read: Callable[[str], list[Key]],
    at: Callable[[str], list[Key]],
    error: type[Exception],
    is_key: str,
) -> list[Key]:
    found: list[Key] = []
    for one in each(given):
        if isinstance(one, kind):
            found.append(one)
        elif not isinstance(one, str):
            raise TypeError(f"{is_key} or its text, not '{type(one).__name__}'{providers.file_hint(one)}")
        elif providers.is_place(one):
            found.extend(at(one))
        elif hint := providers.file_hint(one):
            raise error(f"this is not a key{hint}")
        elif providers.is_provider(one):
            raise error("this names a program or a function: only `sealstone.providers` takes keys from these")
        else:
            found.extend(read(one))
    return found


def _secrets(passphrase: str | None, key: "Buffer | None") -> list[Identity]:
    secrets = []
    if passphrase is not None:
        secrets.append(_native.identity_from_passphrase(passphrase))
    if key is not None:
        secrets.append(_native.identity_from_key(key))
    return secrets


def _threads(threads: int | None) -> int | None:
    if threads is None or 1 <= threads <= _native.MAX_THREADS:
        return threads
    raise ValueError(f"threads is 1 to {_native.MAX_THREADS:,}")


class EncryptOptions(TypedDict, total=False):
    """Who can decrypt, and how to encrypt. One of `recipients`, `passphrase` and `key` is needed."""

    recipients: Recipients
    """Public keys, any one of which decrypts: `Recipient`s, their text, or where it is: `file:PATH`, `env:NAME`.

    So text of strangers goes through `import_recipients`, which reads keys alone.
    """
    passphrase: str | None
    """A passphrase, which must be all that decrypts."""
    key: "Buffer | None"
    """A symmetric key of 32 bytes, which both sides have."""
    suite: Suite | None
    """`aes-256-gcm`, the default; `chacha20-poly1305`; or `sm4-gcm`, the default for recipients of SM2."""
    context: "Buffer | None"
    """1 to 1,024 bytes that are bound to the file and not stored, such as a name; decrypting needs them again."""
    allow_mixed: bool
    """Allows post-quantum and classical recipients together: the file is then as strong as the weakest."""
    profile: Profile | None
    """The rules of an organisation: `fips` or `gm`. All algorithms outside of them are refused."""
    armour: bool
    """Writes text (ASCII armour) in place of bytes."""
    threads: int | None
    """1 to 1,024; by default all cores. The result does not depend on it."""


class DecryptOptions(TypedDict, total=False):
    """The keys that decrypt. One of `identities`, `passphrase` and `key` is needed."""

    identities: Identities
    """`Identity`s, their text, or where it is: `file:PATH`, `env:NAME`; tried in this order."""
    passphrase: str | None
    key: "Buffer | None"
    context: "Buffer | None"
    """The bytes that were bound to the file."""
    profile: Profile | None
    threads: int | None


class RewrapOptions(TypedDict, total=False):
    """Whose file it is, and for whom from now on."""

    identities: Identities
    """Those that open the file now."""
    recipients: Recipients
    """Those to add, or with `replace` all who can decrypt from now on."""
    replace: bool
    allow_mixed: bool
    profile: Profile | None


def encryptor(
    recipients: Recipients = (),
    passphrase: str | None = None,
    key: "Buffer | None" = None,
    suite: Suite | None = None,
    context: "Buffer | None" = None,
    allow_mixed: bool = False,
    profile: Profile | None = None,
    armour: bool = False,
    threads: int | None = None,
) -> _native.Encryptor:
    chosen = recipients_of(recipients)
    chosen += [_native.recipient_of(secret) for secret in _secrets(passphrase, key)]
    return _native.Encryptor(chosen, suite, context, allow_mixed, profile, armour, _threads(threads))


def decryptor(
    identities: Identities = (),
    passphrase: str | None = None,
    key: "Buffer | None" = None,
    context: "Buffer | None" = None,
    profile: Profile | None = None,
    threads: int | None = None,
) -> _native.Decryptor:
    chosen = _secrets(passphrase, key) + identities_of(identities)
    if not chosen:
        raise TypeError("identities, a passphrase or a key is needed")
    return _native.Decryptor(chosen, context, profile, _threads(threads))


def rewrapper(
    identities: Identities,
    recipients: Recipients,
    replace: bool = False,
    allow_mixed: bool = False,
    profile: Profile | None = None,
) -> _native.Rewrapper:
    return _native.Rewrapper(identities_of(identities), recipients_of(recipients), replace, allow_mixed, profile)
