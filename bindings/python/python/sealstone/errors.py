"""What can go wrong: a class for each code, all of them `Error`.

A wrong value is a `ValueError` as well, and what the system refuses an `OSError`. A wrong type is Python's own `TypeError`.
"""

import errno as _errno
from typing import ClassVar


class Error(Exception):
    """A failure of Sealstone's. `code` is its name, which never changes; the text is for people."""

    code: ClassVar[str] = "internal"


class Internal(Error):
    """A bug of Sealstone's: please report it."""

    code = "internal"


class NotSealstone(Error):
    """This is not a Sealstone file, or not a message."""

    code = "not_sealstone"


class UnsupportedVersion(Error):
    """This release does not know the file's version of the format."""

    code = "unsupported_version"


class UnsupportedSuite(Error):
    """This release does not know the file's suite."""

    code = "unsupported_suite"


class MalformedHeader(Error):
    """The header breaks a rule of the format."""

    code = "malformed_header"


class MalformedArmour(Error):
    """The ASCII armour breaks a rule of the format."""

    code = "malformed_armour"


class Truncated(Error):
    """The file is cut short."""

    code = "truncated"


class ContextRequired(Error, ValueError):
    """The file is bound to a context, and none was given."""

    code = "context_required"


class ContextNotBound(Error, ValueError):
    """A context was given, and the file is bound to none."""

    code = "context_not_bound"


class CostTooHigh(Error):
    """A file, or a stored password, asks for more work than is accepted."""

    code = "cost_too_high"


class NoMatchingIdentity(Error):
    """None of the identities opens the file, or the passphrase is wrong."""

    code = "no_matching_identity"


class HeaderNotAuthentic(Error):
    """The key fits, and the header was changed or damaged."""

    code = "header_not_authentic"


class NotAuthentic(Error):
    """The content was changed or damaged, or the context or associated data differ."""

    code = "not_authentic"


class MixedRecipients(Error, ValueError):
    """Post-quantum and classical recipients are together, which was not allowed."""

    code = "mixed_recipients"


class InvalidRecipients(Error, ValueError):
    """These recipients cannot be used together, or there is no recipient."""

    code = "invalid_recipients"


class InvalidRecipient(Error, ValueError):
    """A recipient is damaged, or is something else."""

    code = "invalid_recipient"


class InvalidIdentity(Error, ValueError):
    """An identity is damaged, or is something else."""

    code = "invalid_identity"


class UnsupportedKey(Error, ValueError):
    """The key's type, or the form that was asked for, is not supported."""

    code = "unsupported_key"


class PassphraseRequired(Error, ValueError):
    """The key is protected, and no passphrase was given."""

    code = "passphrase_required"


class NotInProfile(Error):
    """The profile does not allow it."""

    code = "not_in_profile"


class InvalidPassphrase(Error, ValueError):
    """The passphrase is empty, too long or not text."""

    code = "invalid_passphrase"


class InvalidContext(Error, ValueError):
    """A context has 1 to 1,024 bytes."""

    code = "invalid_context"


class UnknownAlgorithm(Error, ValueError):
    """There is no algorithm, kind, suite or form of this name."""

    code = "unknown_algorithm"


class InvalidOption(Error, ValueError):
    """The algorithm, or the kind of key, does not have this option."""

    code = "invalid_option"


class InvalidCost(Error, ValueError):
    """The algorithm does not have such a cost."""

    code = "invalid_cost"


class WrongLength(Error, ValueError):
    """A key, a nonce, an IV or a buffer has the wrong length."""

    code = "wrong_length"


class InvalidEncoding(Error, ValueError):
    """The text is not what its encoding allows."""

    code = "invalid_encoding"


class InvalidKey(Error, ValueError):
    """A key that signs, agrees or encrypts with RSA is damaged, is the wrong half, or is of another kind."""

    code = "invalid_key"


class InvalidSignature(Error):
    """The signature does not belong to these data and this key."""

    code = "invalid_signature"


class NotASignature(Error):
    """This is not a signature file."""

    code = "not_a_signature"


class MalformedSignature(Error):
    """The signature file breaks a rule of its format."""

    code = "malformed_signature"


class UnsupportedSignature(Error):
    """The signature file is of a kind that is not supported."""

    code = "unsupported_signature"


class WrongNamespace(Error):
    """The signature was made for another purpose."""

    code = "wrong_namespace"


class UnknownSigner(Error):
    """The signature is by a key that is not trusted."""

    code = "unknown_signer"


class InvalidNamespace(Error, ValueError):
    """The text is not a valid namespace."""

    code = "invalid_namespace"


class InvalidComment(Error, ValueError):
    """The text is not a valid comment."""

    code = "invalid_comment"


class InvalidSigner(Error, ValueError):
    """A signer's key is damaged, or is something else."""

    code = "invalid_signer"


class MalformedCiphertext(Error):
    """The ciphertext does not have the form of its algorithm."""

    code = "malformed_ciphertext"


class EmptyPlaintext(Error, ValueError):
    """SM2 cannot encrypt an empty plaintext."""

    code = "empty_plaintext"


