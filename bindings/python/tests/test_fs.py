"""Sealed files through fsspec, on local files and in memory."""

import io
import json
import logging
import multiprocessing
import os
import pickle
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any

import duckdb
import fsspec
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
import sealstone
import zarr
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.spec import AbstractBufferedFile
from hypothesis import given, settings
from hypothesis import strategies as st
from sealstone import errors
from sealstone.fs import SealedFileSystem

IDENTITY = sealstone.generate_identity("x25519")
RECIPIENT = sealstone.recipient_of(IDENTITY)
TEXT = str(sealstone.export_identity(IDENTITY))
OPTIONS = MappingProxyType({"identities": "env:SEALSTONE_TEST_IDENTITY", "recipients": str(RECIPIENT)})
CHUNK = 16_384
SEALED = CHUNK + 16
START = 65_536


def content(length: int) -> bytes:
    return random.Random(length).randbytes(length)


class Counted(MemoryFileSystem):  # type: ignore[misc]
    """Files in memory, and the requests for them."""

    protocol = "counted"
    store: dict[str, Any] = {}  # noqa: RUF012
    pseudo_dirs = [""]  # noqa: RUF012
    cachable = False

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.heads: list[str] = []
        self.gets: list[tuple[int | None, int | None]] = []
        self.batches = 0
        self.bytes = 0

    def info(self, path: str, **options: Any) -> Any:
        self.heads.append(path)
        return super().info(path, **options)

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **options: Any) -> Any:
        self.gets.append((start, end))
        part = super().cat_file(path, start, end, **options)
        self.bytes += len(part)
        return part

    def cat_ranges(self, *parts: Any, **options: Any) -> Any:
        self.batches += 1
        return super().cat_ranges(*parts, **options)

    def asked(self) -> tuple[int, int, int]:
        """Questions for metadata, requests, and bytes that were read since the last call."""
        found = len(self.heads), len(self.gets), self.bytes
        self.heads.clear()
        self.gets.clear()
        self.batches = self.bytes = 0
        return found


class Part(AbstractBufferedFile):  # type: ignore[misc]
    """A file of a store that takes files in parts."""

    def _initiate_upload(self) -> None:
        self.fs.unfinished[self.path] = b""

    def _upload_chunk(self, final: bool = False) -> None:
        self.fs.unfinished[self.path] += self.buffer.getvalue()
        if final and self.autocommit:
            self.commit()

    def commit(self) -> None:
        if "x" in self.mode and self.path in self.fs.files:
            raise FileExistsError(self.path)
        self.fs.files[self.path] = self.fs.unfinished.pop(self.path)

    def discard(self) -> None:
        self.fs.unfinished.pop(self.path, None)


class HastyPart(AbstractBufferedFile):  # type: ignore[misc]
    """The same, of a store that cannot hold a file back, as adlfs cannot: the last part publishes it."""

    _initiate_upload = Part._initiate_upload

    def _upload_chunk(self, final: bool = False) -> None:
        self.fs.unfinished[self.path] += self.buffer.getvalue()
        if final:
            self.fs.files[self.path] = self.fs.unfinished.pop(self.path)


class Store(fsspec.AbstractFileSystem):  # type: ignore[misc]
    """A store that takes files in parts."""

    protocol = "store"
    cachable = False

    def __init__(self, part: type[AbstractBufferedFile] = Part) -> None:
        super().__init__()
        self.part = part
        self.files: dict[str, bytes] = {}
        self.unfinished: dict[str, bytes] = {}

    def _open(self, path: str, mode: str = "rb", block_size: Any = None, **options: Any) -> Any:
        return self.part(self, path, mode, block_size=block_size, **options)

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **options: Any) -> None:
        if mode == "create" and path in self.files:
            raise FileExistsError(path)
        self.files[path] = value

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **options: Any) -> bytes:
        return self.files[path][start:end]

    def info(self, path: str, **options: Any) -> dict[str, Any]:
        if path not in self.files:
            raise FileNotFoundError(path)
        return {"name": path, "size": len(self.files[path]), "type": "file", "etag": hash(self.files[path])}


