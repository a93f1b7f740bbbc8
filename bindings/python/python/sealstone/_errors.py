"""Which class of `sealstone.errors` a failure is."""

import errno

from . import errors
from .errors import Error

_BY_ERRNO = {
    errno.ENOENT: errors.NotFound,
    errno.EACCES: errors.AccessDenied,
    errno.EPERM: errors.AccessDenied,
    errno.EISDIR: errors.IsAFolder,
}

_BY_CODE = {one.code: one for base in (Error, errors.FiseError) for one in base.__subclasses__() if "code" in vars(one)}


def of(code: str, message: str, number: int | None) -> Error:
    """The exception of a code; what the system refused has its number."""
    if number is not None:
        return _BY_ERRNO.get(number, errors.Io)(number, message)
    return _BY_CODE.get(code, errors.Internal)(message)


def named(path: str, error: Error) -> Error:
    """The error with the name of the file that it is about; what the system refused has one already."""
    return error if isinstance(error, OSError) else type(error)(f"{path!r}: {error}")