class InvalidUserId(Error, ValueError):
    """The user id of SM2 is too long."""

    code = "invalid_user_id"


class PartialBlock(Error, ValueError):
    """Without padding, the mode takes whole blocks only."""

    code = "partial_block"


class LegacyEncryption(Error, ValueError):
    """An old cipher encrypts only if that is explicitly allowed."""

    code = "legacy_encryption"


class InvalidPadding(Error):
    """The padding is wrong: the key, the IV or the data is wrong."""

    code = "invalid_padding"


class UnavailableBackend(Error):
    """SEALSTONE_BACKEND names a backend that this CPU does not have."""

    code = "unavailable_backend"


class RangeOutOfBounds(Error, ValueError):
    """The range begins after the end, or ends before it begins."""

    code = "range_out_of_bounds"


class NotSeekable(Error, OSError):
    """The input cannot be read at any position: it is a pipe or armour, for example."""

    code = "not_seekable"


class TooLong(Error, ValueError):
    """The data is longer than the algorithm or the format allows."""

    code = "too_long"


class PluginFailed(Error):
    """A plugin of age has failed."""

    code = "plugin_failed"


class NoRandomness(Error):
    """The system gives no randomness."""

    code = "no_randomness"


class SameFile(Error, ValueError):
    """The output is the input."""

    code = "same_file"


class OutputExists(Error, FileExistsError):
    """The output exists, and replacing it was not allowed."""

    code = "output_exists"


class HardLinks(Error, OSError):
    """The file to be replaced has other names (hard links), which would keep the old content."""

    code = "hard_links"


class NotRegularFile(Error, OSError):
    """The name stands for a FIFO, a device or a socket; or for a symbolic link, where a file is to be replaced."""

    code = "not_regular_file"


class InputChanged(Error):
    """The input was changed while it was read."""

    code = "input_changed"


class Cancelled(Error):
    """The work was ended, or the file was closed before."""

    code = "cancelled"


class TooManyObjects(Error):
    """There are more keys in use than there is room for."""

    code = "too_many_objects"


class Io(Error, OSError):
    """The system refused to read or to write. `errno` is its number."""

    code = "io"


class NotFound(Io, FileNotFoundError):
    """There is no such file. Its code is that of `Io`."""


class AccessDenied(Io, PermissionError):
    """The system does not allow it. Its code is that of `Io`."""


class IsAFolder(Io, IsADirectoryError):
    """It is a folder. Its code is that of `Io`."""


_BY_ERRNO = {
    _errno.ENOENT: NotFound,
    _errno.EACCES: AccessDenied,
    _errno.EPERM: AccessDenied,
    _errno.EISDIR: IsAFolder,
}

_BY_CODE = {
    one.code: one
    for one in list(globals().values())
    if isinstance(one, type) and issubclass(one, Error) and one is not Error and one.__bases__[0] is Error
}


def _of(code: str, message: str, errno: int | None) -> Error:
    """The exception of a code; what the system refused has its number."""
    if errno is not None:
        return _BY_ERRNO.get(errno, Io)(errno, message)
    return _BY_CODE.get(code, Internal)(message)


def _in(path: str, error: Error) -> Error:
    """The error with the name of the file that it is about; what the system refused has one already."""
    return error if isinstance(error, OSError) else type(error)(f"{path!r}: {error}")


__all__ = [
    "AccessDenied",
    "Cancelled",
    "ContextNotBound",
    "ContextRequired",
    "CostTooHigh",
    "EmptyPlaintext",
    "Error",
    "HardLinks",
    "HeaderNotAuthentic",
    "InputChanged",
    "Internal",
    "InvalidComment",
    "InvalidContext",
    "InvalidCost",
    "InvalidEncoding",
    "InvalidIdentity",
    "InvalidKey",
    "InvalidNamespace",
    "InvalidOption",
    "InvalidPadding",
    "InvalidPassphrase",
    "InvalidRecipient",
    "InvalidRecipients",
    "InvalidSignature",
    "InvalidSigner",
    "InvalidUserId",
    "Io",
    "IsAFolder",
    "LegacyEncryption",
    "MalformedArmour",
    "MalformedCiphertext",
    "MalformedHeader",
    "MalformedSignature",
    "MixedRecipients",
    "NoMatchingIdentity",
    "NoRandomness",
    "NotASignature",
    "NotAuthentic",
    "NotFound",
    "NotInProfile",
    "NotRegularFile",
    "NotSealstone",
    "NotSeekable",
    "OutputExists",
    "PartialBlock",
    "PassphraseRequired",
    "PluginFailed",
    "RangeOutOfBounds",
    "SameFile",
    "TooLong",
    "TooManyObjects",
    "Truncated",
    "UnavailableBackend",
    "UnknownAlgorithm",
    "UnknownSigner",
    "UnsupportedKey",
    "UnsupportedSignature",
    "UnsupportedSuite",
    "UnsupportedVersion",
    "WrongLength",
    "WrongNamespace",
]