@pytest.fixture(autouse=True)
def _identity(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SEALSTONE_TEST_IDENTITY", TEXT)
    yield
    for one in (MemoryFileSystem, Counted):
        one.store.clear()
        one.pseudo_dirs[:] = [""]


@pytest.fixture
def counted() -> Counted:
    return Counted()


@pytest.fixture
def fs(counted: Counted) -> SealedFileSystem:
    return SealedFileSystem(fs=counted, **OPTIONS)


@pytest.fixture(params=["memory", "local", "dir"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[SealedFileSystem, str]:
    """A file system, and a folder of it."""
    if request.param == "memory":
        return SealedFileSystem("memory", **OPTIONS), "/folder"
    if request.param == "local":
        return SealedFileSystem("file", {"auto_mkdir": True}, **OPTIONS), str(tmp_path / "folder")
    options = {"path": str(tmp_path), "target_protocol": "file", "target_options": {"auto_mkdir": True}}
    return SealedFileSystem("dir", options, **OPTIONS), "folder"


# Reading


@settings(max_examples=150, deadline=None)
@given(
    length=st.sampled_from([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 200_001]),
    ranges=st.lists(
        st.tuples(*[st.none() | st.integers(-220_000, 220_000) | st.sampled_from([0, CHUNK, -1, 2 * CHUNK])] * 2),
        min_size=1,
        max_size=6,
    ),
)
def test_ranges_are_slices_of_the_plaintext(length: int, ranges: list[tuple[int | None, int | None]]) -> None:
    fs = SealedFileSystem("memory", identities=IDENTITY, recipients=RECIPIENT)
    plaintext = content(length)
    fs.pipe_file("/ranges", plaintext)
    starts, ends = (list(column) for column in zip(*ranges, strict=True))
    wanted = [plaintext[start:end] for start, end in ranges]
    assert fs.cat_ranges(["/ranges"] * len(ranges), starts, ends) == wanted
    assert [fs.cat_file("/ranges", start, end) for start, end in ranges] == wanted


@pytest.mark.parametrize("length", [0, 1, CHUNK, START - 300, START, 100_000, 150_000, 1_000_000])
def test_opening_costs_a_question_and_a_request_and_for_long_files_two(
    fs: SealedFileSystem, counted: Counted, length: int
) -> None:
    plaintext = content(length)
    fs.pipe_file("/x", plaintext)
    sealed = counted.info("/x")["size"]
    counted.asked()
    file = fs.open("/x")
    heads, gets, read = counted.asked()
    assert (heads, gets) == (1, 1 if sealed <= START + 5 * SEALED else 2)
    assert read == min(sealed, START + 5 * SEALED)
    # The end that readers of Parquet ask for is at hand, and who opens it again asks whether it has changed.
    file.seek(-min(length, START), os.SEEK_END)
    assert file.read() == plaintext[-START:]
    with fs.open("/x") as again:
        assert again.read(100) == plaintext[:100]
    assert counted.asked() == (1, 0, 0)
    # The bytes behind them are read by whole chunks.
    file.seek(length // 2)
    assert file.read(10) == plaintext[length // 2 :][:10]
    assert counted.asked()[2] in (0, SEALED, 2 * SEALED)


def test_a_reader_reads_what_is_asked_and_further_on_when_it_goes_on(fs: SealedFileSystem, counted: Counted) -> None:
    plaintext = content(20_000_000)
    fs.pipe_file("/x", plaintext)
    with fs.open("/x", block_size=1 << 20) as file:
        counted.asked()
        file.seek(5_000_000)
        assert file.read(100_000) == plaintext[5_000_000:5_100_000]
        _, gets, read = counted.asked()
        assert (gets, read) == (1, 7 * SEALED)
        assert file.read(1000) == plaintext[5_100_000:5_101_000]
        assert file.read(1 << 19) == plaintext[5_101_000 : 5_101_000 + (1 << 19)]
        _, gets, read = counted.asked()
        assert (gets, read) == (1, 64 * SEALED)
        file.seek(0)
        assert file.read() == plaintext


def test_ranges_of_several_files_are_two_batches(fs: SealedFileSystem, counted: Counted) -> None:
    files = {f"/many/{number}": content(100_000 + number) for number in range(5)}
    fs.pipe(files)
    counted.asked()
    names = sorted(files)
    ranges = [(name, start, start + 100) for name in names for start in (70_000, 16_000, 70_050, 16_384)]
    found = fs.cat_ranges(*(list(column) for column in zip(*ranges, strict=True)))
    assert found == [files[name][start:end] for name, start, end in ranges]
    assert counted.batches == 2
    heads, gets, read = counted.asked()
    # Five heads, and of each file two chunks that touch and one more, each of them once.
    assert (heads, gets, read) == (5, 15, 5 * (START + 3 * SEALED))
    # The heads are known by now.
    fs.cat_ranges(names, 70_000, 70_100)
    assert counted.batches == 1
    assert counted.asked() == (5, 5, 5 * SEALED)
    # A range that ends where the file does needs the chunk that proves it.
    fs.cat_file(names[0], -10)
    assert counted.asked() == (1, 1, 100_000 % CHUNK + 16)
    # Whole files need no question, and are one batch.
    assert fs.cat(names) == files
    assert counted.batches == 1
    assert counted.asked()[:2] == (0, 5)


def test_what_fails_takes_its_place(fs: SealedFileSystem, counted: Counted) -> None:
    fs.pipe_file("/good", b"good")
    counted.pipe_file("/plain", b"no sealed file" * 100)
    SealedFileSystem(fs=counted, recipients=sealstone.recipient_of(sealstone.generate_identity())).pipe_file(
        "/other", b"?"
    )
    for start, end in ((None, None), (0, 4)):
        found = fs.cat_ranges(["/good", "/plain", "/other", "/absent", "/good"], start, end)
        assert found[0] == found[4] == b"good"
        assert [type(one) for one in found[1:4]] == [errors.NotSealstone, errors.NoMatchingIdentity, FileNotFoundError]
        with pytest.raises(errors.NotSealstone):
            fs.cat_ranges(["/good", "/plain", "/absent"], start, end, on_error="raise")
    assert set(fs.cat(["/good", "/plain"], on_error="omit")) == {"/good"}
    assert isinstance(fs.cat(["/good", "/plain"], on_error="return")["/plain"], errors.NotSealstone)
    for path, error in (("/plain", errors.NotSealstone), ("/absent", FileNotFoundError), ("/", IsADirectoryError)):
        with pytest.raises(error):
            fs.open(path)


@pytest.mark.parametrize("length", [40_000, 400_000])
def test_damage_is_never_read(fs: SealedFileSystem, counted: Counted, length: int) -> None:
    plaintext = content(length)
    fs.pipe_file("/x", plaintext)
    sealed = counted.cat_file("/x")
    head = len(sealed) - len(plaintext) - 16 * (length // CHUNK + 1)
    counted.pipe_file("/damaged", bytes(byte ^ (at == head + SEALED + 5) for at, byte in enumerate(sealed)))
    with fs.open("/damaged") as file:
        assert file.read(CHUNK) == plaintext[:CHUNK]
        with pytest.raises(errors.NotAuthentic, match=r"^'/damaged': chunk 1 "):
            file.read(1)
    assert fs.cat_file("/damaged", 0, 100) == plaintext[:100]
    assert fs.cat_file("/damaged", -100) == plaintext[-100:]
    for start, end in ((CHUNK, CHUNK + 1), (0, None), (None, None)):
        with pytest.raises(errors.NotAuthentic, match=r"^'/damaged': chunk 1 "):
            fs.cat_file("/damaged", start, end)
    for cut in (1, 1000, length % CHUNK + 16, length % CHUNK + 17, SEALED + 5, 2 * SEALED):
        counted.pipe_file("/short", sealed[: len(sealed) - cut])
        for read in (
            lambda: fs.open("/short"),
            lambda: fs.cat_file("/short"),
            lambda: fs.cat_file("/short", -10),
            lambda: fs.cat_file("/short", length - 10, length),
            lambda: fs.cat_file("/short", length, length + 10),
        ):
            with pytest.raises((errors.Truncated, errors.NotAuthentic), match=r"^'/short': "):
                read()


def test_a_file_that_was_replaced_is_read_anew(fs: SealedFileSystem, counted: Counted) -> None:
    for length in (100, 100, 300_000, 300_000, 50):
        plaintext = random.randbytes(length)
        # Another file system wrote it, so this one remembers the one before.
        SealedFileSystem(fs=counted, **OPTIONS).pipe_file("/x", plaintext)
        with fs.open("/x") as file:
            assert file.read() == plaintext
        assert fs.cat_file("/x", 10, 40) == plaintext[10:40]
        assert fs.info("/x")["size"] == length


def test_a_file_that_is_replaced_while_it_is_read_is_no_mixture(fs: SealedFileSystem, counted: Counted) -> None:
    fs.pipe_file("/x", content(1_000_000))
    with fs.open("/x") as file:
        fs.pipe_file("/x", content(1_000_000))
        file.seek(500_000)
        with pytest.raises(errors.NotAuthentic):
            file.read(1)


def test_armour_is_read_as_a_whole(fs: SealedFileSystem, counted: Counted) -> None:
    counted.pipe_file("/x", sealstone.encrypt(b"attack at dawn", recipients=RECIPIENT, armour=True))
    assert fs.cat_file("/x") == b"attack at dawn"
    assert fs.info("/x")["size"] is None
    with pytest.raises(errors.NotSeekable):
        fs.open("/x")


def test_threads_read_one_file(fs: SealedFileSystem) -> None:
    plaintext = content(3_000_000)
    fs.pipe_file("/x", plaintext)
    places = [random.Random(seed).randrange(2_900_000) for seed in range(64)]
    lock = threading.Lock()
    with fs.open("/x") as file, ThreadPoolExecutor(8) as threads:

        def read(at: int) -> bytes:
            with lock:
                file.seek(at)
                return bytes(file.read(50_000))

        assert list(threads.map(read, places)) == [plaintext[at : at + 50_000] for at in places]
        assert list(threads.map(lambda at: fs.cat_file("/x", at, at + 1000), places)) == [
            plaintext[at : at + 1000] for at in places
        ]
        # Without a lock of theirs each read is whole, though in no known order.
        file.seek(0)
        parts = list(threads.map(lambda _: file.read(10_000), range(300)))
    assert sorted(parts) == sorted(plaintext[at : at + 10_000] for at in range(0, 3_000_000, 10_000))


# Names, sizes and folders


def test_listing_many_files_reads_none(fs: SealedFileSystem, counted: Counted) -> None:
    fs.pipe({f"/many/{number:03}": content(number) for number in range(300)})
    counted.pipe_file("/many/plain", b"no sealed file")
    counted.asked()
    listed = fs.ls("/many")
    assert len(listed) == len(fs.find("/many", detail=True)) == len(fs.glob("/many/*")) == 301
    assert all(one["size"] is None and one["sealed_size"] for one in listed)
    assert next(iter(fs.walk("/many", detail=True)))[2]["000"]["size"] is None
    assert counted.asked()[1:] == (0, 0)
    # The sizes are to be had, in batches.
    wanted = {f"/many/{number:03}": number for number in range(300)} | {"/many/plain": None}
    assert {one["name"]: one["size"] for one in fs.ls("/many", sizes=True)} == wanted
    assert counted.batches == 2
    assert counted.asked()[1] == 301
    assert {name: one["size"] for name, one in fs.find("/many", detail=True, sizes=True).items()} == wanted
    assert fs.sizes(list(wanted)) == list(wanted.values())
    assert fs.du("/many") == sum(range(300))
    assert fs.du("/many", total=False)["/many/007"] == 7


def test_a_compressed_file_has_no_length_and_is_not_read_in_parts(
    fs: SealedFileSystem, counted: Counted, vectors: Path
) -> None:
    vector = vectors / "file" / "compressed_content_of_65792"
    counted.pipe_file("/packed", vector.read_bytes().partition(b"\n\n")[2])
    assert fs.sizes(["/packed"]) == [None] == [fs.info("/packed")["size"]]
    with pytest.raises(errors.UnsupportedVersion, match="compressed"):
        fs.cat_file("/packed", 0, 5)
    with pytest.raises(errors.UnsupportedVersion, match="compressed"):
        fs.open("/packed")


def test_what_there_is_of_a_file(fs: SealedFileSystem, counted: Counted) -> None:
    fs.pipe_file("/folder/x", content(100_000))
    counted.asked()
    info = fs.info("/folder/x")
    assert (info["name"], info["size"], info["type"]) == ("/folder/x", 100_000, "file")
    assert info["sealed_size"] == counted.info("/folder/x")["size"] > 100_000
    assert counted.asked() == (2, 1, START)
    assert fs.size("/folder/x") == 100_000
    assert counted.asked() == (1, 0, 0)
    assert fs.ukey("/folder/x") == counted.ukey("/folder/x")
    assert fs.checksum("/folder/x") == counted.checksum("/folder/x")
    assert fs.modified("/folder/x") == counted.modified("/folder/x")
    assert fs.created("/folder/x") == counted.created("/folder/x")
    assert fs.info("/folder")["type"] == "directory"
    assert fs.isdir("/folder") and not fs.isfile("/folder") and fs.exists("/folder")
    assert fs.isfile("/folder/x") and not fs.isdir("/folder/x") and fs.exists("/folder/x")
    assert not fs.exists("/absent") and not fs.isfile("/absent")
    with pytest.raises(FileNotFoundError):
        fs.info("/absent")
    assert fs.head("/folder/x", 5) == content(100_000)[:5]
    assert fs.tail("/folder/x", 5) == content(100_000)[-5:]
    assert fs.read_block("/folder/x", 10, 20) == content(100_000)[10:30]


def test_files_and_folders(place: tuple[SealedFileSystem, str], tmp_path: Path) -> None:
    fs, folder = place
    fs.makedirs(f"{folder}/a/b")
    with pytest.raises(FileExistsError):
        fs.makedirs(f"{folder}/a/b")
    fs.makedirs(f"{folder}/a/b", exist_ok=True)
    fs.mkdir(f"{folder}/empty")
    fs.rmdir(f"{folder}/empty")
    assert not fs.exists(f"{folder}/empty")
    fs.pipe_file(f"{folder}/a/one", b"1")
    fs.pipe_file(f"{folder}/a/b/two", b"22")
    assert fs.ls(f"{folder}/a", detail=False) in (
        [f"{folder}/a/b", f"{folder}/a/one"],
        [f"{folder}/a/one", f"{folder}/a/b"],
    )
    assert fs.find(folder) == [f"{folder}/a/b/two", f"{folder}/a/one"]
    assert fs.find(f"{folder}/a/one", detail=True)[f"{folder}/a/one"]["name"] == f"{folder}/a/one"
    assert fs.glob(f"{folder}/**/t*") == [f"{folder}/a/b/two"]
    assert [files for _, _, files in fs.walk(f"{folder}/a")] == [["one"], ["two"]]
    sealed = fs.fs.cat_file(f"{folder}/a/one")
    fs.cp(f"{folder}/a/one", f"{folder}/copy")
    assert fs.fs.cat_file(f"{folder}/copy") == sealed
    assert fs.cat_file(f"{folder}/copy") == b"1"
    fs.cp(f"{folder}/a", f"{folder}/c", recursive=True)
    assert fs.cat(f"{folder}/c", recursive=True) == {f"{folder}/c/one": b"1", f"{folder}/c/b/two": b"22"}
    assert fs.cat_file(f"{folder}/c/b/two") == b"22"
    fs.mv(f"{folder}/copy", f"{folder}/moved")
    assert not fs.exists(f"{folder}/copy")
    assert fs.fs.cat_file(f"{folder}/moved") == sealed
    fs.rm(f"{folder}/moved")
    fs.rm_file(f"{folder}/c/one")
    fs.rm(f"{folder}/c", recursive=True)
    assert fs.find(folder) == [f"{folder}/a/b/two", f"{folder}/a/one"]
    fs.touch(f"{folder}/nothing")
    assert fs.cat_file(f"{folder}/nothing") == b"" and fs.size(f"{folder}/nothing") == 0
    # To and from plain files.
    plain = tmp_path / "plain"
    (plain / "deep").mkdir(parents=True)
    (plain / "x").write_bytes(content(5_000_000))
    (plain / "deep" / "y").write_bytes(b"y")
    fs.put(str(plain), f"{folder}/up", recursive=True)
    assert fs.cat_file(f"{folder}/up/x") == content(5_000_000)
    assert fs.fs.cat_file(f"{folder}/up/x").startswith(sealed[:8])
    fs.get(f"{folder}/up", str(tmp_path / "down"), recursive=True)
    assert (tmp_path / "down" / "x").read_bytes() == content(5_000_000)
    assert (tmp_path / "down" / "deep" / "y").read_bytes() == b"y"
    with pytest.raises(FileExistsError):
        fs.put_file(str(plain / "x"), f"{folder}/up/x", mode="create")
    into = io.BytesIO()
    fs.get_file(f"{folder}/up/x", into)
    assert into.getvalue() == content(5_000_000)


def test_a_file_that_is_damaged_is_not_got(place: tuple[SealedFileSystem, str], tmp_path: Path) -> None:
    fs, folder = place
    fs.pipe_file(f"{folder}/x", content(100_000))
    sealed = fs.fs.cat_file(f"{folder}/x")
    fs.fs.pipe_file(f"{folder}/x", sealed[:-1] + bytes([sealed[-1] ^ 1]))
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(errors.NotAuthentic):
        fs.get_file(f"{folder}/x", str(out / "x"))
    assert list(out.iterdir()) == []


def test_a_suffix_is_on_the_target_alone(tmp_path: Path) -> None:
    for target, folder in (("memory", "/folder"), ("file", str(tmp_path / "folder"))):
        fs = SealedFileSystem(target, {"auto_mkdir": True} if target == "file" else {}, suffix=".seal", **OPTIONS)
        fs.pipe_file(f"{folder}/a/x", b"x")
        fs.fs.pipe_file(f"{folder}/a/plain", b"no sealed file")
        assert sorted(fs.fs.ls(f"{folder}/a", detail=False)) == [f"{folder}/a/plain", f"{folder}/a/x.seal"]
        assert fs.ls(f"{folder}/a", detail=False) == fs.find(folder) == fs.glob(f"{folder}/*/*") == [f"{folder}/a/x"]
        assert fs.ls(f"{folder}/a/x", detail=False) == fs.find(f"{folder}/a/x") == [f"{folder}/a/x"]
        assert fs.find(f"{folder}", detail=True, sizes=True)[f"{folder}/a/x"]["size"] == 1
        assert fs.info(f"{folder}/a/x")["name"] == f"{folder}/a/x"
        assert fs.info(f"{folder}/a")["type"] == "directory"
        assert fs.exists(f"{folder}/a") and fs.exists(f"{folder}/a/x") and fs.isdir(f"{folder}/a")
        for absent in ("plain", "x.seal"):
            assert not fs.exists(f"{folder}/a/{absent}")
            with pytest.raises(FileNotFoundError):
                fs.info(f"{folder}/a/{absent}")
        fs.cp(f"{folder}/a/x", f"{folder}/a/y")
        fs.mv(f"{folder}/a/y", f"{folder}/a/z")
        fs.mv(f"{folder}/a", f"{folder}/b", recursive=True)
        assert fs.cat(f"{folder}/b/*") == {f"{folder}/b/x": b"x", f"{folder}/b/z": b"x"}
        assert fs.cat_ranges([f"{folder}/b/x"], 0, 1) == [b"x"]
        fs.rm(f"{folder}/b/x")
        assert fs.ls(f"{folder}/b", detail=False) == [f"{folder}/b/z"]
        fs.rm(f"{folder}/b", recursive=True)
        assert not fs.fs.exists(f"{folder}/b")


def test_paths_are_those_of_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fs = fsspec.filesystem("sealstone", **OPTIONS)
    for path in ("x", f"{tmp_path}/x", f"file://{tmp_path}/x", f"sealstone://{tmp_path}/x", tmp_path / "x"):
        fs.pipe_file(path, b"x")
        assert fs.cat(path) == b"x"
        assert fs.info(path)["name"] == f"{tmp_path}/x"
        fs.rm(path)
    assert fs._strip_protocol([f"file://{tmp_path}/x", "y"]) == [f"{tmp_path}/x", f"{tmp_path}/y"]
    assert fs._parent(f"file://{tmp_path}/x") == str(tmp_path)
    assert fs.unstrip_protocol(f"{tmp_path}/x") == f"sealstone://{tmp_path}/x"


# Writing


def test_a_file_is_there_when_it_is_complete(place: tuple[SealedFileSystem, str]) -> None:
    fs, folder = place
    with fs.open(f"{folder}/x", "wb") as file:
        for at in range(0, 20_000_000, 1_000_000):
            file.write(content(1_000_000) if at else b"first")
        assert not fs.exists(f"{folder}/x")
    assert fs.cat_file(f"{folder}/x") == b"first" + 19 * content(1_000_000)
    with fs.open(f"{folder}/x", "w", encoding="latin-1", newline="\r\n") as text:
        text.write("dämmerung\n")
    assert fs.cat_file(f"{folder}/x").decode("latin-1") == "dämmerung\r\n"
    with fs.open(f"{folder}/x", encoding="latin-1", mode="r") as text:
        assert text.read() == "dämmerung\n"
    with fs.open(f"{folder}/x.gz", "wb", compression="gzip") as file:
        file.write(b"packed" * 1000)


def test_exclusive_files_and_modes(place: tuple[SealedFileSystem, str]) -> None:
    fs, folder = place
    with fs.open(f"{folder}/x", "xb") as file:
        file.write(b"first")
    for mode in ("xb", "x"):
        with pytest.raises(errors.OutputExists, match=f"{folder}/x already exists"):
            fs.open(f"{folder}/x", mode)
    with pytest.raises(FileExistsError):
        fs.pipe_file(f"{folder}/x", b"second", mode="create")
    assert fs.cat_file(f"{folder}/x") == b"first"
    # A file that appears after the opening is not replaced either.
    with pytest.raises(FileExistsError), fs.open(f"{folder}/late", "xb") as file:
        fs.pipe_file(f"{folder}/late", b"first")
        file.write(b"second")
    assert fs.cat_file(f"{folder}/late") == b"first"
    for mode in ("ab", "r+b", "a", "w+b"):
        with pytest.raises(io.UnsupportedOperation, match="as a whole"):
            fs.open(f"{folder}/x", mode)
    with pytest.raises(TypeError, match="version_id"):
        fs.open(f"{folder}/x", version_id="1")
    assert fs.cat_file(f"{folder}/x") == b"first"


WRITES = {
    "bytes": lambda fs, path: fs.open(path, "wb"),
    "text": lambda fs, path: fs.open(path, "w"),
    "exclusive": lambda fs, path: fs.open(path, "xb"),
    "an OpenFile": lambda fs, path: fsspec.core.OpenFile(fs, path, "wb"),
    "an OpenFile of text": lambda fs, path: fsspec.core.OpenFile(fs, path, "w"),
}


@pytest.mark.parametrize("kind", WRITES)
@pytest.mark.parametrize("length", [10, 300_000, 30_000_000])
def test_an_exception_leaves_nothing(place: tuple[SealedFileSystem, str], kind: str, length: int) -> None:
    fs, folder = place
    fs.makedirs(folder, exist_ok=True)
    if kind != "exclusive":
        fs.pipe_file(f"{folder}/x", b"before")
    before = fs.find(folder)
    data = "x" * length if "text" in kind else b"x" * length
    with pytest.raises(KeyError, match="dusk"), WRITES[kind](fs, f"{folder}/x") as file:
        file.write(data)
        raise KeyError("dusk")
    assert fs.find(folder) == before
    assert kind == "exclusive" or fs.cat_file(f"{folder}/x") == b"before"
    # Nor does one that is never closed, which is warned of.
    if "OpenFile" not in kind:
        with pytest.warns(ResourceWarning, match=r"unclosed .*/x'.*lost"):
            WRITES[kind](fs, f"{folder}/x").write(data)
        assert fs.find(folder) == before
    # While an earlier exception is handled, files are written as ever.
    try:
        raise KeyError("dusk")
    except KeyError:
        with WRITES[kind](fs, f"{folder}/x") as file:
            file.write(data)
    assert fs.size(f"{folder}/x") == length


@pytest.mark.parametrize("part", [Part, HastyPart])
def test_a_store_that_takes_parts(part: type[AbstractBufferedFile]) -> None:
    store = Store(part)
    fs = SealedFileSystem(fs=store, identities=IDENTITY, recipients=RECIPIENT)
    for length in (10, 16 << 20, 40_000_000):
        plaintext = content(length)
        with fs.open("x", "wb", block_size=5 << 20) as file:
            file.write(plaintext)
        assert fs.cat_file("x") == plaintext
        store.files.clear()
        with pytest.raises(KeyError), fs.open("x", "wb", block_size=5 << 20) as file:
            file.write(plaintext)
            raise KeyError("dusk")
        with pytest.raises(KeyError), fsspec.core.OpenFile(fs, "x", "wb") as file:
            file.write(plaintext)
            raise KeyError("dusk")
        assert store.files == {}
        assert part is HastyPart or store.unfinished == {}
        store.unfinished.clear()


def test_a_store_that_fails_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store()
    fs = SealedFileSystem(fs=store, identities=IDENTITY, recipients=RECIPIENT)

    def fail(*_: object, **__: object) -> None:
        raise ConnectionError("dusk")

    for name in ("_upload_chunk", "commit"):
        with monkeypatch.context() as patch:
            patch.setattr(Part, name, fail)
            with pytest.raises(ConnectionError, match="dusk"), fs.open("x", "wb") as file:
                file.write(content(40_000_000))
        assert (store.files, store.unfinished) == ({}, {})
    with pytest.raises(FileExistsError), fs.open("x", "xb") as file:
        store.files["x"] = b"before"
        file.write(content(40_000_000))
    assert (store.files, store.unfinished) == ({"x": b"before"}, {})


def test_transactions(place: tuple[SealedFileSystem, str]) -> None:
    fs, folder = place
    fs.makedirs(folder, exist_ok=True)
    with fs.transaction:
        fs.pipe_file(f"{folder}/x", b"x")
        with fs.open(f"{folder}/y", "wb") as file:
            file.write(content(300_000))
        assert fs.find(folder) == []
    assert fs.cat(f"{folder}/*") == {f"{folder}/x": b"x", f"{folder}/y": content(300_000)}
    with pytest.raises(KeyError), fs.transaction:
        fs.pipe_file(f"{folder}/z", b"z")
        raise KeyError("dusk")
    assert fs.find(folder) == [f"{folder}/x", f"{folder}/y"]
    fs.pipe_file(f"{folder}/z", b"z")
    assert fs.cat_file(f"{folder}/z") == b"z"


def test_who_may_read(monkeypatch: pytest.MonkeyPatch) -> None:
    other = sealstone.generate_identity()
    monkeypatch.setenv("OTHER", str(sealstone.export_identity(other)))
    monkeypatch.setenv("OTHER_PUBLIC", str(sealstone.recipient_of(other)))
    several = [RECIPIENT, "env:OTHER_PUBLIC"]
    with pytest.raises(errors.MixedRecipients):
        SealedFileSystem("memory", recipients=several).pipe_file("/x", b"x")
    fs = SealedFileSystem("memory", recipients=several, allow_mixed=True, context="file x", suite="chacha20-poly1305")
    fs.pipe_file("/x", b"x")
    assert sealstone.inspect(fs.fs.cat_file("/x")).suite == "chacha20-poly1305"
    for identities in (IDENTITY, "env:OTHER", [other, IDENTITY], ["env:OTHER", IDENTITY]):
        reader = SealedFileSystem("memory", identities=identities, context=b"file x")
        assert reader.open("/x").read() == b"x"
    for options, error in (
        ({"identities": IDENTITY}, errors.ContextRequired),
        ({"identities": IDENTITY, "context": "file y"}, errors.NotAuthentic),
        ({"identities": sealstone.generate_identity(), "context": "file x"}, errors.NoMatchingIdentity),
        ({}, TypeError),
        ({"identities": IDENTITY, "context": "file x", "profile": "fips"}, errors.NotInProfile),
    ):
        for read in (lambda fs: fs.open("/x"), lambda fs: fs.cat_file("/x"), lambda fs: fs.cat_file("/x", 0, 1)):
            with pytest.raises(error):
                read(SealedFileSystem("memory", **options))
    with pytest.raises(errors.InvalidRecipients):
        SealedFileSystem("memory", identities=IDENTITY).pipe_file("/y", b"y")


def test_passphrases_and_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PASSPHRASE", "correct horse battery staple")
    (tmp_path / "key").write_bytes(bytes(range(32)))
    for options in ({"passphrase": "env:PASSPHRASE"}, {"key": f"file:{tmp_path}/key"}):
        fs = SealedFileSystem("memory", **options)
        fs.pipe_file("/x", content(100_000))
        assert fs.cat_file("/x") == content(100_000)
        with pytest.raises(errors.NoMatchingIdentity):
            SealedFileSystem("memory", identities=IDENTITY).open("/x")
    assert sealstone.decrypt(fs.fs.cat_file("/x"), key=bytes(range(32))) == content(100_000)


def test_a_password_hash_is_paid_once_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PASSPHRASE", "correct horse battery staple")
    from sealstone import _streams

    made = []
    chunks = _streams._native.Chunks
    monkeypatch.setattr(_streams._native, "Chunks", lambda *parts: made.append(parts) or chunks(*parts))
    for target, path in (("memory", "/x"), ("file", f"{tmp_path}/x")):
        fs = SealedFileSystem(target, passphrase="env:PASSPHRASE")
        fs.pipe_file(path, b"x")
        made.clear()
        for _ in range(3):
            with fs.open(path) as file:
                assert file.read() == b"x"
            assert fs.cat_file(path, 0, 1) == b"x"
        assert len(made) == 1


# Options go everywhere, and secrets must not


def test_secrets_are_nowhere(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("PASSPHRASE", "correct horse battery staple")
    monkeypatch.setenv("KEY", str(sealstone.export_identity(sealstone.identity_from_key(bytes(32)))))
    secrets = [TEXT, TEXT[17:40], "horse", os.environ["KEY"], os.environ["KEY"][15:40]]
    texts = []
    for options in (OPTIONS, {"passphrase": "env:PASSPHRASE"}, {"key": "env:KEY"}):
        fs = SealedFileSystem("memory", **options)
        with fs.open("/x", "wb") as file:
            file.write(b"x")
        reader = fs.open("/x")
        texts += [repr(fs), str(fs), repr(reader), repr(file), str(vars(fs)), str(vars(reader))]
        texts += [fs._fs_token, str(fs.to_dict()), fs.to_json(), repr(fs.storage_options)]
        texts += [pickle.dumps(fs).decode("latin-1"), pickle.dumps(fsspec.core.OpenFile(fs, "/x")).decode("latin-1")]
        assert pickle.loads(pickle.dumps(fs)).cat_file("/x") == b"x"
        assert fsspec.AbstractFileSystem.from_json(fs.to_json()).cat_file("/x") == b"x"
        assert fsspec.AbstractFileSystem.from_dict(fs.to_dict()) == fs
        fs.fs.pipe_file("/x", b"no sealed file")
        try:
            fs.open("/x")
        except errors.NotSealstone as error:
            texts.append(repr(error))
    # A caller with the secret itself is told so, in other words.
    for name, secret in (
        ("identities", TEXT),
        ("identities", [TEXT]),
        ("passphrase", "correct horse battery staple"),
        ("key", os.environ["KEY"]),
        ("key", bytes(range(65, 97))),
        ("passphrase", 7),
    ):
        with pytest.raises((ValueError, TypeError), match="named by its provider") as raised:
            fsspec.filesystem("sealstone", target_protocol="memory", **{name: secret})
        texts.append(repr(raised.value))
        with pytest.raises((ValueError, TypeError), match="named by its provider") as raised:
            pd.read_parquet("sealstone::memory://x", storage_options={"sealstone": {name: secret}})
        texts.append(repr(raised.value))
    texts += [record.getMessage() for record in caplog.records]
    assert len(texts) > 40
    for text in texts:
        for secret in [*secrets, "ABCDEFGHIJ"]:
            assert secret not in text


def test_an_identity_works_and_stays() -> None:
    fs = SealedFileSystem("memory", identities=IDENTITY, recipients=RECIPIENT)
    fs.pipe_file("/x", b"x")
    assert fs.cat_file("/x") == b"x"
    for serialise in (pickle.dumps, lambda fs: fs.to_json(), json.dumps):
        with pytest.raises(TypeError):
            serialise(fs)
    for text in (repr(fs), fs._fs_token, repr(fs.storage_options)):
        assert TEXT[17:40] not in text


def _read(fs: SealedFileSystem, path: str) -> bytes:
    return bytes(fs.cat_file(path))


def test_another_process_reads_with_its_own_secret(tmp_path: Path) -> None:
    fs = SealedFileSystem("file", **OPTIONS)
    fs.pipe_file(f"{tmp_path}/x", b"x")
    for kind in ("fork", "spawn"):
        with multiprocessing.get_context(kind).Pool(1) as pool:
            assert pool.apply(_read, (fs, f"{tmp_path}/x")) == b"x"


def test_file_systems_are_not_shared() -> None:
    other = sealstone.generate_identity("x25519")
    assert fsspec.filesystem("sealstone", identities=IDENTITY) is not fsspec.filesystem("sealstone", identities=other)
    with pytest.raises(TypeError, match="identites"):
        fsspec.filesystem("sealstone", identites="env:X")


# The libraries


FRAME = pd.DataFrame({"number": range(50_000), "name": [f"name {number % 977}" for number in range(50_000)]})


@pytest.fixture(params=["memory", "file"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "memory://tables" if request.param == "memory" else f"file://{tmp_path}"


def test_pandas(url: str) -> None:
    for is_nested in (False, True):
        options = {"sealstone": dict(OPTIONS)} if is_nested else dict(OPTIONS)
        FRAME.to_parquet(f"sealstone::{url}/t.parquet.seal", storage_options=options)
        assert pd.read_parquet(f"sealstone::{url}/t.parquet.seal", storage_options=options).equals(FRAME)
        FRAME.to_csv(f"sealstone::{url}/t.csv.seal", storage_options=options, index=False)
        assert pd.read_csv(f"sealstone::{url}/t.csv.seal", storage_options=options).equals(FRAME)
        FRAME.to_csv(f"sealstone::{url}/t.csv.gz", storage_options=options, index=False)
        assert pd.read_csv(f"sealstone::{url}/t.csv.gz", storage_options=options).equals(FRAME)
    FRAME.to_json(f"sealstone::{url}/t.json", storage_options=options, orient="records", lines=True)
    assert pd.read_json(f"sealstone::{url}/t.json", storage_options=options, lines=True).equals(FRAME)
    some = pd.read_parquet(f"sealstone::{url}/t.parquet.seal", columns=["name"], storage_options=options)
    assert some.equals(FRAME[["name"]])
    plain = fsspec.open(f"{url}/t.parquet.seal").open().read()
    assert b"PAR1" not in plain and sealstone.decrypt(plain, identities=IDENTITY).startswith(b"PAR1")


def test_pandas_that_fails_leaves_nothing(url: str) -> None:
    class Odd:
        def __str__(self) -> str:
            raise KeyError("dusk")

    frame = pd.DataFrame({"x": [*range(50_000), Odd()]})
    with pytest.raises(KeyError, match="dusk"):
        frame.to_csv(f"sealstone::{url}/bad.csv", storage_options=dict(OPTIONS))
    fs, path = fsspec.url_to_fs(f"sealstone::{url}/bad.csv", **OPTIONS)
    assert not fs.exists(path)


def test_pyarrow_datasets(url: str) -> None:
    fs, folder = fsspec.url_to_fs(f"sealstone::{url}", **OPTIONS)
    table = pa.Table.from_pandas(FRAME).append_column("part", pa.array([number % 3 for number in range(50_000)]))
    for suffix in (None, ".seal"):
        fs = SealedFileSystem(fs=fs.fs, suffix=suffix, **OPTIONS)
        base = f"{folder}/data{suffix}"
        ds.write_dataset(table, base, format="parquet", filesystem=fs, partitioning=["part"])
        dataset = ds.dataset(base, format="parquet", filesystem=fs, partitioning=["part"])
        assert dataset.count_rows() == 50_000
        assert dataset.to_table(filter=ds.field("part") == 1, columns=["number"])["number"].to_pylist() == list(
            range(1, 50_000, 3)
        )
        assert pq.read_table(base, filesystem=fs, partitioning=["part"]).num_rows == 50_000
        pq.write_table(table, f"{base}/one.parquet", filesystem=fs)
        assert pq.read_table(f"{base}/one.parquet", filesystem=fs).equals(table)
        assert fs.fs.find(base)[0].endswith(suffix or "parquet")


def test_duckdb(url: str) -> None:
    fs, folder = fsspec.url_to_fs(f"sealstone::{url}", **OPTIONS)
    for number in range(3):
        fs.makedirs(f"{folder}/duck/part={number}")
        FRAME.to_parquet(f"sealstone::{url}/duck/part={number}/t.parquet", storage_options=dict(OPTIONS))
    connection = duckdb.connect()
    connection.execute("set threads = 4")
    connection.register_filesystem(fs)
    root = f"sealstone://{folder}"
    query = f"select part, sum(number), count(distinct name) from read_parquet('{root}/duck/*/*.parquet') group by part order by part"
    assert connection.sql(query).fetchall() == [(number, 1_249_975_000, 977) for number in range(3)]
    connection.sql(f"copy (select range as x from range(1000000)) to '{root}/out.parquet' (format parquet)")
    assert connection.sql(f"select sum(x) from '{root}/out.parquet'").fetchall() == [(499_999_500_000,)]
    connection.sql(f"copy (select range as x from range(1000)) to '{root}/out.csv' (format csv)")
    assert connection.sql(f"select sum(x) from read_csv('{root}/out.csv')").fetchall() == [(499_500,)]
    bad = "select case when range = 900000 then error('dusk') else range end as x from range(1000000)"
    with pytest.raises(duckdb.Error, match="dusk"):
        connection.sql(f"copy ({bad}) to '{root}/bad.parquet' (format parquet)")
    assert not fs.exists(f"{folder}/bad.parquet")
    assert fs.fs.cat_file(f"{folder}/out.parquet", 0, 4) != b"PAR1"


def test_polars(url: str) -> None:
    fs, folder = fsspec.url_to_fs(f"sealstone::{url}", **OPTIONS)
    frame = pl.from_pandas(FRAME)
    with fs.open(f"{folder}/p.parquet", "wb") as file:
        frame.write_parquet(file)
    with fs.open(f"{folder}/p.parquet") as file:
        assert pl.read_parquet(file).equals(frame)
    with fs.open(f"{folder}/p.parquet") as file:
        assert pl.scan_parquet(file).select(pl.col("number").sum()).collect().item() == 1_249_975_000
    with fs.open(f"{folder}/p.csv", "wb") as file:
        frame.write_csv(file)
    with fs.open(f"{folder}/p.csv") as file:
        assert pl.read_csv(file).equals(frame)


def test_zarr(url: str) -> None:
    storage: dict[str, Any] = {"sealstone": dict(OPTIONS)}
    if url.startswith("file"):
        storage["file"] = {"auto_mkdir": True}
    options = {"storage_options": storage}
    data = np.arange(1_000_000.0).reshape(1000, 1000)
    store = zarr.storage.FsspecStore.from_url(f"sealstone::{url}/z", **options)
    group = zarr.open_group(store, mode="w")
    array = group.create_array("a", shape=data.shape, chunks=(100, 100), dtype="f8")
    array[:] = data
    group.create_group("b").attrs["name"] = "dawn"
    again = zarr.open_group(
        zarr.storage.FsspecStore.from_url(f"sealstone::{url}/z", read_only=True, **options), mode="r"
    )
    assert np.array_equal(again["a"][:], data)  # type: ignore[index]
    assert np.array_equal(again["a"][150:250, 950:], data[150:250, 950:])  # type: ignore[index]
    assert again["b"].attrs["name"] == "dawn"
    assert sorted(name for name, _ in again.members()) == ["a", "b"]
    fs, folder = fsspec.url_to_fs(f"sealstone::{url}/z", **OPTIONS)
    files = fs.fs.find(folder)
    assert len(files) > 100
    assert all(sealstone.inspect(fs.fs.cat_file(name)).version == 1 for name in files)


@pytest.mark.parametrize("cache", ["filecache", "simplecache"])
def test_a_cache_below_has_ciphertext(cache: str, tmp_path: Path) -> None:
    plaintext = b"attack at dawn " * 20_000
    with fsspec.open("sealstone::memory://x", "wb", **OPTIONS) as file:
        file.write(plaintext)
    options = {"sealstone": dict(OPTIONS), cache: {"cache_storage": str(tmp_path / "cache")}}
    url = f"sealstone::{cache}::memory://x"
    with fsspec.open(url, **options) as file:
        assert file.read() == plaintext
    fs, path = fsspec.url_to_fs(url, **options)
    assert fs.cat_file(path) == plaintext
    assert fs.cat_ranges([path], [100], [200_000]) == [plaintext[100:200_000]]
    assert fs.info(path)["size"] == len(plaintext)
    kept = [one.read_bytes() for one in (tmp_path / "cache").iterdir()]
    assert max(map(len, kept)) >= len(plaintext)
    assert not any(b"attack" in one for one in kept)
    fs.pipe_file("/y", plaintext)
    assert sealstone.decrypt(MemoryFileSystem().cat_file("/y"), identities=IDENTITY) == plaintext


def test_a_cache_above_has_plaintext(tmp_path: Path) -> None:
    with fsspec.open("sealstone::memory://x", "wb", **OPTIONS) as file:
        file.write(b"attack at dawn")
    options = {"sealstone": dict(OPTIONS), "simplecache": {"cache_storage": str(tmp_path / "cache")}}
    with fsspec.open("simplecache::sealstone::memory://x", **options) as file:
        assert file.read() == b"attack at dawn"
    assert [one.read_bytes() for one in (tmp_path / "cache").iterdir()] == [b"attack at dawn"]
