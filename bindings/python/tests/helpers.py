"""What tests of several families share: other programs and packages, and wrong uses."""

import importlib
import os
import shutil
from collections.abc import Callable
from typing import Any, NoReturn

import pytest


def module(name: str) -> Any:
    """A module of another package. Where it is missing, CI fails, and elsewhere the test is skipped and says why."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return missing(name)


def program(name: str) -> str:
    """The path of another program, in the same way."""
    path = shutil.which(name)
    return path or missing(name)


def missing(name: str) -> NoReturn:
    assert os.environ.get("CI") != "true", f"{name} is missing"
    pytest.skip(f"{name} is missing")


def refused(error: type[Exception], *uses: Callable[[], object]) -> None:
    """Every use raises this error."""
    for use in uses:
        with pytest.raises(error):
            use()
