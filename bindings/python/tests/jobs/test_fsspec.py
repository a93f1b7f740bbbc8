"""fsspec's own tests of file systems, on sealed files in memory and on a disk."""

import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Keys
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.tests import abstract
from sealstone.fs import SealedFileSystem

OPTIONS: dict[str, dict[str, Any]] = {"memory": {}, "file": {"auto_mkdir": True}}


class Sealed(abstract.AbstractFixtures):  # type: ignore[misc]
    """Sealed files whose names are those of the target, and such as have a suffix there."""

    @pytest.fixture(params=OPTIONS)
    def target(self, request: pytest.FixtureRequest) -> Iterator[str]:
        yield request.param
        MemoryFileSystem.store.clear()
        MemoryFileSystem.pseudo_dirs[:] = [""]

    @pytest.fixture(params=["", ".seal"])
    def fs(self, request: pytest.FixtureRequest, target: str, keys: Keys) -> SealedFileSystem:
        options = {"identities": keys.provider, "recipients": str(keys.recipient), "suffix": request.param}
        return SealedFileSystem(target, OPTIONS[target], **options)

    @pytest.fixture
    def fs_join(self) -> Any:
        return posixpath.join

    @pytest.fixture
    def fs_path(self, target: str, tmp_path: Path) -> str:
        return "/folder" if target == "memory" else str(tmp_path / "folder")


class TestCopy(Sealed, abstract.AbstractCopyTests):  # type: ignore[misc]
    pass


class TestGet(Sealed, abstract.AbstractGetTests):  # type: ignore[misc]
    pass


class TestOpen(Sealed, abstract.AbstractOpenTests):  # type: ignore[misc]
    pass


class TestPipe(Sealed, abstract.AbstractPipeTests):  # type: ignore[misc]
    pass


class TestPut(Sealed, abstract.AbstractPutTests):  # type: ignore[misc]
    pass
