"""What all tests share: where the vectors are, and that the package is the installed one."""

import os
from pathlib import Path

import fsspec
import pytest
import sealstone


def pytest_configure() -> None:
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
