"""Signature files: the holder of a key says that they have signed some content.

>>> from sealstone import sign, signature
>>> key = sign.generate_key("ed25519")
>>> text = signature.sign(b"attack at dawn", key, comment="release 7")
>>> signature.verify(b"attack at dawn", text, key.public_key).comment
'release 7'

They are signatures of OpenSSH, so that `ssh-keygen` verifies those of `ed25519`, `p256-sign` and, from OpenSSH 10.6 on, `hybrid44-sign`.
A signature says who signed, and not when. It covers neither the name of a file nor its mode.
"""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from ._data import OnProgress
from ._files import Path
from ._names import Profile, SignKind
from ._native import signature as _native
from .sign import PrivateKey, PublicKey

if TYPE_CHECKING:
    from typing_extensions import Buffer


class _Readable(Protocol):
    def read(self, size: int, /) -> "Buffer": ...


Content: TypeAlias = "Buffer | _Readable"
"""Bytes, or a file object that is read to its end, in constant memory. It stays open."""


@dataclass(frozen=True)
class AllowedSigners:
    """A file of allowed signers, as `ssh-keygen` has it.

    >>> from sealstone import sign, signature
    >>> key = sign.generate_key("ed25519")
    >>> allowed = f"alice@example.org {sign.export_public_key(key.public_key, 'ssh')}"
    >>> signers = signature.AllowedSigners(allowed, principal="alice@example.org")
    >>> signature.verify(b"attack at dawn", signature.sign(b"attack at dawn", key), signers).principals
    'alice@example.org'
    """

    allowed: "str | Buffer"
    """The file's text."""
    principal: str | None = None
    """Who must have signed; by default anybody in the file."""
    at: datetime | None = None
    """The moment at which its lines count, with its time zone; now by default."""


Signer: TypeAlias = "PublicKey | str | Buffer | AllowedSigners"
"""The signers to trust: a key; lines, PEM or DER of public keys; or a file of allowed signers."""
Signers: TypeAlias = "Signer | Iterable[Signer]"
"""One of them, or several."""


@dataclass(frozen=True)
class Verified:
    """The contents of a verified signature."""

    kind: SignKind
    """The kind of the key that signed."""
    fingerprint: str
    """The fingerprint of that key: `SHA256:` and 64 hexadecimal digits."""
    ssh_fingerprint: str
    """The same, as `ssh-keygen -l` shows it."""
    principals: str | None
    """Who that is, as the file of allowed signers has it; a list with commas between."""
    comment: str | None
    """The comment that was signed with the content."""
    content_len: int
    """Bytes of the content."""


class Signed(NamedTuple):
    """The lengths of a file that was signed."""

    content: int
    """Bytes of the content."""
    written: int
    """Bytes of the file, with the signature."""


def sign(
    content: Content,
    key: PrivateKey,
    *,
    namespace: str | None = None,
    comment: str | None = None,
    profile: Profile | None = None,
) -> str:
    """Signs content; returns the signature, a text that goes into a file of its own, by custom with the ending `.sig`.

    `namespace` is the purpose, so that a signature for one purpose is not valid for another: `file` by default. `comment` is a text that is
    signed with the
    content; `ssh-keygen` refuses such a signature. `profile` refuses keys of kinds that an organisation does not allow.

    `InvalidNamespace`, `InvalidComment`, `NotInProfile`; `UnsupportedKey` for a kind that signs no files.
    """
    signing = _native.Writer(key, namespace, comment, profile).begin()
    _each(content, signing.update)
    return signing.finish()


def verify(
    content: Content,
    signature: "str | Buffer",
    signers: Signers,
    *,
    namespace: str | None = None,
    profile: Profile | None = None,
) -> Verified:
    """Verifies content by a signature; returns who signed, and raises what is wrong.

    >>> from sealstone import errors, sign, signature
    >>> key = sign.generate_key("ed25519")
    >>> try:
    ...     signature.verify(b"attack at dusk", signature.sign(b"attack at dawn", key), key.public_key)
    ... except errors.InvalidSignature as error:
    ...     error.code
    'invalid_signature'

    `NotASignature`, `MalformedSignature`, `UnsupportedSignature`, `WrongNamespace`, `UnknownSigner`, `InvalidSignature`;
    `InvalidNamespace`, `InvalidSigner`, `UnsupportedKey`, `NotInProfile`.
    """
    verifying = _reader(signers, namespace, profile).begin(signature)
    _each(content, verifying.update)
    return verifying.finish()


