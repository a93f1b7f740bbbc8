"""A class for each code."""

import pickle
from typing import get_args

import sealstone
from sealstone import _errors, errors
from sealstone._names import CoreErrorCode


def test_every_code_of_core_has_its_class() -> None:
    codes = get_args(CoreErrorCode)
    assert len(codes) > 50
    for code in codes:
        one = _errors.of(code, "what happened", None)
        assert type(one) is not errors.Internal, code
        assert (one.code, str(one)) == (code, "what happened")
        assert getattr(sealstone, type(one).__name__) is type(one)


def test_every_code_of_fise_has_its_class() -> None:
    codes = ("rules", "no_salt", "no_marker", "ambiguous", "malformed", "order", "truncated", "key_required")
    assert len(errors.FiseError.__subclasses__()) == len(codes)
    for code in codes:
        one = _errors.of(f"fise_{code}", "what happened", None)
        assert isinstance(one, errors.FiseError) and isinstance(one, errors.Error)
        assert (one.code, str(one)) == (f"fise_{code}", "what happened")
        assert pickle.loads(pickle.dumps(one)).code == one.code
    assert type(_errors.of("internal", "what happened", None)) is errors.Internal


def test_what_the_system_refuses_is_what_python_calls_it() -> None:
    for errno, kind in ((2, FileNotFoundError), (13, PermissionError), (21, IsADirectoryError), (28, OSError)):
        one = _errors.of("io", "write film: refused", errno)
        assert isinstance(one, kind)
        assert isinstance(one, errors.Io)
        assert (one.code, one.errno) == ("io", errno)


def test_errors_are_pickled() -> None:
    for code, errno in (("not_authentic", None), ("io", 28), ("io", 2), ("output_exists", None)):
        one = _errors.of(code, "what happened", errno)
        again = pickle.loads(pickle.dumps(one))
        assert type(again) is type(one)
        assert str(again) == str(one)
