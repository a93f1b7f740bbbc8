"""The parts that all tests share: the place of the vectors, and a check that the package is the installed one."""

import faulthandler
import os
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
import sealstone

_PATIENCE = 20 * 60
"""Seconds that a test has. None takes so long; one that hangs ends the run, and says where."""
_stderr = -1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    faulthandler.dump_traceback_later(_PATIENCE, exit=True, file=_stderr)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def pytest_configure() -> None:
    global _stderr
    # Beside that of the tests, which pytest keeps to itself.
    _stderr = os.dup(2)
    if os.environ.get("SEALSTONE_INSTALLED"):
        assert "site-packages" in Path(sealstone.__file__).parts, f"{sealstone.__file__} is not the installed package"
    else:
        # The installed package says so itself, by its entry point.
        fsspec.register_implementation("sealstone", "sealstone.fs.SealedFileSystem")


def pytest_report_header() -> str:
    return f"sealstone: {sealstone.__file__}"


@pytest.fixture(scope="session")
def vectors() -> Path:
    """The folder of vectors, which is the repository's unless SEALSTONE_VECTORS says otherwise."""
    folder = Path(os.environ.get("SEALSTONE_VECTORS") or Path(__file__).parents[3] / "vectors")
    assert (folder / "file").is_dir(), f"no vectors in {folder}: SEALSTONE_VECTORS names their folder"
    return folder


@pytest.fixture(scope="session")
def cli() -> str:
    """The command line, which SEALSTONE_CLI names."""
    path = os.environ.get("SEALSTONE_CLI")
    if not path:
        assert os.environ.get("CI") != "true", "SEALSTONE_CLI names no command line"
        pytest.skip("SEALSTONE_CLI names no command line")
    return path