def sign_file(
    file: Path,
    key: PrivateKey,
    *,
    namespace: str | None = None,
    comment: str | None = None,
    profile: Profile | None = None,
    allow_special: bool = False,
    on_progress: OnProgress | None = None,
) -> str:
    """Signs a file; returns the signature, as `sign` does. To get the content and then the signature in one new file, use `attach_file`.

    `Io`, `NotRegularFile`, unless `allow_special` is true, `InputChanged`, and what `sign` raises.
    """
    return _native.Writer(key, namespace, comment, profile).sign_file(os.fsencode(file), allow_special, on_progress)


def verify_file(
    file: Path,
    signature: "str | Buffer",
    signers: Signers,
    *,
    namespace: str | None = None,
    profile: Profile | None = None,
    allow_special: bool = False,
    on_progress: OnProgress | None = None,
) -> Verified:
    """Verifies a file by a signature, which is its text; returns who signed.

    `Io`, `NotRegularFile`, `InputChanged`, and what `verify` raises.
    """
    reader = _reader(signers, namespace, profile)
    return reader.verify_file(os.fsencode(file), signature, allow_special, on_progress)


def attach_file(
    input: Path,
    output: Path,
    key: PrivateKey,
    *,
    namespace: str | None = None,
    comment: str | None = None,
    profile: Profile | None = None,
    replace: bool = False,
    allow_special: bool = False,
    on_progress: OnProgress | None = None,
) -> Signed:
    """Signs a file into a new file, which has its content and then the signature. It appears complete or not at all.

    `OutputExists`, unless `replace` is true, `SameFile`, and what `sign_file` raises.
    """
    writer = _native.Writer(key, namespace, comment, profile)
    return Signed(*writer.attach_file(os.fsencode(input), os.fsencode(output), replace, allow_special, on_progress))


def detach_file(
    input: Path,
    signers: Signers,
    *,
    output: Path | None = None,
    namespace: str | None = None,
    profile: Profile | None = None,
    replace: bool = False,
    allow_special: bool = False,
    on_progress: OnProgress | None = None,
) -> Verified:
    """Verifies a file that has its signature after its content; returns who signed.

    `output` is a new file for the content, which appears when all of it is verified, or not at all; without one nothing is written.

    `OutputExists`, unless `replace` is true, `SameFile`, and what `verify_file` raises; `TooLong` for over 64 MiB of content that go to a
    FIFO or a device, where it waits in memory.
    """
    to = None if output is None else os.fsencode(output)
    reader = _reader(signers, namespace, profile)
    return reader.detach_file(os.fsencode(input), to, replace, allow_special, on_progress)


_TURN = 1 << 20


def _each(content: Content, take: "Callable[[Buffer], None]") -> None:
    """Hands over content, part after part."""
    read = getattr(content, "read", None)
    if read is None:
        return take(content)  # type: ignore[arg-type]
    while part := read(_TURN):
        take(part)
    # Of a stream that has nothing yet, what is signed or verified would be a beginning.
    if part is None:
        raise BlockingIOError("the stream has not ended, and has no bytes now")
    return None


def _reader(signers: Signers, namespace: str | None, profile: Profile | None) -> _native.Reader:
    trusted = _native.Signers(namespace, profile)
    for signer in _listed(signers):
        if isinstance(signer, PublicKey):
            trusted.key(signer)
        elif isinstance(signer, AllowedSigners):
            trusted.allowed(signer.allowed, signer.principal, _second_of(signer.at))
        else:
            trusted.file(signer)
    return trusted.reader()


def _listed(signers: Signers) -> "Iterable[Signer]":
    """Those that are one by themselves: bytes have parts too, which are no signers."""
    if isinstance(signers, (PublicKey, str, AllowedSigners)):
        return (signers,)
    try:
        return (memoryview(signers),)  # type: ignore[arg-type]
    except TypeError:
        return signers  # type: ignore[return-value]


def _second_of(at: datetime | None) -> int:
    """Seconds since 1970."""
    if at is None:
        return int(time.time())
    if at.tzinfo is None:
        raise ValueError("at is a datetime with its time zone, such as datetime.now(UTC)")
    second = at.timestamp() // 1
    if second < 0:
        raise ValueError("at is a moment from 1970 on")
    return int(second)


__all__ = [
    "AllowedSigners",
    "Signed",
    "Verified",
    "attach_file",
    "detach_file",
    "sign",
    "sign_file",
    "verify",
    "verify_file",
]
