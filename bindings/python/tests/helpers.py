"""What tests of several families share: other programs and packages, wrong uses, and the examples of the documentation."""

import doctest
import importlib
import os
import shutil
from collections.abc import Callable
from types import ModuleType
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


def run_examples(family: ModuleType) -> int:
    """Runs the examples of a module, and of all that it has for others; returns how many lines they have."""
    documented = [(family.__name__, family)]
    for name in family.__all__:
        one = getattr(family, name)
        documented.append((name, one))
        documented += [(f"{name}.{part}", value) for part, value in vars(one).items()] if isinstance(one, type) else []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    parser = doctest.DocTestParser()
    for name, one in documented:
        if not name.rpartition(".")[2].startswith("__"):
            runner.run(parser.get_doctest(getattr(one, "__doc__", None) or "", {}, name, None, 0))
    assert runner.failures == 0
    return runner.tries
